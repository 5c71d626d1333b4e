import { printable } from '../../shared/domain/text/printable';
import { ForbiddenError, UnauthorizedError } from '../../shared/kube/errors';
import { sleep, isAborted } from '../../shared/runtime/clock';
import { noticesOf } from '../cluster/ask-leader';
import { describeFailure, type ClusterWorld } from '../cluster/cluster-command';
import { NoAnswerError } from '../cluster/silence';
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

/**
 * Asks again and again, until Ctrl-C, or until nobody reads the output any more. A terminal is drawn anew; elsewhere, rows that have changed are appended.
 *
 * @throws what does not pass by waiting: credentials that are refused, and missing rights
 */
export async function watchStatus({ world, read, whole, changed }: StatusWatch): Promise<void> {
  const { io, clock, isTerminal, isErrorTerminal, onInterrupt } = world;
  const ended = new AbortController();
  onInterrupt(() => ended.abort());
  io.closed?.addEventListener('abort', () => ended.abort());
  let shown: ReadonlyMap<string, string> | undefined;
  let said = '';
  while (!isAborted(ended.signal)) {
    try {
      const status = await unlessAborted(ended.signal, read());
      if (!status) return;
      const now = new Map(status.rows.map((row) => [keyOf(row), JSON.stringify(row)]));
      if (isTerminal) io.out(clearScreen + whole(status));
      else if (!shown) io.out(whole(status));
      else io.out(changed(changes(status.rows, shown, now)));
      shown = now;
      const grounds = groundsOf(status);
      if (grounds === '' && said !== '') io.err(`${printable(status.leader ?? 'the leader')} answers again\n`);
      // What a terminal showed of them is cleared.
      else if (grounds !== said || (isTerminal && isErrorTerminal)) io.err(noticesOf(status));
      said = grounds;
    } catch (thrown) {
      if (isLasting(thrown)) throw thrown;
      const failure = `${describeFailure('status', thrown)}\n`;
      if (failure !== said) io.err(failure);
      said = failure;
    }
    await sleep(clock, everyMs, ended.signal);
  }
}

/**
 * Undefined once the signal is aborted: whoever presses Ctrl-C does not wait for an API server that hangs. Not a race with one
 * promise for all answers, which would keep every one of them.
 */
async function unlessAborted<Answer>(signal: AbortSignal, answer: Promise<Answer>): Promise<Answer | undefined> {
  return await new Promise((resolve, reject) => {
    const abort = (): void => resolve(undefined);
    signal.addEventListener('abort', abort);
    void answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** What an answer rests on besides the leader, but for what differs each time, such as the age of its Lease. */
function groundsOf({ silence, isInstallKnown, missingRights, notKnown }: Status): string {
  return silence ? JSON.stringify([silence.silence, isInstallKnown, missingRights, notKnown]) : '';
}

/** Whether nothing changes by waiting. A leader that is gone may come back, and so may a connection. */
function isLasting(thrown: unknown): boolean {
  if (thrown instanceof NoAnswerError) return thrown.silence === 'no-right';
  return thrown instanceof UnauthorizedError || thrown instanceof ForbiddenError;
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
