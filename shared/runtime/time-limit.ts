import { createContext, Script, type Context } from 'node:vm';
import { RerollError } from '../domain/errors';
import { objectOf } from '../domain/kubernetes/json-value';

/** The work was stopped before it was done. */
export class TimeLimitError extends RerollError {
  constructor(limitMs: number) {
    super(`not done within ${limitMs} ms`, { code: 'TIME_LIMIT' });
  }
}

/** See {@link withinTime}. */
export type TimeLimit = typeof withinTime;

const call = new Script('work()');
let context: (Context & { work?: () => void }) | undefined;

/**
 * Runs synchronous work, and stops it when its time is up: V8 terminates whatever the script calls. Otherwise hostile
 * input to a parser could hold up every other review.
 * @throws TimeLimitError, and what the work throws.
 */
export function withinTime<T>(limitMs: number, work: () => T): T {
  const wholeMs = Math.floor(limitMs);
  if (wholeMs < 1) throw new TimeLimitError(wholeMs);
  context ??= createContext({});
  let done: { readonly result: T } | undefined;
  context.work = () => {
    done = { result: work() };
  };
  try {
    call.runInContext(context, { timeout: wholeMs });
  } catch (thrown) {
    throw isTimeout(thrown) ? new TimeLimitError(wholeMs) : thrown;
  } finally {
    delete context.work;
  }
  if (!done) throw new TimeLimitError(wholeMs);
  return done.result;
}

function isTimeout(thrown: unknown): boolean {
  return objectOf(thrown)['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
