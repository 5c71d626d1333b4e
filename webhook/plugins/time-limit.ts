import { createContext, Script, type Context } from 'node:vm';
import { RerollError } from '../../shared/domain/errors';
import { objectOf } from '../../shared/domain/kubernetes/json-value';

/** Work was cut off in its middle. */
export class TimeLimitError extends RerollError {
  constructor(limitMs: number) {
    super(`not done within ${limitMs} ms`, { code: 'TIME_LIMIT' });
  }
}

const call = new Script('work()');
let context: (Context & { work?: () => void }) | undefined;

/**
 * Runs synchronous work, and cuts it off in whatever it is when its time is up: a parser in the hands of a hostile text
 * would otherwise hold up every other review. V8 ends all that such a script calls, at once.
 *
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
