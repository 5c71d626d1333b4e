import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { formatBaseline, parseBaseline, type Baseline } from '../../shared/domain/baseline/baseline';
import { everything } from '../../shared/domain/kubernetes/selector';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { noMarks } from '../../shared/domain/marks/workload-marks';
import {
  at,
  auto,
  contentOf,
  digester,
  listedRecord,
  policySettings,
  sourceRecord,
  workloadObject,
  workloadRecord,
} from '../../shared/domain/plan/records.fixture';
import type { MutationAnswer } from '../../shared/domain/protocol/mutation-question';
import { readWorkload } from '../../shared/domain/workloads/workload';
import { zeroRandom } from '../../shared/kube/client/client.fixture';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { DigestKeyring } from '../sources/digest-keyring';
import { SourceIndex } from '../sources/source-index';
import { InjectedRestarts } from '../worker/injected-restarts';
import { WorkloadIndex } from '../workloads/workload-index';
import { AdmissionMutations, type AdmissionMutationsOptions } from './admission-mutations';

type Options = NonNullable<Parameters<typeof workloadObject>[0]>;

const named = defaultAnnotationKeys.configMapReload;
const term = { inChargeSinceMs: at(-3600), watchingSinceMs: at(-3600) };
const nothing = (): undefined => undefined;
const none: MutationAnswer = { v: 1, ...noMarks };

let clock: FakeClock;
let sources: SourceIndex;
let workloads: WorkloadIndex;
let injected: InjectedRestarts;

/** ConfigMap `app` contains blue. */
beforeEach(() => {
  clock = new FakeClock();
  injected = new InjectedRestarts();
  sources = new SourceIndex(clock, { onChange: nothing, onInconsistency: nothing, onListed: nothing });
  workloads = new WorkloadIndex({
    ...{ clock, keys: new DigestKeyring(digester, true), policy: policySettings },
    ...{ annotationKeys: defaultAnnotationKeys, selectedSinceMs: () => 0, leadingSinceMs: () => undefined },
    ...{ onChange: nothing, onUntracked: nothing, onGone: nothing },
  });
  store({ data: { color: 'blue' } });
});

function store(source: Parameters<typeof sourceRecord>[0]): void {
  const seen = sourceRecord(source);
  sources.sink(seen.kind, undefined, nothing).upsert(seen, 'watch');
}

/** Shows the workload in the watch, as it is stored. */
function see(options: Options): void {
  const record = workloadRecord(options);
  workloads.sink(record.kind, undefined, nothing).upsert(record, 'watch');
}

function baseline(recorded: Readonly<Record<string, string>> = { app: 'red' }, more: Partial<Baseline> = {}): string {
  const digests = Object.entries(recorded).map(
    ([name, color]) => [`cm/${name}`, contentOf({ color }, 'ConfigMap', name).whole()] as const,
  );
  return formatBaseline({ ...{ sequence: 3, keyId: digester.keyId, sources: new Map(digests) }, ...more });
}

/** The answer of a leading process to a write of a workload. */
async function answer(
  written: object,
  more: Partial<AdmissionMutationsOptions> = {},
  kind: Options['kind'] = 'Deployment',
): Promise<MutationAnswer | undefined> {
  const mutations = new AdmissionMutations({
    ...{ sources, workloads, clock, injected, random: zeroRandom, keys: new DigestKeyring(digester, true) },
    settings: { policy: policySettings, reloadOnCreate: false, reloadOnDelete: false, sourceSelector: everything },
    knownKinds: () => new Set(['ConfigMap', 'Secret'] as const),
    isNamed: () => false,
    term: () => term,
    defaults: { strategy: 'annotations' },
    contents: { read: () => Promise.resolve() },
    hints: { attribution: nothing, readNow: () => Promise.resolve() },
    scope: { isSelected: () => true },
    read: (name, object) => readWorkload(workloadKind(name), object, defaultAnnotationKeys, policySettings),
    ...more,
  });
  const { group } = workloadKind(kind).resource;
  const object = Object.fromEntries(Object.entries(written));
  return await mutations.answer({ ...{ v: 1, group, kind, namespace: 'shop' }, object });
}

/** The answer to a write of a workload that has run with red, according to its baseline. */
async function rewritten(
  options: Options = {},
  more: Partial<AdmissionMutationsOptions> = {},
  seen: Options = options,
) {
  const stored = { baseline: baseline(), ...seen };
  see(stored);
  return await answer(workloadObject({ ...stored, ...options }), more, options.kind);
}

/** The recorded content of each source: its colour, or `absent`. */
function recorded(told: MutationAnswer | undefined): Readonly<Record<string, string>> {
  const text = told?.annotations['reroll.dev/baseline'];
  if (text === undefined) return {};
  const colors = ['red', 'blue', 'green'];
  return Object.fromEntries(
    [...parseBaseline(text).sources].map(([id, digest]) => {
      const whole = (color: string) => contentOf({ color }, 'ConfigMap', id.replace('cm/', '')).whole();
      return [id, digest === '-' ? 'absent' : (colors.find((color) => digest === whole(color)) ?? 'other')];
    }),
  );
}

describe('a workload under creation', () => {
  it('records what its pods start with, without a uid: it has none yet', async () => {
    const { metadata, ...rest } = workloadObject();
    const unnamed = { annotations: metadata.annotations };
    const told = await answer({ ...rest, metadata: unnamed });
    expect(told).toMatchObject({ v: 1, template: noMarks.template });
    expect(recorded(told)).toEqual({ 'cm/app': 'blue' });
    const { sequence, uid } = parseBaseline(told!.annotations['reroll.dev/baseline']!);
    expect([sequence, uid]).toEqual([1, undefined]);
  });

  it('records nothing of a source that is not there: its watch may be behind', async () => {
    expect(recorded(await answer(workloadObject({ uses: ['cm/app', 'cm/gone'] })))).toEqual({ 'cm/app': 'blue' });
  });

  it.each<[string, Options, Partial<AdmissionMutationsOptions>]>([
    ['that asks for nothing', { annotations: {} }, {}],
    ['of a namespace that is not selected', {}, { scope: { isSelected: () => false } }],
    ['that would be told names by a pattern', { annotations: { ...auto, [named]: '.*' } }, {}],
    ['that is being deleted', { deleting: true }, {}],
  ])('%s is given nothing', async (_which, options, more) => {
    expect(await answer(workloadObject(options), more)).toEqual(none);
  });

  it.each<[string, Options, Partial<AdmissionMutationsOptions>]>([
    ['does not lead', {}, { term: nothing }],
    ['has never seen its baseline', { baseline: baseline() }, {}],
    ['cannot read its baseline', { baseline: 'x' }, {}],
  ])('is told nothing by who %s', async (_who, options, more) => {
    expect(await answer(workloadObject(options), more)).toBeUndefined();
  });

  it('is told nothing by who has not read its source in time', async () => {
    sources.sink('ConfigMap', undefined, nothing).upsert(listedRecord({ name: 'unread' }), 'list');
    const never = async (): Promise<never> => await new Promise<never>(nothing);
    let told: unknown = 'nobody yet';
    void answer(workloadObject({ uses: ['cm/unread'] }), { contents: { read: never } }).then((said) => (told = said));
    await clock.advance(149);
    expect(told).toBe('nobody yet');
    await clock.advance(1);
    expect([told, clock.pendingTimers]).toEqual([undefined, 0]);
  });
});

describe('a workload whose baseline would be too large', () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => `${'k'.repeat(220)}${String(index)}`);

  it.each(['its creation', 'a write with which it owes a restart'])('is given nothing with %s', async (which) => {
    expect(await (which === 'its creation' ? answer(workloadObject({ keys })) : rewritten({ keys }))).toEqual(none);
  });
});

describe('what is read first', () => {
  it('is what was announced in the namespace, and what the workload uses', async () => {
    const asked: unknown[] = [];
    const readNow = (namespace: string): Promise<void> => Promise.resolve(void asked.push(namespace));
    const read: AdmissionMutationsOptions['contents']['read'] = async (namespace, used) => {
      asked.push([namespace, used.map(({ name }) => name)]);
      store({ data: { color: 'green' }, resourceVersion: '2' });
    };
    const told = await answer(workloadObject(), { contents: { read }, hints: { attribution: nothing, readNow } });
    expect(asked).toEqual(['shop', ['shop', ['app']]]);
    expect([recorded(told), clock.pendingTimers]).toEqual([{ 'cm/app': 'green' }, 0]);
  });

  it('may fail: what is known is told', async () => {
    const read = (): Promise<never> => Promise.reject(new Error('no connection'));
    expect(recorded(await answer(workloadObject(), { contents: { read } }))).toEqual({ 'cm/app': 'blue' });
  });

  it.each<[string, () => void, Partial<AdmissionMutationsOptions>]>([
    ['the Lease is lost', () => undefined, {}],
    ['another baseline is written', () => see({ baseline: baseline({ app: 'green' }), resourceVersion: '11' }), {}],
  ])('takes a while: where %s meanwhile, nothing is told', async (what, happen) => {
    let isLeading = true;
    const read = async (): Promise<void> => {
      happen();
      isLeading = what !== 'the Lease is lost';
    };
    const told = await rewritten({}, { contents: { read }, term: () => (isLeading ? term : undefined) });
    expect(told).toBeUndefined();
  });
});

describe('a workload that owes a restart', () => {
  it('has it with the write, which is told where it is seen to have been stored', async () => {
    const told = await rewritten();
    expect(recorded(told)).toEqual({ 'cm/app': 'blue' });
    expect(Object.keys(told!.template.annotations)).toHaveLength(1);
    expect(JSON.parse(told!.annotations['reroll.dev/last-restart']!)).toMatchObject({ at: '2026-01-01T00:00:00.000Z' });
    see({ baseline: told!.annotations['reroll.dev/baseline'], resourceVersion: '11' });
    expect(injected.take(workloads.get('Deployment/shop/web')!)).toMatchObject([{ name: 'app' }]);
  });

  const held = { ...auto, [defaultAnnotationKeys.pausePeriod]: '5m' };
  const inPlace = { ...auto, [defaultAnnotationKeys.rolloutStrategy]: 'restart' };

  it.each<[string, Options & { readonly kind: WorkloadKindName }, spec: object]>([
    ['a Deployment that is to be held paused', { kind: 'Deployment', annotations: held }, {}],
    ['a Job, which is created anew', { kind: 'Job', createdAtMs: at(-7200) }, {}],
    ['a CronJob, of which a Job is created', { kind: 'CronJob' }, {}],
    ['a Rollout that is restarted in place', { kind: 'Rollout', annotations: inPlace }, {}],
    ['a Rollout whose template is elsewhere', { kind: 'Rollout' }, { workloadRef: { kind: 'Deployment', name: 'x' } }],
  ])(
    'does not have it with the write where that is more than a changed template: %s',
    async (_which, options, more) => {
      const stored = { ...options, baseline: baseline() };
      see(stored);
      const { spec, ...object } = workloadObject(stored);
      expect(await answer({ ...object, spec: { ...spec, ...more } }, {}, options.kind)).toEqual(none);
    },
  );

  it.each(['StatefulSet', 'Rollout'] as const)('has it with the write where it is a %s', async (kind) => {
    expect(recorded(await rewritten({ kind }))).toEqual({ 'cm/app': 'blue' });
  });
});

describe('a workload that owes nothing', () => {
  const blue = baseline({ app: 'blue' });

  it('is given nothing, though it comes to use what is not there', async () => {
    expect(await rewritten({ baseline: blue })).toEqual(none);
    expect(await rewritten({ uses: ['cm/app', 'cm/gone'] }, {}, { baseline: blue })).toEqual(none);
  });

  it('keeps on record that a source is not there', async () => {
    store({ name: 'extra', data: { color: 'green' } });
    const isGone = blue.replace('"sources":{', '"sources":{"cm/gone":"-",');
    const told = await rewritten({ uses: ['cm/app', 'cm/gone', 'cm/extra'] }, {}, { baseline: isGone });
    expect(recorded(told)).toEqual({ 'cm/app': 'blue', 'cm/gone': 'absent', 'cm/extra': 'green' });
  });

  it('records all under the key of the install, where that has come since', async () => {
    const later = new DigestKeyring(digester, true);
    const read = async (): Promise<void> => {
      later.add(Buffer.alloc(32, 2));
      later.promote();
    };
    const told = await rewritten({ baseline: blue }, { keys: later, contents: { read } });
    expect(parseBaseline(told!.annotations['reroll.dev/baseline']!).keyId).toBe(later.keyId);
  });

  it('records what it comes to use, and keeps its uid', async () => {
    store({ name: 'extra', data: { color: 'green' } });
    const told = await rewritten({ uses: ['cm/app', 'cm/extra'] }, {}, { baseline: blue });
    expect(recorded(told)).toEqual({ 'cm/app': 'blue', 'cm/extra': 'green' });
    expect(parseBaseline(told!.annotations['reroll.dev/baseline']!)).toMatchObject({ sequence: 4, uid: 'uid-web' });
  });

  it('is not told what a pattern alone has found since', async () => {
    store({ name: 'app-old', data: { color: 'red' } });
    store({ name: 'app-new', data: { color: 'green' } });
    const annotations = { ...auto, [named]: 'app-.*,listed' };
    store({ name: 'listed', data: { color: 'red' } });
    const told = await rewritten({ annotations, baseline: baseline({ app: 'blue', 'app-old': 'red' }) });
    expect(recorded(told)).toEqual({ 'cm/app': 'blue', 'cm/app-old': 'red', 'cm/listed': 'red' });
  });
});

describe('a workload that the engine has seen without a baseline', () => {
  it.each<[string, Options, object]>([
    ['is left to the engine, which knows what its pods started with', {}, {}],
    ['is given one if it asked for nothing before', { annotations: {} }, { 'cm/app': 'blue' }],
    ['is given one if it replaces a workload by that name', { uid: 'first' }, { 'cm/app': 'blue' }],
  ])('%s', async (_what, seen, expected) => {
    see(seen);
    expect(recorded(await answer(workloadObject()))).toEqual(expected);
  });
});

describe('a baseline that this process has not seen on the object is not believed', () => {
  it.each<[string, Options, Options]>([
    ['made up', {}, { baseline: baseline({ app: 'green' }) }],
    ['taken away', {}, { baseline: undefined }],
    ['put on', { baseline: undefined }, { baseline: baseline() }],
    ['copied to another by that name', {}, { uid: 'second' }],
    ['of a key that is not ours', { baseline: baseline({}, { keyId: 'other' }) }, {}],
  ])('%s', async (_how, seen, written) => {
    const stored = { baseline: baseline(), ...seen };
    see(stored);
    expect(await answer(workloadObject({ ...stored, ...written }))).toBeUndefined();
  });
});
