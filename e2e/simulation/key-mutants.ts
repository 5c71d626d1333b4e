import type { Mutant } from './mutants';

const comparison = 'shared/domain/baseline/comparison.ts';

/** Bugs in which changes count. */
export const keyMutants: readonly Mutant[] = [
  {
    what: 'a list of keys has no effect',
    file: 'shared/domain/sources/counted-keys.ts',
    from: 'if (!filter) return used;',
    to: 'if (!filter || used) return used;',
  },
  {
    what: 'a list of keys lets the others count',
    file: 'shared/domain/text/key-filter.ts',
    from: 'return (this.#counted.isEmpty',
    to: 'return !(this.#counted.isEmpty',
  },
  {
    what: 'the list of the source comes before that of the workload',
    file: 'shared/domain/plan/nearest-filter.ts',
    from: 'const filter = own ?? source?.gates?.keys;',
    to: 'const filter = source?.gates?.keys ?? own;',
  },
  {
    what: 'what is owed is forgotten when another list counts',
    file: comparison,
    from: 'const digest = recorded ?? begun',
    to: 'const digest = (filter && then?.key(key)) ?? recorded ?? begun',
  },
  {
    what: 'white space counts in a source that is compared parsed',
    file: comparison,
    from: '    return parsed === undefined || parsed !== current',
    to: '    return parsed !== "" || parsed !== current',
  },
  {
    what: 'white space counts for who uses all of a source that is compared parsed',
    file: comparison,
    from: 'if (parsed !== undefined && parsed === current.parsed?.whole())',
    to: 'if (parsed !== undefined && current.parsed === undefined)',
  },
  {
    what: 'all numbers are the same in JSON that is compared parsed',
    file: 'shared/domain/content-check/canonical-json.ts',
    from: "return first.startsWith('\"') ? sameString(first) : first;",
    to: "return first.startsWith('\"') ? sameString(first) : '0';",
  },
];
