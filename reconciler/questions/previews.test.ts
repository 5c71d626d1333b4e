import { withoutStages, type StageSettings } from '../../shared/domain/gate-settings/stage-settings';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { updateOf, type PreviewAnswer, type PreviewQuestion } from '../../shared/domain/protocol/preview';
import { everything, parseSelector, type Selector } from '../../shared/domain/kubernetes/selector';
import type { SourceKind } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { Previews, type PreviewsOptions } from './previews';
import {
  appConfig,
  at,
  auto,
  contentOf,
  digester,
  listedRecord,
  policySettings,
  sourceRecord,
  workloadRecord,
  type WorkloadOptions,
} from '../../shared/domain/plan/records.fixture';
import { WorkloadGates } from '../gates/workload-gates';
import { SourceIndex } from '../sources/source-index';
import { WorkloadIndex } from '../workloads/workload-index';

const red = { color: 'red', size: 'l' };
const blue = { color: 'blue', size: 'l' };

let clock: FakeClock;
let sources: SourceIndex;
let workloads: WorkloadIndex;

beforeEach(() => {
  clock = new FakeClock();
  sources = new SourceIndex(clock, {
    onChange: () => undefined,
    onInconsistency: () => undefined,
    onListed: () => undefined,
  });
  workloads = new WorkloadIndex({
    ...{ clock, policy: policySettings, annotationKeys: defaultAnnotationKeys },
    keys: { isShared: true, isOwn: (keyId) => keyId === digester.keyId },
    selectedSinceMs: () => 0,
    leadingSinceMs: () => undefined,
    onChange: () => undefined,
    onUntracked: () => undefined,
    onGone: () => undefined,
  });
  see({ data: red });
});

function see(source: Parameters<typeof sourceRecord>[0]): void {
  const seen = sourceRecord(source);
  sources.sink(seen.kind, undefined, () => undefined).upsert(seen, 'list');
}

/** Adds a tracked workload whose baseline matches its sources. */
function has(options: WorkloadOptions, data: Data = red): void {
  const baseline = baselineOf({ 'cm/app': contentOf(data).whole() });
  const record = workloadRecord({ baseline, ...options });
  workloads.sink(record.kind, undefined, () => undefined).upsert(record, 'list');
}

function baselineOf(recorded: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ v: 1, n: 3, key: digester.keyId, sources: recorded });
}

function gatesWith(stages: StageSettings): WorkloadGates {
  return new WorkloadGates({
    ...{ sources, namespaces: { of: () => undefined }, heldInstall: { hold: undefined }, install: undefined, stages },
    policy: policySettings,
  });
}

function previews(more: Partial<PreviewsOptions> & { readonly sourceSelector?: Selector } = {}): Previews {
  const { sourceSelector = everything, ...rest } = more;
  return new Previews({
    ...{ clock, sources, workloads, annotationKeys: defaultAnnotationKeys, keys: { keyId: digester.keyId } },
    settings: { policy: policySettings, reloadOnCreate: false, reloadOnDelete: false, sourceSelector },
    knownKinds: () => new Set<SourceKind>(['ConfigMap', 'Secret']),
    isNamed: () => false,
    term: () => ({ inChargeSinceMs: at(0), watchingSinceMs: at(0) }),
    scope: { isSelected: () => true },
    gates: gatesWith(withoutStages),
    ...rest,
  });
}

type Data = Readonly<Record<string, string>>;

/** An update of `app` by a caller who knows the stored content. */
function question(data: Data, more: Partial<PreviewQuestion> = {}): PreviewQuestion {
  return asking(red, data, more);
}

/** An update of `app` by a caller who claims that it holds `before`. */
function asking(before: Data, after: Data, more: Partial<PreviewQuestion> = {}, uid = 'uid-app'): PreviewQuestion {
  return { ...creation('app'), update: updateOf(uid, contentOf(before), contentOf(after)), ...more };
}

function creation(name: string): PreviewQuestion {
  return {
    ...{ v: 2, keyId: digester.keyId, kind: 'ConfigMap', namespace: 'shop', name },
    ...{ labels: {}, switchedOn: [] },
  };
}

const held = { hold: { untilMs: undefined, because: undefined } };
const nothing: PreviewAnswer = { v: 1, restarts: [], left: [], moreRestarts: 0, moreLeft: 0 };

describe('a preview', () => {
  it('names a few keys and counts the others: all of them would not fit into an answer', () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `a-rather-long-key-${String(index).padStart(4, '0')}`);
    const all = (value: string): Data => Object.fromEntries(names.map((name) => [name, value]));
    see({ data: all('old'), resourceVersion: '20' });
    for (let i = 0; i < 30; i++) has({ name: `web-${String(i).padStart(2, '0')}` }, all('old'));
    const answer = previews().answer(asking(all('old'), all('new')));
    expect(answer?.restarts).toHaveLength(20);
    expect(answer?.restarts[0]).toEqual({ workload: 'deployment/web-00', keys: names.slice(0, 5), moreKeys: 1_995 });
    expect(JSON.stringify(answer).length).toBeLessThan(8_000);
  });

  it('names what restarts, and the keys, in the order of names', () => {
    has({ name: 'web' });
    has({ kind: 'StatefulSet', name: 'db' });
    expect(previews().answer(question(blue))).toEqual({
      ...nothing,
      restarts: [
        { workload: 'deployment/web', keys: ['color'] },
        { workload: 'statefulset/db', keys: ['color'] },
      ],
    });
  });

  it('counts what is left alone, with the reason', () => {
    has({ name: 'web' });
    has({ name: 'other', annotations: { ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'app' } });
    has({ name: 'sized', baseline: undefined, keys: ['size'] });
    expect(previews().answer(question(blue))).toMatchObject({
      restarts: [{ workload: 'deployment/web' }],
      left: [
        { workload: 'deployment/other', because: expect.stringMatching(/exclude/) },
        { workload: 'deployment/sized', because: 'it is seen for the first time' },
      ],
    });
  });

  it('knows which keys count, as the annotations say after the write', () => {
    has({ name: 'web' });
    has({ name: 'own', annotations: { ...auto, 'reroll.dev/keys': 'color' } });
    expect(previews().answer(question(blue, { gates: { 'reroll.dev/keys': 'size' } }))).toMatchObject({
      restarts: [{ workload: 'deployment/own', keys: ['color'] }],
      left: [
        {
          workload: 'deployment/web',
          because: 'the keys that reroll.dev/keys on the source lets count have not changed (size)',
        },
      ],
    });
  });

  it('changes nothing: the answer and the index stay the same', () => {
    has({ name: 'web' });
    const asked = previews();
    const first = asked.answer(question(blue));
    expect(asked.answer(question(blue))).toEqual(first);
    expect(sources.get(appConfig)?.content).toEqual(contentOf(red));
  });

  it('uses the annotations and labels of the write', () => {
    has({ name: 'web' });
    const ignored = question(blue, { switchedOn: ['reloader.stakater.com/ignore'] });
    expect(previews().answer(ignored)).toMatchObject({ restarts: [], left: [{ workload: 'deployment/web' }] });
    const selecting = previews({ sourceSelector: parseSelector('tier=web') });
    expect(selecting.answer(question(blue))).toEqual(nothing);
    expect(selecting.answer(question(blue, { labels: { tier: 'web' } }))?.restarts).toHaveLength(1);
  });

  it.each([
    [false, { left: [{ workload: 'deployment/web', because: 'it was created, and --reload-on-create is off' }] }],
    [true, { restarts: [{ workload: 'deployment/web', keys: [] }] }],
  ])('of a source that is new goes by --reload-on-create: %s', (reloadOnCreate, expected) => {
    has({ name: 'web', uses: ['cm/new'], baseline: undefined });
    const settings = { policy: policySettings, reloadOnCreate, reloadOnDelete: false, sourceSelector: everything };
    expect(previews({ settings }).answer(creation('new'))).toEqual({ ...nothing, ...expected });
  });

  it('ignores workloads that are not selected', () => {
    has({ name: 'web' });
    expect(previews({ scope: { isSelected: () => false } }).answer(question(blue))).toEqual(nothing);
    expect(previews().answer(creation('unused'))).toEqual(nothing);
  });

  it.each<
    [
      string,
      WorkloadOptions['annotations'],
      Parameters<typeof sourceRecord>[0],
      Partial<PreviewQuestion>,
      string | undefined,
    ]
  >([
    ['the workload', { 'reroll.dev/hold': 'true' }, {}, {}, 'reroll.dev/hold on the workload'],
    [
      'the source after the write',
      {},
      {},
      { gates: { 'reroll.dev/hold': 'true' } },
      'reroll.dev/hold on ConfigMap app',
    ],
    ['the source as it is, for an older webhook', {}, { gates: held }, {}, 'reroll.dev/hold on ConfigMap app'],
    ['nobody any more', {}, { gates: held }, { gates: {} }, undefined],
  ])('says that a restart does not begin yet, because of %s', (_who, annotations, source, more, detail) => {
    see({ data: red, ...source });
    has({ name: 'web', annotations: { ...auto, ...annotations } });
    const deferred = detail === undefined ? {} : { deferred: { gate: 'hold', detail } };
    expect(previews().answer(question(blue, more))).toEqual({
      ...nothing,
      restarts: [{ workload: 'deployment/web', keys: ['color'], ...deferred }],
    });
  });

  it('says who restarts first, of those that this change restarts and that may', () => {
    has({ name: 'db', keys: ['size'], annotations: { ...auto, 'reroll.dev/wave': '-1' } });
    has({ name: 'held', annotations: { ...auto, 'reroll.dev/canary': 'true', 'reroll.dev/hold': 'true' } });
    has({ name: 'web' });
    has({ name: 'worker', annotations: { ...auto, 'reroll.dev/after': 'deployment/web' } });
    const detail = 'ConfigMap app restarts its users in stages: Deployment web goes first';
    const answer = previews({ gates: gatesWith({ ...withoutStages, fromUsers: 3 }) }).answer(question(blue));
    expect(answer?.restarts.map(({ workload, deferred }) => [workload, deferred])).toEqual([
      ['deployment/held', { gate: 'hold', detail: 'reroll.dev/hold on the workload' }],
      ['deployment/web', undefined],
      ['deployment/worker', { gate: 'order', detail: 'reroll.dev/after: Deployment web has still to restart' }],
    ]);
    const settings = { gates: { 'reroll.dev/stages': 'on' } };
    has({ name: 'api', annotations: auto });
    has({ name: 'other', annotations: { ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'app' } });
    const ofSix = previews({ gates: gatesWith({ ...withoutStages, fromUsers: 6 }) }).answer(question(blue));
    expect(ofSix?.restarts.filter(({ deferred }) => deferred?.gate === 'stages')).toEqual([]);
    expect(previews().answer(question(blue, settings))?.restarts).toContainEqual({
      ...{ workload: 'deployment/web', keys: ['color'] },
      deferred: { gate: 'stages', detail: detail.replace('Deployment web', 'Deployment api') },
    });
  });

  it('names twenty and counts the others', () => {
    for (let index = 0; index < 25; index++) has({ name: `web-${String(index)}` });
    const answer = previews().answer(question(blue));
    expect(answer?.restarts).toHaveLength(20);
    expect(answer?.moreRestarts).toBe(5);
  });

  it('looks at a thousand users at most, and at few more within a second, so that restarts need not wait', async () => {
    for (let n = 0; n < 1_000; n++) has({ name: `web-${String(n)}` });
    const asked = previews();
    const named = (): number | undefined => asked.answer(question(blue))?.moreRestarts;
    expect(Array.from({ length: 7 }, named)).toEqual([980, 980, 980, 980, 980, 0, 0]);
    await clock.advance(1_000);
    expect(named()).toBe(980);
    await clock.advance(1_000);
    has({ name: 'one-more' });
    expect(asked.answer(question(blue))).toEqual(nothing);
  });

  it('looks at no other source, however many the patterns of the workloads find', () => {
    for (let index = 0; index < 20; index++) {
      see({ name: `other-${index}` });
      has({ name: `web-${index}`, annotations: { 'configmap.reloader.stakater.com/reload': '.*' }, uses: [] });
    }
    const lookedAt = jest.spyOn(sources, 'get');
    expect(previews().answer(question(blue))?.restarts).toHaveLength(20);
    expect(lookedAt.mock.calls.filter(([{ name }]) => name !== 'app')).toEqual([]);
  });

  it('is nothing in a namespace that is not watched, where no kind is known', () => {
    has({ name: 'web' });
    const knownKinds = (namespace: string) => new Set<SourceKind>(namespace === 'shop' ? ['ConfigMap'] : []);
    expect(previews({ knownKinds }).answer(question(blue, { namespace: 'other' }))).toEqual(nothing);
    expect(previews({ knownKinds }).answer(question(blue))?.restarts).toHaveLength(1);
  });

  it.each<[string, Partial<PreviewsOptions>, Partial<PreviewQuestion>]>([
    ['this process does not lead', { term: () => undefined }, {}],
    ['the kind is not known', { knownKinds: () => new Set() }, {}],
    ['the digests are under another key', {}, { keyId: 'AAAAAAAA' }],
  ])('is for another replica to give where %s', (_where, options, more) => {
    has({ name: 'web' });
    expect(previews(options).answer(question(blue, more))).toBeUndefined();
  });
});

/**
 * Attacks by a user who guesses the content of a Secret. Each of these once revealed, key by key, where a guess was
 * right.
 */
describe('who has not shown to know what is stored learns nothing', () => {
  const guesses = [red, blue, { color: 'red', size: 'xl' }, { color: 'green', size: 's' }, { color: 'red' }, {}];

  it.each(guesses)('a forged UPDATE with a wrong old object learns nothing: %j', (guess) => {
    has({ name: 'web' });
    has({ name: 'sized', keys: ['size'] });
    if (guess !== red) expect(previews().answer(asking(guess, blue))).toEqual(nothing);
    expect(previews().answer(asking(guess, blue, {}, 'uid-of-before'))).toEqual(nothing);
  });

  it('a forged CREATE of a name that exists learns nothing', () => {
    has({ name: 'web' });
    has({ name: 'new', baseline: undefined });
    has({ name: 'waiting', baseline: baselineOf({ 'cm/app': '-' }) });
    expect(previews().answer(creation('app'))).toEqual(nothing);
  });

  it('a forged CREATE of a name that was deleted learns nothing of what it held', () => {
    has({ name: 'web' });
    has({ name: 'sized', baseline: baselineOf({ 'cm/app': { size: contentOf(red).key('size') } }), keys: ['size'] });
    has({ name: 'waiting', baseline: baselineOf({ 'cm/app': '-' }) });
    sources.sink('ConfigMap', undefined, () => undefined).remove('shop/app', 'uid-app', '9');
    const learnt = {
      ...nothing,
      left: [{ workload: 'deployment/waiting', because: 'it was created, and --reload-on-create is off' }],
    };
    expect(previews().answer(creation('app'))).toEqual(learnt);
    for (const guess of guesses) expect(previews().answer(asking(guess, guess))).toEqual(nothing);
  });

  it('who knows what is stored learns nothing of what was stored before', () => {
    has({ name: 'behind' }, blue);
    has({ name: 'behind-in-color', baseline: baselineOf({ 'cm/app': { color: contentOf(blue).key('color') } }) });
    const learnt = {
      ...nothing,
      restarts: ['deployment/behind', 'deployment/behind-in-color'].map((workload) => ({ workload, keys: [] })),
    };
    for (const guess of guesses) expect(previews().answer(question(guess))).toEqual(learnt);
  });

  it('of a former content that the index remembers nothing is told either', () => {
    see({ data: blue, resourceVersion: '2' });
    has({ name: 'new', baseline: undefined });
    const answers = guesses.map((guess) => previews().answer(asking(blue, guess)));
    const [, same, ...others] = answers;
    expect(same).toMatchObject({ restarts: [], left: [{ workload: 'deployment/new' }] });
    for (const answer of others) expect(answer?.restarts).toHaveLength(1);
  });

  it('of a source that is not read nothing is told, and it is not read for the question', () => {
    sources.sink('ConfigMap', undefined, () => undefined).upsert(listedRecord({ resourceVersion: '2' }), 'list');
    has({ name: 'web' });
    expect(previews().answer(question(blue))).toEqual(nothing);
    expect(sources.get(appConfig)?.content).toBe('metadata-only');
  });

  const values = fc.constantFrom('red', 'blue', 'green', '');
  const data = fc.dictionary(fc.constantFrom('color', 'size'), values);
  const keys = fc.constantFrom(undefined, ['color'], ['size'], ['color', 'size']);

  it('whatever is recorded, an answer is the same for all contents that were not shown', () => {
    fc.assert(
      fc.property(data, data, data, keys, (hidden, other, guess, used) => {
        const shown = contentOf(red);
        fc.pre(![hidden, other].some((each) => contentOf(each).whole() === shown.whole()));
        const answers = [hidden, other].map((recorded) => {
          has({ name: 'web', ...(used && { keys: used }) }, recorded);
          return previews().answer(question(guess));
        });
        expect(answers[0]).toEqual(answers[1]);
      }),
    );
  });
});
