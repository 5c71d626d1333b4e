import type { Mutant } from './mutants';

/** What an engine may do wrong where there is much of everything. */
export const crowdMutants: readonly Mutant[] = [
  {
    what: 'the longest wait counts from the last change',
    file: 'reconciler/worker/settle-window.ts',
    from: 'window.firstMs + settleMaxMs',
    to: 'window.lastMs + settleMaxMs',
  },
  {
    what: 'a list ends with its first page',
    file: 'shared/kube/list-watch/paged-list.ts',
    from: 'if (page.continue === undefined) return resourceVersion;',
    to: 'if (page.continue !== token) return resourceVersion;',
  },
];
