import type { Writable } from 'node:stream';
import { errorMessage } from '../../domain/errors';

/** Input and output of a command line. */
export interface CliIo {
  out(text: string): void;
  err(text: string): void;
  /** Width of the terminal; undefined if the output is not a terminal, or one that does not say. */
  readonly columns: number | undefined;
  /** Aborted once nobody reads the output any more, which shows when something is written. */
  readonly closed?: AbortSignal;
}

type Terminal = Writable & { readonly columns?: number };

interface Streams {
  readonly stdout: Terminal;
  readonly stderr: Writable;
  exitCode?: NodeJS.Process['exitCode'];
}

/** As for whatever else the command could not do as it was told: 1 would be an answer, such as that of `reroll lint`. */
const exitCodeOfLostOutput = 2;

/**
 * The streams of a process. If a reader exits early, as `head` does, only the rest of the output is lost. If the output cannot
 * be written for another reason, such as a full disk, that is said once, and the process ends with {@link exitCodeOfLostOutput}.
 */
export function cliIo(process: Streams): CliIo {
  const { stdout, stderr } = process;
  // A closed reader is reported as an event, which would end the process with a stack trace without a listener.
  const closed = new AbortController();
  stdout.on('error', () => closed.abort());
  stderr.on('error', () => undefined);
  let isLost = false;
  const written = (error: (Error & { readonly code?: unknown }) | null | undefined): void => {
    // The stream refuses what follows the first error, too.
    if (!error || isLost) return;
    isLost = true;
    if (error.code === 'EPIPE') return;
    stderr.write(`cannot write the answer: ${errorMessage(error)}\n`);
    process.exitCode = exitCodeOfLostOutput;
  };
  return {
    out: (text) => void stdout.write(text, written),
    err: (text) => void stderr.write(text),
    // A new pseudo-terminal has a width of 0 until somebody sets it.
    ...{ columns: stdout.columns === 0 ? undefined : stdout.columns, closed: closed.signal },
  };
}
