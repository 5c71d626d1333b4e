import type { TestedMutant } from './mutants';

const contents = 'reconciler/reading/content-loader.ts';
const contentsTest = 'reconciler/reading/content-loader.test.ts';

/** Bugs of what is known of sources, and of the reads of their contents, each found by its `test`. */
export const testedSourceMutants: readonly TestedMutant[] = [
  {
    what: 'a source that a list shows in place of another, and that is read later, counts as it is since its creation',
    file: 'reconciler/sources/source-entry.ts',
    from: 'return !was || !is || hasLostKeys(was, is);',
    to: 'return !was || !is;',
    test: 'reconciler/sources/source-index.test.ts',
  },
  {
    what: 'only one former state is kept',
    file: 'reconciler/sources/previous-states.ts',
    from: 'states.length - budgets.formerStates',
    to: 'states.length - 1',
    test: 'reconciler/sources/previous-states.test.ts',
  },
  {
    what: 'the past is read one version late',
    file: contents,
    from: '[versionBefore(state.until), state.version]',
    to: '[state.until, state.version]',
    test: contentsTest,
  },
  {
    what: 'ignore and match are not dated',
    file: 'reconciler/sources/source-past.ts',
    from: 'Math.max(sinceMs, admittedSinceMs(entry, bySearch))',
    to: 'sinceMs',
    test: 'reconciler/sources/source-index.test.ts',
  },
  {
    what: 'what a list shows of a status that was seen without versions is never a rotation',
    file: 'reconciler/sources/csi-rotations.ts',
    from: "before.content === undefined && origin === 'watch'",
    to: 'before.content === undefined',
    test: 'e2e/engine/csi.test.ts',
  },
  {
    what: 'a bulk list is believed at any version',
    file: contents,
    from: 'if (now?.resourceVersion === stored.resourceVersion)',
    to: 'if (now)',
    test: contentsTest,
  },
  {
    what: 'a rotation is as old as the last pod that came to show it',
    file: 'reconciler/sources/csi-rotations.ts',
    from: 'isEarlier ? since(formerly.source, atMs) : formerly.source',
    to: 'formerly.source',
    test: 'reconciler/sources/csi-rotations.test.ts',
  },
  {
    what: 'a pod that lags behind the newest rotation takes its place',
    file: 'reconciler/sources/csi-rotations.ts',
    from: 'if (formerly && atMs < formerly.shownMs) {',
    to: 'if (formerly && atMs < 0) {',
    test: 'reconciler/sources/csi-rotations.test.ts',
  },
  {
    what: 'a source that does not count for a workload begins its settle window',
    file: 'reconciler/engine/engine.ts',
    from: "[mayRestart ? 'touch' : 'notice']",
    to: '.touch',
    test: 'e2e/engine/restart.test.ts',
  },
  {
    what: 'a change that restarts nothing is not looked at, so nothing says why',
    file: 'reconciler/engine/engine.ts',
    from: 'of isIgnored ? [] : users.entries()',
    to: 'of isIgnored ? [] : [...concerned].entries()',
    test: 'e2e/engine/narrowing.test.ts',
  },
  {
    what: 'a list that is refused for a moment counts as one that may never be seen',
    file: 'reconciler/watch/known-kinds.ts',
    from: "(standing === 'refused' && this.#refusal?.lasts === true)",
    to: "standing === 'refused'",
    test: 'reconciler/watch/known-kinds.test.ts',
  },
  {
    what: 'a rotation back to the newest version is not dated',
    file: 'reconciler/sources/csi-rotations.ts',
    from: 'return content.equals(newest.source.content) || writtenAtMs > newest.shownMs;',
    to: 'return !content.equals(newest.source.content) && writtenAtMs > newest.shownMs;',
    test: 'reconciler/sources/csi-rotations.test.ts',
  },
];
