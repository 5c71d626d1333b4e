import type { Clock } from '../../shared/runtime/clock';
import type { CliIo } from '../../shared/runtime/options/cli-io';

/** Nobody wonders earlier. */
const afterMs = 1_000;
const eraseLine = '\r\u001b[K';

/** Says on the terminal what takes longer than a second, and takes it back at the end. */
export async function withProgress<Result>(
  { io, clock, isErrorTerminal }: { readonly io: CliIo; readonly clock: Clock; readonly isErrorTerminal: boolean },
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isErrorTerminal) return await work();
  const shown: string[] = [];
  const timer = clock.timer(afterMs, () => {
    shown.push(what);
    io.err(`${what}…`);
  });
  try {
    return await work();
  } finally {
    timer.cancel();
    if (shown.length > 0) io.err(eraseLine);
  }
}
