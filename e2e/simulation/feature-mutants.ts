import type { Mutant } from './mutants';

const pauses = 'reconciler/worker/pauses.ts';
const scope = 'reconciler/workloads/namespace-scope.ts';
const comparison = 'shared/domain/baseline/comparison.ts';
const folds = 'reconciler/worker/rollout-coalescer.ts';

/** Bugs in pauses, in created and deleted sources, in selections, in coalesced rollouts and in the journal. */
export const featureMutants: readonly Mutant[] = [
  { what: 'a pause ends at once', file: pauses, from: 'leftMs > 0', to: 'leftMs > Infinity' },
  {
    what: 'a pause of somebody else is taken for ours',
    file: pauses,
    from: 'pause?.periodMs === undefined || pause.paused',
    to: 'pause?.periodMs === undefined',
  },
  {
    what: 'a resume by hand is undone',
    file: pauses,
    from: 'leftMs === undefined ? {} :',
    to: 'leftMs === undefined ? { spec: { paused: true } } :',
  },
  {
    what: 'a process forgets the pauses of those before it',
    file: pauses,
    from: '    if (!workload || pause?.since === undefined',
    to: `    const self = this as { bornMs?: number };
    self.bornMs ??= clock.nowMs();
    if (typeof pause?.since === 'number' && pause.since < self.bornMs) return { kind: 'done' };
    if (!workload || pause?.since === undefined`,
  },
  { what: 'the note of a pause stays', file: pauses, from: '{ [pausedAtKey]: null }', to: '{}' },
  {
    what: 'a pause is noted and not made',
    file: 'reconciler/apply/patch-workload.ts',
    from: '...(pausedUntilMs !== undefined && { paused: true })',
    to: '',
  },
  {
    what: 'what is held in a namespace that is left out stays held',
    file: scope,
    from: "if (isHeldPaused(record)) sink.upsert({ ...withRestartsDisabled(record), problems: [] }, 'watch');",
    to: 'if (isHeldPaused(record)) sink.keys();',
  },
  {
    what: 'a namespace that has lost its label is looked after',
    file: scope,
    from: 'if (this.#selected.delete(name)) this.#close(name);',
    to: 'if (this.#selected.size < 0) this.#close(name);',
  },
  {
    what: 'what was there before its namespace was selected stays at the gate',
    file: scope,
    from: '    this.#open(name);',
    to: '    if (this.#listed) return;\n    this.#open(name);',
  },
  {
    what: 'what a source was is forgotten when it goes or leaves the selection',
    file: comparison,
    from: "because: 'deleted-ignored', recorded: recordedOnce };",
    to: "because: 'deleted-ignored', recorded: absent };",
  },
  {
    what: 'a deletion is answered and not recorded',
    file: comparison,
    from: "? { restart: true, because: 'deleted', recorded: absent }",
    to: "? { restart: true, because: 'deleted', recorded }",
  },
  {
    what: 'a read takes in what is not selected',
    file: 'reconciler/reading/read-source.ts',
    from: '!object || !selector.matches(object.metadata.labels ?? {})',
    to: '!object',
  },
  {
    what: 'a restart is folded into a rollout without a look at what was before it',
    file: folds,
    from: 'const before = known.before ??',
    to: `if (record.generation > 1) return { kind: 'coalesced', workload };
    const before = known.before ??`,
  },
  {
    what: 'a restart is folded into a rollout that came before the last change',
    file: folds,
    from: '// What was read for earlier changes does not cover this one.',
    to: `if (known) {
        const contents = new Map(known.contents).set(id, after?.content.whole() ?? '');
        this.#entries.set(key, { ...known, contents });
        continue;
      }`,
  },
  {
    what: 'a workload that is scaled is taken for one with a new template',
    file: folds,
    from: 'if (state.template === before.template) return restart;',
    to: '',
  },
  {
    what: 'an entry of the journal is believed for its label',
    file: 'reconciler/apply/journal-entry.ts',
    from: 'if (mac.length !== right.length || !timingSafeEqual(mac, right))',
    to: 'if (mac.length !== right.length)',
  },
  {
    what: 'an entry of the journal that does not verify is cleared away',
    file: 'reconciler/apply/journal-store.ts',
    from: '    onRefusedEntry({ namespace, name,',
    to: `    await deleteObject(this.#options.client, secrets, namespace, name, { propagationPolicy: 'Background' });
    onRefusedEntry({ namespace, name,`,
  },
];
