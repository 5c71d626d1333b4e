import type { Writable } from 'node:stream';

/** Where a command line is answered. */
export interface CliIo {
  out(text: string): void;
  err(text: string): void;
  /** Width of the terminal; undefined where the answer goes elsewhere. */
  readonly columns: number | undefined;
}

type Terminal = Writable & { readonly columns?: number };

/** The streams of a process. A reader that goes away, as `head` does, takes the rest of the answer and nothing else. */
export function cliIo({ stdout, stderr }: { readonly stdout: Terminal; readonly stderr: Writable }): CliIo {
  // Reported as an event, which would end the process with a stack if nobody listened.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  return { out: (text) => void stdout.write(text), err: (text) => void stderr.write(text), columns: stdout.columns };
}
