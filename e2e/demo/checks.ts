import { inspect, isDeepStrictEqual } from 'node:util';

/** The result of one check. */
export type CheckResult =
  | { readonly ok: true; readonly what: string }
  | { readonly ok: false; readonly what: string; readonly expected: string; readonly seen: string };

/** Compares what was promised with what was seen, and counts the results. */
export class Checks {
  readonly #onResult: (result: CheckResult) => void;
  #passed = 0;
  #failed = 0;

  constructor(onResult: (result: CheckResult) => void) {
    this.#onResult = onResult;
  }

  get failed(): number {
    return this.#failed;
  }

  /** Such as `12 passed, 0 failed`. */
  get summary(): string {
    return `${String(this.#passed)} passed, ${String(this.#failed)} failed`;
  }

  /** Compares by structure. `what` is the promise, as a sentence. */
  equal(what: string, seen: unknown, expected: unknown): void {
    if (isDeepStrictEqual(seen, expected)) {
      this.#passed += 1;
      this.#onResult({ ok: true, what });
      return;
    }
    this.#failed += 1;
    this.#onResult({ ok: false, what, expected: show(expected), seen: show(seen) });
  }
}

function show(value: unknown): string {
  return inspect(value, { breakLength: Infinity, depth: 5 });
}
