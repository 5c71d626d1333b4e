import type { Mutant } from './mutants';

const policy = 'shared/domain/policy/policy.ts';
const writeTimes = 'reconciler/sources/source-write-times.ts';

/** Bugs in the decision which source restarts which workload, and since when it counts. */
export const policyMutants: readonly Mutant[] = [
  {
    what: 'what is to be ignored restarts',
    file: policy,
    from: "source.ignore ? no('source-ignored') : undefined",
    to: "source.ignore && source.match ? no('source-ignored') : undefined",
  },
  {
    what: 'what changed while a source was ignored counts when it is heeded',
    file: writeTimes,
    from: 'isChanged ? writeTimeMs(times, sets) : beforeNextWriteMs(fromMs, times);',
    to: 'beforeNextWriteMs(fromMs, times);',
  },
  {
    what: 'an exclusion excludes nothing',
    file: policy,
    from: "policy.excluded.has(source.name) ? no('excluded') : undefined",
    to: "policy.excluded.has(source.name) && policy.leftOut ? no('excluded') : undefined",
  },
  {
    what: 'who searches is restarted for what does not match',
    file: policy,
    from: 'policy.search && source.match',
    to: 'policy.search',
  },
  {
    what: 'a pattern names nothing',
    file: 'shared/domain/plan/candidates.ts',
    from: 'if (!named.hasPatterns) continue;',
    to: 'if (kind.length > 0) continue;',
  },
  {
    what: 'a name does not count where auto is off',
    file: policy,
    from: 'policy.named.matches(source.name) ?',
    to: "policy.named.matches(source.name) && policy.auto !== 'off' ?",
  },
  {
    what: 'who asks for one kind of sources is restarted for all',
    file: 'shared/domain/policy/policy-annotations.ts',
    from: "if (parseGoBool(typed) === true) return 'auto-typed';",
    to: "if (parseGoBool(typed) === true || typed === '') return 'auto-typed';",
  },
];
