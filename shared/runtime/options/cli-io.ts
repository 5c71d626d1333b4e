import type { Writable } from 'node:stream';

/** Input and output of a command line. */
export interface CliIo {
  out(text: string): void;
  err(text: string): void;
  /** Width of the terminal; undefined if the output is not a terminal. */
  readonly columns: number | undefined;
  /** Aborted once nobody reads the output any more, which shows when something is written. */
  readonly closed?: AbortSignal;
}

type Terminal = Writable & { readonly columns?: number };

/** The streams of a process. If a reader exits early, as `head` does, only the rest of the output is lost. */
export function cliIo({ stdout, stderr }: { readonly stdout: Terminal; readonly stderr: Writable }): CliIo {
  // A closed reader is reported as an event, which would end the process with a stack trace without a listener.
  const closed = new AbortController();
  stdout.on('error', () => closed.abort());
  stderr.on('error', () => undefined);
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    ...{ columns: stdout.columns, closed: closed.signal },
  };
}
