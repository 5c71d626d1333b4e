import type { Mutant } from './mutants';

/** Bugs of an engine that show if the clocks of nodes differ by minutes. */
export const clockMutants: readonly Mutant[] = [
  {
    what: 'a Lease expires by the clock of whoever looks',
    file: 'shared/kube/lease/lease.ts',
    from: 'return nowMs - this.#observed.sinceMonotonicMs >=',
    to: "return this.#clock.nowMs() - Date.parse(record.renewTime ?? '') >=",
  },
];
