import { errorMessage } from '../../shared/domain/errors';
import { printable } from '../../shared/domain/text/printable';
import { sleep, isAborted } from '../../shared/runtime/clock';
import type { ClusterWorld } from '../cluster/cluster-command';
import type { Status, StatusRow } from './read-status';

const everyMs = 2_000;
const clearScreen = '\u001b[H\u001b[2J';

export interface StatusWatch {
  readonly world: ClusterWorld;
  readonly read: () => Promise<Status>;
  /** The whole answer, for a terminal and for the first time. */
  readonly whole: (status: Status) => string;
  /** Rows that have changed since. */
  readonly changed: (rows: readonly StatusRow[]) => string;
}

/** Asks again and again, until Ctrl-C, or until nobody reads the output any more. A terminal is drawn anew; elsewhere, rows that have changed are appended. */
export async function watchStatus({ world, read, whole, changed }: StatusWatch): Promise<void> {
  const { io, clock, isTerminal, onInterrupt } = world;
  const ended = new AbortController();
  onInterrupt(() => ended.abort());
  io.closed?.addEventListener('abort', () => ended.abort());
  let shown: ReadonlyMap<string, string> | undefined;
  while (!isAborted(ended.signal)) {
    try {
      const status = await read();
      const now = new Map(status.rows.map((row) => [keyOf(row), JSON.stringify(row)]));
      if (isTerminal) io.out(clearScreen + whole(status));
      else if (!shown) io.out(whole(status));
      else io.out(changed(changes(status.rows, shown, now)));
      shown = now;
    } catch (thrown) {
      // It may pass, and somebody wants to see what comes next.
      io.err(`${printable(errorMessage(thrown))}\n`);
    }
    await sleep(clock, everyMs, ended.signal);
  }
}

function changes(
  rows: readonly StatusRow[],
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): readonly StatusRow[] {
  const gone = [...before].filter(([key]) => !now.has(key)).map(([, text]) => JSON.parse(text) as StatusRow);
  return [
    ...rows.filter((row) => before.get(keyOf(row)) !== now.get(keyOf(row))),
    ...gone.map((row) => ({ ...row, state: 'gone' })),
  ];
}

function keyOf({ kind, namespace, name }: StatusRow): string {
  return `${kind}/${namespace}/${name}`;
}
