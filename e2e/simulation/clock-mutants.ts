import type { Mutant } from './mutants';

/** What an engine may do wrong where the clocks of nodes differ by minutes. */
export const clockMutants: readonly Mutant[] = [
  {
    what: 'a Lease expires by the clock of whoever looks',
    file: 'shared/kube/lease/lease.ts',
    from: 'return nowMs - this.#observed.sinceMonotonicMs >=',
    to: "return this.#clock.nowMs() - Date.parse(record.renewTime ?? '') >=",
  },
];
