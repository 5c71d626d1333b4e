import type { Mutant } from './mutants';

/** Bugs of an engine that show in large worlds. */
export const crowdMutants: readonly Mutant[] = [
  {
    what: 'the longest wait counts from the last change',
    file: 'reconciler/worker/settle-window.ts',
    from: 'firstMs + settleMaxMs)',
    to: 'lastMs + settleMaxMs)',
  },
  {
    what: 'a list ends with its first page',
    file: 'shared/kube/list-watch/paged-list.ts',
    from: 'if (page.continue === undefined) return resourceVersion;',
    to: 'if (page.continue !== token) return resourceVersion;',
  },
];
