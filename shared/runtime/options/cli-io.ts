import type { Writable } from 'node:stream';

/** Input and output of a command line. */
export interface CliIo {
  out(text: string): void;
  err(text: string): void;
  /** Width of the terminal; undefined if the output is not a terminal. */
  readonly columns: number | undefined;
}

type Terminal = Writable & { readonly columns?: number };

/** The streams of a process. If a reader exits early, as `head` does, only the rest of the output is lost. */
export function cliIo({ stdout, stderr }: { readonly stdout: Terminal; readonly stderr: Writable }): CliIo {
  // A closed reader is reported as an event, which would end the process with a stack trace without a listener.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  return { out: (text) => void stdout.write(text), err: (text) => void stderr.write(text), columns: stdout.columns };
}
