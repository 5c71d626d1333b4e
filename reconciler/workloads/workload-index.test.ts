import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { formatBaseline, type Baseline } from '../../shared/domain/baseline/baseline';
import { ContentDigester } from '../../shared/domain/sources/content-digest';
import { FakeClock } from '../../shared/runtime/fake-clock';
import {
  at,
  auto,
  contentOf,
  digester,
  policySettings,
  sourceRecord,
  workloadRecord,
  type WorkloadOptions,
} from '../../shared/domain/plan/records.fixture';
import { DigestKeyring } from '../sources/digest-keyring';
import { workloadKey, type TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { WorkloadIndex } from './workload-index';

const web = 'Deployment/shop/web';
const named = 'configmap.reloader.stakater.com/reload';
const excluded = 'configmaps.exclude.reloader.stakater.com/reload';

let clock: FakeClock;
let changed: TrackedWorkload[];
let untracked: Pick<TrackedWorkload, 'key' | 'record'>[];
let removed: string[];
let goneUids: string[];
/** The workloads that left sources, and their last versions before that. */
let left: string[];
let keys: DigestKeyring;
let index: WorkloadIndex;
let leadingSinceMs: number | undefined;

beforeEach(() => {
  leadingSinceMs = undefined;
  clock = new FakeClock();
  keys = new DigestKeyring(digester, true);
  changed = [];
  untracked = [];
  removed = [];
  goneUids = [];
  left = [];
  index = indexWith();
});

function indexWith(policy = policySettings): WorkloadIndex {
  return new WorkloadIndex({
    clock,
    keys,
    policy,
    annotationKeys: defaultAnnotationKeys,
    selectedSinceMs: () => 0,
    leadingSinceMs: () => leadingSinceMs,
    onChange: (workload) => changed.push(workload),
    onUntracked: (workload) => untracked.push(workload),
    onLeft: ({ key, record }) => left.push(`${key} ${record.resourceVersion}`),
    onGone: (key, uid) => {
      removed.push(key);
      goneUids.push(uid);
    },
  });
}

function see(options: WorkloadOptions = {}, origin: 'list' | 'watch' = 'watch'): TrackedWorkload | undefined {
  const record = workloadRecord(options);
  index.sink(record.kind, undefined, () => undefined).upsert(record, origin);
  return index.get(workloadKey(record.kind, record.namespace, record.name));
}

function users(id: string, namespace = 'shop'): readonly string[] {
  const [kind, name = ''] = id.split('/');
  return index.usersOf({ kind: kind === 'cm' ? 'ConfigMap' : 'Secret', namespace, name }).map(({ key }) => key);
}

function baseline(sequence: number, color = 'red'): Baseline {
  return { sequence, keyId: digester.keyId, sources: new Map([['cm/app', contentOf({ color }).whole()]]) };
}

function textOf(sequence: number, color?: string, uid?: string): string {
  return formatBaseline({ ...baseline(sequence, color), ...(uid !== undefined && { uid }) });
}

describe('the users of a source', () => {
  const list = (value: string) => ({ annotations: { [named]: value }, uses: [] });

  it.each<[string, WorkloadOptions, Readonly<Record<string, boolean>>]>([
    ['a reference', { uses: ['cm/app', 'secret/db'] }, { 'cm/app': true, 'secret/db': true, 'secret/app': false }],
    ['a name that the template does not use', list('extra'), { 'cm/extra': true, 'secret/extra': false }],
    ['a pattern', list('app-.*'), { 'cm/app-7f': true, 'cm/app': false, 'secret/app-7f': false }],
    ['names and patterns', list('extra,app-.*'), { 'cm/extra': true, 'cm/app-7f': true, 'cm/other': false }],
  ])('is found by %s', (_by, options, expected) => {
    see(options);
    const found = Object.keys(expected).map((id) => [id, users(id).includes(web)]);
    expect(Object.fromEntries(found)).toEqual(expected);
    expect(Object.keys(expected).flatMap((id) => users(id, 'bank'))).toEqual([]);
  });

  it('names a workload once that uses a source, lists it and matches it', () => {
    see({ annotations: { ...auto, [named]: 'app,ap.*' } });
    expect(users('cm/app')).toEqual([web]);
  });

  it.each<[string, () => void]>([
    ['an edit that uses other sources', () => see({ uses: ['cm/other'] })],
    ['an edit of its annotations', () => see({ annotations: { [named]: 'other,oth.*' }, uses: [] })],
    ['an opt-out', () => see({ annotations: {} })],
    ['its removal', () => index.remove(web)],
    ['another object of that name that uses others', () => see({ uid: 'second', uses: ['cm/other'] })],
  ])('forgets a workload after %s, and tells of its last state before that', (_what, happen) => {
    const options = { annotations: { ...auto, [named]: 'listed,pat.*' }, uses: ['cm/app', 'secret/db'] };
    see(options);
    see({ ...options, resourceVersion: '11' });
    see({ name: 'neighbour' });
    const all = ['cm/app', 'secret/db', 'cm/listed', 'cm/pattern'];
    expect(all.flatMap((id) => users(id)).filter((key) => key === web)).toHaveLength(4);
    expect(left).toEqual([]);
    happen();
    expect(all.flatMap((id) => users(id))).toEqual(['Deployment/shop/neighbour']);
    expect(left).toEqual([`${web} 11`]);
  });
});

describe('what is tracked', () => {
  const cronJobOwner = { kind: 'CronJob', name: 'nightly' };
  const policy = (name: string, value: string) => ({ annotations: { ...auto, [`reroll.dev/${name}`]: value } });

  it.each<[string, WorkloadOptions, boolean]>([
    ['opted in', {}, true],
    ['not opted in', { annotations: {} }, false],
    ['opted out', { annotations: { 'reloader.stakater.com/auto': 'false' } }, false],
    ['a Job', { kind: 'Job' }, true],
    ['a Job of a CronJob', { kind: 'Job', controlledBy: cronJobOwner }, false],
    ['a Job of somebody else', { kind: 'Job', controlledBy: { kind: 'Workflow', name: 'w' } }, true],
    ['a Deployment of a CronJob', { controlledBy: cronJobOwner }, true],
    ['a Job whose policy is never', { kind: 'Job', ...policy('job-policy', 'never') }, false],
    ['a Job whose policy is next-run', { kind: 'Job', ...policy('job-policy', 'next-run') }, true],
    ["a Job with a CronJob's policy", { kind: 'Job', ...policy('cronjob-policy', 'never') }, true],
    ['a CronJob whose policy is never', { kind: 'CronJob', ...policy('cronjob-policy', 'never') }, false],
    ['a CronJob whose policy is run-now', { kind: 'CronJob', ...policy('cronjob-policy', 'run-now') }, true],
    ["a Deployment with a Job's policy", policy('job-policy', 'never'), true],
  ])('%s', (_what, options, expected) => {
    expect(see(options) !== undefined).toBe(expected);
    expect([...index.tracked()]).toHaveLength(expected ? 1 : 0);
  });

  it.each<[string, WorkloadOptions, string | undefined]>([
    ['tracked', {}, undefined],
    ['asks for nothing', { annotations: {} }, 'not-opted-in'],
    [
      'asks for nothing, whatever its policy',
      { kind: 'Job', annotations: {}, controlledBy: cronJobOwner },
      'not-opted-in',
    ],
    ['a Job of a CronJob', { kind: 'Job', controlledBy: cronJobOwner }, 'job-of-a-cronjob'],
    ['a Job whose policy is never', { kind: 'Job', ...policy('job-policy', 'never') }, 'policy-never'],
    ['a CronJob whose policy is never', { kind: 'CronJob', ...policy('cronjob-policy', 'never') }, 'policy-never'],
  ])('and why not, is told: %s', (_what, options, because) => {
    see(options);
    const key = workloadKey(options.kind ?? 'Deployment', 'shop', 'web');
    expect(index.untrackedBecause(key)).toBe(because);
    index.remove(key);
    expect(index.untrackedBecause(key)).toBeUndefined();
  });

  it('is everything with auto-reload-all, except ignored kinds', () => {
    index = indexWith({ autoReloadAll: true, ignoredWorkloadKinds: ['Job'] });
    expect(see({ annotations: {} })).toBeDefined();
    expect(see({ annotations: {}, kind: 'Job' })).toBeUndefined();
  });

  it('excludes a workload with only invalid annotations, but its problems are reported', () => {
    see({ annotations: { [named]: 'app(' } });
    expect(untracked).toMatchObject([{ key: web, record: { problems: [{ key: named, value: 'app(' }] } }]);
  });

  it('ends with an opt-out, once', () => {
    see();
    see({ annotations: {} });
    see({ annotations: {}, resourceVersion: '11' });
    expect(removed).toEqual([web]);
  });
});

describe('a list that shows another object of that name, because the watch was down when the former was deleted', () => {
  it.each<[string, WorkloadOptions, WorkloadOptions]>([
    ['that asks for restarts too', {}, {}],
    ['that asks for none any more', {}, { annotations: {} }],
    ['instead of one that asked for none', { annotations: {} }, {}],
  ])('%s tells that the former is gone, once', (_what, former, next) => {
    see({ ...former, uid: 'first' });
    see({ ...next, uid: 'second', resourceVersion: '11' }, 'list');
    see({ ...next, uid: 'second', resourceVersion: '12' });
    expect(removed).toEqual([web]);
    expect(goneUids).toEqual(['first']);
    index.sink('Deployment', undefined, () => undefined).remove('shop/web', 'first');
    expect(goneUids).toEqual(['first']);
  });
});

describe('what a relist compares with', () => {
  it.each([
    ['Deployment', undefined, ['bank/web', 'shop/untracked', 'shop/web']],
    ['Deployment', 'shop', ['shop/untracked', 'shop/web']],
    ['Deployment', 'sho', []],
    ['Job', undefined, ['shop/job']],
    ['CronJob', undefined, []],
  ] as const)('of %s in %s is all that was seen, tracked or not', (kind, namespace, keys) => {
    see();
    see({ namespace: 'bank' });
    see({ name: 'untracked', annotations: {} });
    see({ name: 'job', kind: 'Job' });
    see({ name: 'deleted' });
    see({ name: 'deleted-untracked', annotations: {} });
    for (const name of ['deleted', 'deleted-untracked']) {
      index.sink('Deployment', undefined, () => undefined).remove(`shop/${name}`);
    }
    expect([...index.sink(kind, namespace, () => undefined).keys()].toSorted()).toEqual(keys);
    expect(removed).toEqual(['Deployment/shop/deleted', 'Deployment/shop/deleted-untracked']);
  });
});

it('a workload that opts in is held once', () => {
  see({ annotations: {} });
  see();
  expect([...index.sink('Deployment', undefined, () => undefined).keys()]).toEqual(['shop/web']);
});

describe('changes', () => {
  it.each<[string, WorkloadOptions, number]>([
    ['another version', { resourceVersion: '11', writtenAtMs: at(1) }, 0],
    ['another use', { uses: ['cm/other'] }, 1],
    ['another list', { annotations: { ...auto, [named]: 'x' } }, 1],
    ['another baseline', { baseline: textOf(1) }, 1],
    ['its deletion', { deleting: true }, 1],
    ['another incarnation', { uid: 'second' }, 1],
    ['an invalid annotation', { annotations: { ...auto, 'reroll.dev/settle': 'soon' } }, 1],
  ])('are reported for %s as often as they matter', (_what, options, expected) => {
    see();
    changed.length = 0;
    see(options);
    see({ ...options, resourceVersion: '12' });
    expect(changed).toHaveLength(expected);
  });
});

describe('the newest baseline', () => {
  it.each<[string, string | undefined, RegExp | undefined]>([
    ['none', undefined, undefined],
    ['not JSON', '{"v":1', /not JSON/],
    ['of another digest key', textOf(3).replace(digester.keyId, 'otherkey'), /another digest key/],
    ['that of the object it was copied from', textOf(3, 'red', 'uid-other'), undefined],
  ])('is unknown where the object has %s', (_what, text, problem) => {
    const tracked = see({ baseline: text });
    expect(tracked).toMatchObject({ baseline: undefined, baselineLost: false });
    if (problem) expect(tracked?.baselineProblem).toMatch(problem);
    else expect(tracked?.baselineProblem).toBeUndefined();
  });

  it.each<[string, string | undefined]>([
    ['removed', undefined],
    ['spoilt', 'x'],
    ['set back to an older one', textOf(2, 'blue')],
    ['replaced by that of another object, however new', textOf(9, 'red', 'uid-other')],
    ['replaced by one of another digest key, however new', textOf(9).replace(digester.keyId, 'otherkey')],
  ])('stands in memory when it was %s', (_what, text) => {
    see({ baseline: textOf(3) });
    const tracked = see({ baseline: text, resourceVersion: '11' });
    expect(tracked).toMatchObject({ baseline: { sequence: 3 }, baselineLost: true });
    expect(see({ baseline: textOf(3), resourceVersion: '12' })).toMatchObject({ baselineLost: false });
  });

  it("is the object's if that is newer: another replica wrote it", () => {
    see({ baseline: textOf(3) });
    const tracked = see({ baseline: textOf(4, 'blue'), resourceVersion: '11' });
    expect(tracked).toMatchObject({ baseline: { sequence: 4 }, baselineLost: false });
  });

  describe('under another key', () => {
    const text = textOf(3).replace(digester.keyId, 'other-key');

    beforeEach(() => {
      leadingSinceMs = at(-60);
    });

    it.each<[string, () => TrackedWorkload | undefined, number]>([
      ['that is first seen while this replica leads, before it led', () => see({ baseline: text }), at(-59)],
      [
        'of a workload created since, before its creation',
        () => see({ baseline: text, createdAtMs: at(-20) }),
        at(-20),
      ],
      [
        'that is first seen by a standby, until now',
        () => {
          leadingSinceMs = undefined;
          return see({ baseline: text });
        },
        at(1),
      ],
      [
        'that replaces another baseline, until now',
        () => {
          see({ baseline: textOf(1) });
          return see({ baseline: text, resourceVersion: '11' });
        },
        at(1),
      ],
      [
        'of a workload that did not ask for restarts, until it did',
        () => {
          see({ baseline: text, annotations: {}, writtenAtMs: at(-40) });
          return see({ baseline: text, resourceVersion: '11', writtenAtMs: at(-10) });
        },
        at(-10),
      ],
    ])('answers changes: %s', (_which, seen, untilMs) => {
      expect(seen()).toMatchObject({ underOtherKey: true, referencedSinceMs: untilMs });
    });
  });

  it("is the object's once its key is known", () => {
    const nextKey = Buffer.alloc(32, 2);
    const text = textOf(3).replace(digester.keyId, new ContentDigester(nextKey).keyId);
    expect(see({ baseline: text })).toMatchObject({ baseline: undefined, underOtherKey: true });
    keys.add(nextKey);
    keys.promote();
    index.rereadUnderOtherKey();
    expect(index.get('Deployment/shop/web')).toMatchObject({
      baseline: { sequence: 3 },
      underOtherKey: false,
      baselineProblem: undefined,
    });
    expect(see({ baseline: textOf(4), resourceVersion: '11' })).toMatchObject({ baseline: { sequence: 4 } });
  });

  it('does not pass to another object of that name', () => {
    see({ baseline: textOf(3) });
    expect(see({ uid: 'second' })).toMatchObject({ baseline: undefined, baselineLost: false });
  });

  it('does not outlive the workload', () => {
    see({ baseline: textOf(3) });
    index.remove(web);
    expect(see()).toMatchObject({ baseline: undefined, baselineLost: false });
  });
});

describe('a status update, which changes no annotation', () => {
  const again = (text: string, resourceVersion: string) => see({ baseline: text, resourceVersion });

  it('does not read the baseline again', () => {
    const first = again(textOf(3), '11');
    expect(again(textOf(3), '12')?.baseline).toBe(first?.baseline);
    expect(again(textOf(3, 'blue'), '13')?.baseline).toEqual(baseline(3, 'blue'));
  });

  it('leaves a lost baseline lost', () => {
    again(textOf(3), '11');
    for (const version of ['12', '13']) {
      expect(again(textOf(2), version)).toMatchObject({ baseline: { sequence: 3 }, baselineLost: true });
    }
  });

  it('leaves one in memory, and yet to be written', () => {
    index.remember(again(textOf(1, 'blue'), '11')!, baseline(2));
    expect(again(textOf(1, 'blue'), '12')).toMatchObject({ baseline: { sequence: 2 }, unwritten: true });
  });

  it('shows our own write as it is stored: sorted', () => {
    const [first, second] = ['cm/app', 'cm/more'].map((id) => [id, contentOf({ color: 'red' }).whole()] as const);
    const written: Baseline = { ...baseline(2), sources: new Map([second!, first!]) };
    index.wrote(again(textOf(1), '11')!, { resourceVersion: '12' }, written);
    expect([...(again(formatBaseline(written), '12')?.baseline?.sources.keys() ?? [])]).toEqual(['cm/app', 'cm/more']);
  });
});

describe('a baseline that is kept in memory', () => {
  it.each([
    ['must be written if the object has another', textOf(1, 'blue'), true],
    ['need not be written if the object has the same, as seen while it was to be restored', textOf(1), false],
  ])('%s', (_what, text, unwritten) => {
    const tracked = see({ annotations: auto, baseline: text })!;
    index.remember(tracked, baseline(2));
    expect(index.get(tracked.key)).toMatchObject({ unwritten });
  });

  it.each([
    ['counts more than the one that was stored when it was kept', 1, 3],
    ['gives way to what another leader has stored since', 2, 2],
  ])('%s', (_what, shown, counts) => {
    index.remember(see({ annotations: auto, baseline: textOf(1, 'blue') })!, baseline(2));
    index.remember(index.get(web)!, baseline(3));
    see({ annotations: auto, resourceVersion: '11', baseline: textOf(shown, 'green') });
    expect(index.get(web)).toMatchObject({ baseline: { sequence: counts }, unwritten: counts === 3 });
  });

  it('gives way to the one on the object, if the watch shows later that it records the same', () => {
    const tracked = see({ annotations: auto })!;
    index.remember(tracked, baseline(2));
    const shown = { annotations: auto, resourceVersion: '11' };
    expect(see({ ...shown, baseline: textOf(1, 'blue') })).toMatchObject({
      baseline: { sequence: 2 },
      unwritten: true,
    });
    expect(see({ ...shown, resourceVersion: '12', baseline: textOf(1) })).toMatchObject({
      ...{ baseline: { sequence: 1 }, unwritten: false, keptOver: undefined, baselineLost: false },
    });
  });

  it('outlasts the write of ours that it takes back, if the watch shows that only later', () => {
    const tracked = see({ annotations: auto, baseline: textOf(1) })!;
    index.takeBack(tracked, baseline(3), '11');
    see({ annotations: auto, baseline: textOf(2, 'blue'), resourceVersion: '11' });
    expect(index.get(tracked.key)).toMatchObject({ baseline: baseline(3), unwritten: true, baselineLost: false });
  });

  it.each([
    ['before that', undefined],
    ['after a read has shown that', '16'],
  ])('outlasts it, too, if the watch shows an older state %s', (_when, readVersion) => {
    const tracked = see({ annotations: auto, baseline: textOf(1), resourceVersion: '10' })!;
    const takenBack = { annotations: auto, baseline: textOf(2, 'blue') };
    index.takeBack(tracked, baseline(3), '15');
    if (readVersion !== undefined) see({ ...takenBack, resourceVersion: readVersion }, 'list');
    for (const resourceVersion of ['12', '13']) see({ annotations: auto, baseline: textOf(1), resourceVersion });
    see({ ...takenBack, resourceVersion: '17' });
    expect(index.get(tracked.key)).toMatchObject({ baseline: baseline(3), unwritten: true, baselineLost: false });
  });
});

describe('a state that was read by name', () => {
  beforeEach(() => {
    see({ baseline: textOf(1), resourceVersion: '15' });
    see({ baseline: textOf(1), resourceVersion: '20', uses: ['cm/other'] }, 'list');
    changed.length = 0;
  });

  it('is not undone by older ones that the watch shows late', () => {
    see({ baseline: textOf(1), resourceVersion: '16' });
    expect(users('cm/other')).toEqual([web]);
    expect(changed).toEqual([]);
  });

  it('is not undone by them if it was read twice', () => {
    see({ baseline: textOf(1), resourceVersion: '20', uses: ['cm/other'] }, 'list');
    see({ baseline: textOf(1), resourceVersion: '16' });
    expect(users('cm/other')).toEqual([web]);
  });

  it('is followed by the next one that the watch shows', () => {
    expect(see({ baseline: textOf(1), resourceVersion: '21' })).toMatchObject({ record: { resourceVersion: '21' } });
    expect(users('cm/other')).toEqual([]);
  });

  it('is undone by an older list: etcd may be restored', () => {
    see({ baseline: textOf(1), resourceVersion: '10' }, 'list');
    see({ baseline: textOf(1), resourceVersion: '11' });
    expect(index.get(web)).toMatchObject({ record: { resourceVersion: '11' } });
  });

  it('is awaited for 30 s and no longer', async () => {
    await clock.advance(29_999);
    see({ baseline: textOf(1), resourceVersion: '16' });
    expect(index.get(web)).toMatchObject({ record: { resourceVersion: '20' } });
    await clock.advance(1);
    see({ baseline: textOf(1), resourceVersion: '17' });
    expect(index.get(web)).toMatchObject({ record: { resourceVersion: '17' } });
  });
});

describe('an opt-out that was read by name', () => {
  beforeEach(() => {
    see({ baseline: textOf(1), resourceVersion: '15' });
    see({ annotations: {}, resourceVersion: '20' }, 'list');
  });

  it('is not undone by older states that the watch shows late: the baseline that it ended does not count again', () => {
    see({ baseline: textOf(2, 'blue'), resourceVersion: '16' });
    expect(index.get(web)).toBeUndefined();
    expect(see({ baseline: textOf(1), resourceVersion: '21' })).toMatchObject({
      ...{ baseline: { sequence: 1 }, baselineLost: false },
    });
  });

  it('is not undone by them if it was read twice', () => {
    see({ annotations: {}, resourceVersion: '22' }, 'list');
    see({ baseline: textOf(2, 'blue'), resourceVersion: '16' });
    expect(index.get(web)).toBeUndefined();
  });

  it('ends its protection once the watch has shown it', () => {
    see({ annotations: {}, resourceVersion: '20' });
    see({ baseline: textOf(1), resourceVersion: '16' });
    expect(index.get(web)).toBeDefined();
  });

  it('does not hold back another workload of this name, which is later', () => {
    see({ uid: 'second', resourceVersion: '26' });
    expect(index.get(web)).toMatchObject({ record: { uid: 'second' } });
  });

  it('is awaited for 30 s and no longer', async () => {
    await clock.advance(29_999);
    see({ resourceVersion: '16' });
    expect(index.get(web)).toBeUndefined();
    await clock.advance(1);
    see({ resourceVersion: '16' });
    expect(index.get(web)).toBeDefined();
  });
});

describe('our own write', () => {
  function write(sequence = 2, resourceVersion = '20'): void {
    index.wrote(index.get(web)!, { resourceVersion }, baseline(sequence, 'blue'));
  }

  it('to a workload that was created anew stays known while the watch still shows the one before', async () => {
    see({ uid: 'second', resourceVersion: '18' }, 'list');
    write();
    [removed, changed] = [[], []];
    see({ resourceVersion: '16' });
    index.remove(workloadKey('Deployment', 'shop', 'web'), 'u');
    expect(index.get(web)).toMatchObject({ record: { uid: 'second' }, baseline: { sequence: 2 } });
    expect([removed, changed]).toEqual([[], []]);
    // A restore of etcd may have brought it back.
    await clock.advance(30_000);
    see({ resourceVersion: '16' });
    expect(index.get(web)?.record.uid).not.toBe('second');
  });

  beforeEach(() => {
    see({ baseline: textOf(1) });
    changed.length = 0;
  });

  it('counts at once', () => {
    write();
    expect(index.get(web)).toMatchObject({
      baseline: { sequence: 2 },
      baselineLost: false,
      record: { resourceVersion: '20', baselineText: textOf(2, 'blue') },
    });
  });

  it('counts with its generation, by which a later write of a pod template is told from it', () => {
    index.wrote(index.get(web)!, { resourceVersion: '20', generation: 7 }, baseline(2, 'blue'));
    expect(index.get(web)?.record.generation).toBe(7);
    index.wrote(index.get(web)!, { resourceVersion: '21' }, baseline(3, 'red'));
    expect(index.get(web)?.record.generation).toBe(7);
  });

  it('is older than what a list shows after it: a workload that has come to use other sources did so since then', () => {
    const managedFields = [{ manager: 'reroll', time: new Date(at(-40)).toISOString() }];
    index.wrote(index.get(web)!, { resourceVersion: '20', managedFields }, baseline(2, 'blue'));
    const after = { baseline: textOf(2, 'blue'), resourceVersion: '25', uses: ['secret/db'], writtenAtMs: at(-10) };
    expect(see(after, 'list')).toMatchObject({ referencedSinceMs: at(-40) });
  });

  it('is known also without its baseline, which is kept in memory: older states that arrive late do not hide the restart', () => {
    const lastRestart = { atMs: at(0), id: '0123abcd' };
    const stored = { resourceVersion: '20', lacksBaseline: true as const };
    index.wrote(index.get(web)!, stored, baseline(2, 'blue'), { lastRestart });
    see({ baseline: textOf(1), resourceVersion: '15' });
    expect(index.get(web)).toMatchObject({
      ...{ baseline: baseline(2, 'blue'), baselineLost: false, unwritten: true },
      record: { resourceVersion: '20', lastRestart, baselineText: textOf(1) },
    });
  });

  it('keeps its restart and rollout if a list that began before it shows neither, and older states that follow do not', () => {
    const lastRestart = { atMs: at(0), id: '0123abcd' };
    const progress = { state: 'rolling', pods: 3, pendingPods: 1 } as const;
    index.wrote(index.get(web)!, { resourceVersion: '20' }, baseline(2, 'blue'), { lastRestart, progress });
    see({ baseline: textOf(1), resourceVersion: '12', annotations: { ...auto, [named]: 'listed' } }, 'list');
    const ours = { baseline: baseline(2, 'blue'), record: { resourceVersion: '12', lastRestart, progress } };
    expect(index.get(web)).toMatchObject(ours);
    expect(users('cm/listed')).toEqual([web]);
    see({ baseline: textOf(1), resourceVersion: '15' });
    expect(index.get(web)).toMatchObject(ours);
    see({ baseline: textOf(2, 'blue'), resourceVersion: '20' });
    expect(index.get(web)?.record.lastRestart).toBeUndefined();
  });

  it('leaves alone what a watch has shown of it, and keeps the baseline that it lacks', () => {
    const planned = index.get(web)!;
    see({ baseline: textOf(1), resourceVersion: '20' });
    index.wrote(planned, { resourceVersion: '20', lacksBaseline: true }, baseline(2, 'blue'));
    expect(index.get(web)).toMatchObject({ baseline: baseline(2, 'blue'), baselineLost: false, unwritten: true });
  });

  it('makes an unreadable baseline readable and a lost one found', () => {
    see({ baseline: 'x', resourceVersion: '11' });
    write();
    expect(index.get(web)).toMatchObject({ baselineProblem: undefined, baselineLost: false });
  });

  it('is not undone by older states that the watch shows late', () => {
    write();
    see({ baseline: textOf(1), resourceVersion: '15' });
    see({ resourceVersion: '16' });
    expect(index.get(web)).toMatchObject({ baseline: { sequence: 2 }, record: { resourceVersion: '20' } });
    expect(changed).toEqual([]);
  });

  it('is not undone by an earlier one whose answer was lost, nor by who undid that', () => {
    write();
    see({ baseline: textOf(2, 'blue'), uses: ['cm/other'], resourceVersion: '15' });
    see({ resourceVersion: '16' });
    expect(index.get(web)).toMatchObject({ baselineLost: false, record: { resourceVersion: '20' } });
    expect(changed).toEqual([]);
  });

  it('is not undone by an opt-out from before an opt-in, which the watch shows late', () => {
    write();
    see({ annotations: {}, resourceVersion: '15' });
    expect(index.get(web)).toMatchObject({ baseline: { sequence: 2 }, record: { resourceVersion: '20' } });
    see({ annotations: {}, resourceVersion: '21' });
    expect(index.get(web)).toBeUndefined();
  });

  it('shown by the watch is no change', () => {
    write();
    see({ baseline: textOf(2, 'blue'), resourceVersion: '20' });
    expect(changed).toEqual([]);
  });

  it('shown without its baseline counts as shown: an admission webhook may have removed it', () => {
    write();
    expect(see({ resourceVersion: '20' })).toMatchObject({ baseline: { sequence: 2 }, baselineLost: true });
    expect(changed).toHaveLength(1);
  });

  it('ends its protection once shown: what follows counts again', () => {
    write();
    see({ baseline: textOf(2, 'blue'), resourceVersion: '20' });
    expect(see({ resourceVersion: '21' })).toMatchObject({ baselineLost: true, record: { resourceVersion: '21' } });
  });

  it('does not hide a newer state, though the watch skipped ours', () => {
    write();
    expect(see({ baseline: textOf(2, 'blue'), resourceVersion: '25', uses: ['cm/other'] })).toMatchObject({
      record: { resourceVersion: '25', references: [{ name: 'other' }] },
    });
  });

  it.each<[string, () => void]>([
    ['a list', () => see({ baseline: textOf(1), resourceVersion: '15' }, 'list')],
    ['a read by name', () => see({ baseline: textOf(1), resourceVersion: '15' }, 'list')],
    ['another incarnation in a list', () => see({ uid: 'second', baseline: textOf(1), resourceVersion: '15' }, 'list')],
  ])('does not hold back %s', (_what, happen) => {
    write();
    happen();
    expect(index.get(web)?.record.resourceVersion).toBe('15');
  });

  it('is awaited for 30 s and no longer', async () => {
    write();
    await clock.advance(29_999);
    see({ baseline: textOf(1), resourceVersion: '15' });
    expect(index.get(web)?.record.resourceVersion).toBe('20');
    await clock.advance(1);
    see({ baseline: textOf(1), resourceVersion: '16' });
    expect(index.get(web)).toMatchObject({
      baseline: { sequence: 2 },
      baselineLost: true,
      record: { resourceVersion: '16' },
    });
  });

  it('that the watch showed before the answer does not undo what the watch showed since', () => {
    const planned = index.get(web)!;
    see({ baseline: textOf(2, 'blue'), resourceVersion: '20' });
    see({ baseline: textOf(2, 'blue'), resourceVersion: '21', uses: ['cm/other'] });
    index.wrote(planned, { resourceVersion: '20' }, baseline(2, 'blue'));
    expect(index.get(web)?.record.resourceVersion).toBe('21');
  });

  it('to what was read by name is not undone by an older state that the watch showed before the answer', () => {
    const read = see({ baseline: textOf(1), resourceVersion: '18', uses: ['cm/other'] }, 'list')!;
    see({ baseline: textOf(1), resourceVersion: '15' });
    const lastRestart = { atMs: at(0), id: 'cafe', changeIds: ['c0ffee'] };
    index.wrote(read, { resourceVersion: '20' }, baseline(2, 'blue'), { lastRestart });
    const written = { baseline: { sequence: 2 }, baselineLost: false, record: { resourceVersion: '20', lastRestart } };
    expect(index.get(web)).toMatchObject(written);
    expect(users('cm/other')).toEqual([web]);
    see({ baseline: textOf(1), resourceVersion: '16' });
    expect(index.get(web)).toMatchObject(written);
  });

  it.each<[string, string | undefined]>([
    ['took it away', undefined],
    ['put an older one in its place', textOf(1)],
  ])('is known to be lost if a list shows, before the answer, that somebody %s', (_what, text) => {
    const planned = index.get(web)!;
    see({ baseline: text, resourceVersion: '21' }, 'list');
    changed.length = 0;
    index.wrote(planned, { resourceVersion: '20' }, baseline(2, 'blue'));
    const lost = { baseline: { sequence: 2 }, baselineLost: true, record: { resourceVersion: '21' } };
    expect(index.get(web)).toMatchObject(lost);
    expect(changed).toMatchObject([lost]);
    // The next event is newer than the list.
    expect(see({ resourceVersion: '22' })).toMatchObject({ record: { resourceVersion: '22' } });
  });

  it.each<[string, () => void]>([
    ['is deleted', () => index.remove(web)],
    ['was replaced', () => see({ uid: 'second' })],
  ])('to a workload that %s is not taken note of', (_what, happen) => {
    const planned = index.get(web)!;
    happen();
    index.wrote(planned, { resourceVersion: '20' }, baseline(2));
    expect(index.get(web)?.baseline).toBeUndefined();
  });
});

describe('since when a workload uses what it uses', () => {
  const created = at(-600);
  const written = at(-60);
  const firstSight = { createdAtMs: created, writtenAtMs: written };

  it.each<[string, readonly WorkloadOptions[], TrackedWorkload['referencedSinceMs']]>([
    ['seen first: its own timestamps', [{}], firstSight],
    ['seen before as not opted in: the write that opted in', [{ annotations: {}, writtenAtMs: at(-90) }, {}], written],
    ['not opted in before, but another by that name', [{ annotations: {}, uid: 'first' }, {}], firstSight],
    ['edited to use others: that write', [{ uses: ['cm/old'], writtenAtMs: at(-90) }, {}], written],
    ['written again: as before', [{}, { writtenAtMs: at(-30) }], firstSight],
    ['replaced by another: as at first sight', [{ uid: 'first', uses: ['cm/old'] }, {}], firstSight],
    ['opted out and in again: the write that opted in', [{}, { annotations: {}, writtenAtMs: at(-90) }, {}], written],
  ])('%s', (_when, seen, expected) => {
    for (const options of seen) see({ createdAtMs: created, writtenAtMs: written, ...options });
    expect(index.get(web)?.referencedSinceMs).toEqual(expected);
  });

  it.each<[string, WorkloadOptions]>([
    ['opted in', { annotations: {} }],
    ['edited to use others', { uses: ['cm/old'] }],
  ])('%s, as a list shows: any time since it was seen before, for another write may hide that one', (_when, before) => {
    see({ createdAtMs: created, writtenAtMs: at(-90), ...before });
    see({ createdAtMs: created, writtenAtMs: written }, 'list');
    expect(index.get(web)?.referencedSinceMs).toEqual(at(-90));
  });

  const silent = { annotations: {} };
  const off = { annotations: { 'reloader.stakater.com/auto': 'false' } };

  it.each<[string, readonly [WorkloadOptions, WorkloadOptions], origin: 'list' | 'watch', number]>([
    ['an opt-out that is removed: when that is seen', [off, silent], 'watch', at(60)],
    ['the same, as a list shows', [off, silent], 'list', at(60)],
    ['an opt-in within the second of the write before', [off, {}], 'watch', written],
    ['a use of other sources within that second', [{ uses: ['cm/old'] }, {}], 'watch', written],
    ['an exclusion that is removed', [{ annotations: { ...auto, [excluded]: 'app' } }, {}], 'watch', at(60)],
  ])('%s', async (_when, [before, after], origin, expected) => {
    index = indexWith({ ...policySettings, autoReloadAll: true });
    see({ createdAtMs: created, writtenAtMs: written, baseline: textOf(1), ...before });
    await clock.advance(60_500);
    see({ createdAtMs: created, writtenAtMs: written, baseline: textOf(1), ...after }, origin);
    expect(index.get(web)?.referencedSinceMs).toEqual(expected);
  });

  it('is its creation where no time of a write is kept', () => {
    see({ createdAtMs: created });
    expect(index.get(web)?.referencedSinceMs).toEqual({ createdAtMs: created, writtenAtMs: created });
    see({ createdAtMs: created, uses: ['cm/other'] });
    expect(index.get(web)?.referencedSinceMs).toBe(created);
  });

  it.each<[string, string | undefined, boolean]>([
    ['the one that is there', 'uid-web', false],
    ['whatever is there', undefined, false],
    ['an earlier one, reported late', 'first', true],
  ])('the end of %s', (_which, uid, stays) => {
    see({ uid: 'uid-web' });
    index.sink('Deployment', undefined, () => undefined).remove('shop/web', uid);
    expect(index.get(web) !== undefined).toBe(stays);
  });

  describe('the version that shows it, and the sources shown since', () => {
    const since = () => [index.get(web)?.referencedSinceVersion, [...(index.get(web)?.shownSince ?? [])]];

    it('stay as long as it uses the same, and cover only sources that are not younger', () => {
      see({ annotations: {}, createdAtMs: created, writtenAtMs: at(-90) });
      see({ createdAtMs: created, writtenAtMs: written, resourceVersion: '10' });
      expect(index.get(web)?.referencedSinceMs).toBe(written);
      index.sourceShown(web, sourceRecord({ createdAtMs: written, resourceVersion: '11' }));
      index.sourceShown(web, sourceRecord({ name: 'late', createdAtMs: written + 1_000 }));
      see({ createdAtMs: created, writtenAtMs: written, resourceVersion: '12' });
      expect(since()).toEqual(['10', [['cm/app', '11']]]);
    });

    it('cover only sources of its creation if it is not known since when the workload has used them', () => {
      see({ createdAtMs: created, resourceVersion: '10' });
      index.sourceShown(web, sourceRecord({ createdAtMs: created, resourceVersion: '11' }));
      index.sourceShown(web, sourceRecord({ name: 'late', createdAtMs: created + 1_000 }));
      expect(since()).toEqual(['10', [['cm/app', '11']]]);
    });

    it('start over when it begins to use others', () => {
      see({ createdAtMs: created, writtenAtMs: at(-90), uses: ['cm/old'], resourceVersion: '10' });
      index.sourceShown(web, sourceRecord({ createdAtMs: created }));
      see({ createdAtMs: created, writtenAtMs: written, resourceVersion: '12' });
      expect(since()).toEqual(['12', []]);
    });

    it('do not exist for an unknown workload', () => {
      index.sourceShown(web, sourceRecord({ createdAtMs: created }));
      expect(since()).toEqual([undefined, []]);
    });
  });

  it('does not remember removed workloads that were not opted in', () => {
    see({ annotations: {}, createdAtMs: created });
    index.remove(web);
    see({ createdAtMs: created, writtenAtMs: written });
    expect(index.get(web)?.referencedSinceMs).toEqual(firstSight);
  });
});

describe('a restore of etcd', () => {
  it('makes an older baseline count, and keeps those that exist only in memory', () => {
    see({ annotations: { ...auto, 'reroll.dev/baseline': textOf(5, 'blue') } });
    index.remember(see({ name: 'api', annotations: auto })!, baseline(3));
    index.forgetSeen();
    expect(removed).toEqual([web]);
    const restored = see({ annotations: { ...auto, 'reroll.dev/baseline': textOf(2) } }, 'list');
    expect(restored).toMatchObject({ baseline: { sequence: 2 }, baselineLost: false });
    const { sources } = baseline(3);
    expect(see({ name: 'api', annotations: auto }, 'list')).toMatchObject({ baseline: { sources }, keptOver: -1 });
  });

  it('makes a baseline that is stored count, where a later one exists only in memory', () => {
    index.remember(see({ annotations: { ...auto, 'reroll.dev/baseline': textOf(2) } })!, baseline(3, 'blue'));
    index.forgetSeen();
    const restored = see({ annotations: { ...auto, 'reroll.dev/baseline': textOf(1) } }, 'list');
    expect(restored).toMatchObject({ baseline: { sequence: 1 }, baselineLost: false, keptOver: undefined });
  });

  it('shows in a list that is older than what a watch has shown of the same object', () => {
    see({ resourceVersion: '10' });
    const isShownBy = (resourceVersion: string, uid?: string): boolean =>
      index.hasShownLater(workloadRecord({ resourceVersion, ...(uid !== undefined && { uid }) }));
    expect(['9', '10', '11'].map((version) => isShownBy(version))).toEqual([true, false, false]);
    expect([isShownBy('9', 'another'), index.hasShownLater(workloadRecord({ name: 'unseen' }))]).toEqual([
      false,
      false,
    ]);
  });

  it('does not show in a list that is older than what Reroll wrote itself, and the watch has yet to show', () => {
    index.wrote(see({ resourceVersion: '10' })!, { resourceVersion: '12' }, baseline(1));
    expect(index.hasShownLater(workloadRecord({ resourceVersion: '11' }))).toBe(false);
  });

  it('does not show in a list that is older than what was read before a list has shown the workload', () => {
    index.readFirst(see({ resourceVersion: '10' }, 'list')!.record);
    expect(index.hasShownLater(workloadRecord({ resourceVersion: '9' }))).toBe(false);
    see({ resourceVersion: '11' });
    expect(index.hasShownLater(workloadRecord({ resourceVersion: '10' }))).toBe(true);
  });

  it('shows in a list that is older than a watch has shown since a workload was read', () => {
    see({ resourceVersion: '11' });
    index.readFirst(workloadRecord({ resourceVersion: '10' }));
    expect(index.hasShownLater(workloadRecord({ resourceVersion: '10' }))).toBe(true);
  });

  it('shows once in workloads whose baseline is kept in memory', () => {
    index.remember(see({ resourceVersion: '10' })!, baseline(3));
    const older = workloadRecord({ resourceVersion: '9' });
    expect(index.hasShownLater(older)).toBe(true);
    index.forgetSeen();
    expect(index.hasShownLater(older)).toBe(false);
    expect(see({ resourceVersion: '9' })?.record.resourceVersion).toBe('9');
  });

  it('forgets workloads that did not ask for restarts, because that may be undone', () => {
    const first = see({ annotations: auto })?.referencedSinceMs;
    see({ annotations: {}, writtenAtMs: at(20) });
    index.forgetSeen();
    expect(see({ annotations: auto }, 'list')?.referencedSinceMs).toEqual(first);
  });
});
