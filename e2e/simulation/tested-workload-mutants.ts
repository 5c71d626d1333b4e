import type { TestedMutant } from './mutants';

const file = 'reconciler/workloads/workload-index.ts';
const awaited = 'reconciler/workloads/awaited-version.ts';
const test = 'reconciler/workloads/workload-index.test.ts';

/** Bugs of the workload index, mostly under a watch that lags behind what was read or written. Each is found by its `test`. */
export const testedWorkloadMutants: readonly TestedMutant[] = [
  {
    what: 'a write of ours is forgotten once the index has moved on',
    file,
    from: `      this.#entries.set(workload.key, undone);
      this.#options.onChange(undone);
`,
    to: '      void undone;\n',
    test,
  },
  {
    what: 'a write to what was read by name is undone by a watch that lags behind',
    file: awaited,
    from: 'if (isOlderVersion(former.resourceVersion, resourceVersion)) return awaitedSince(resourceVersion, nowMs);',
    to: '',
    test,
  },
  {
    what: 'what a lagging watch shows undoes what was read twice',
    file: awaited,
    from: 'resourceVersion === former.resourceVersion ? awaited : undefined',
    to: 'undefined',
    test,
  },
  {
    what: 'a lagging watch undoes an opt-out that was read',
    file,
    from: 'isRead ? awaitedSince(record.resourceVersion, nowMs) : undefined',
    to: 'undefined',
    test,
  },
  {
    what: 'a lagging watch shows that an earlier attempt was undone, after the one that followed it',
    file,
    from: 'predates(awaited, record, nowMs)',
    to: '(this.#stored(record).baseline?.sequence ?? -1) < (this.#entries.get(key)?.baseline?.sequence ?? 0)',
    test,
  },
  {
    what: 'what is known of a workload is taken for that of another one of its name',
    file,
    from: 'if (knownUid !== undefined && knownUid !== record.uid) this.remove(key);',
    to: 'if (knownUid !== undefined && knownUid === undefined) this.remove(key);',
    test,
  },
  {
    what: 'a watch that lags takes a workload away that was read and is later',
    file,
    from: "origin === 'watch' && predates(awaited,",
    to: 'this.#entries.get(key)?.record.uid === record.uid && predates(awaited,',
    test,
  },
];
