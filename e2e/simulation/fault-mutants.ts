import type { Mutant } from './mutants';

const engine = 'reconciler/engine.ts';

/** What an engine may do wrong after a restore of etcd. */
export const restoreMutants: readonly Mutant[] = [
  {
    what: 'after a restore of etcd, the baselines count that were seen before it',
    file: engine,
    from: '    this.#workloads.forgetSeen();\n',
    to: '',
  },
  {
    what: 'after a restore of etcd, workloads are not listed anew',
    file: engine,
    from: '    void this.#watches.listOthersAgain();\n',
    to: '',
  },
  {
    what: 'after a restore of etcd, sources are not listed anew',
    file: engine,
    from: '    this.#known.forget();\n    this.#workloads.forgetSeen();',
    to: '    this.#workloads.forgetSeen();',
  },
  {
    what: 'after a restore of etcd, nobody looks for Jobs that were on their way',
    file: engine,
    from: 'if (this.#term) this.#recoverJobs();',
    to: '',
  },
  {
    what: 'a version that a restore of etcd has undone is asked for until it comes',
    file: 'reconciler/source-contents.ts',
    from: '!(error instanceof GoneError) && !isVersionToCome(error)',
    to: '!(error instanceof GoneError)',
  },
];
