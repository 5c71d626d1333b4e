import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Baseline } from '../../shared/domain/baseline/baseline';
import { inDoubt, recordedOf, type Recorded } from '../../shared/domain/baseline/recorded';
import { absent } from '../../shared/domain/sources/content-digest';
import { everything, parseSelector } from '../../shared/domain/kubernetes/selector';
import type { SourceKind } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import type { PlanInput } from '../../shared/domain/plan/plan-input';
import { plan, type Plan } from '../../shared/domain/plan/plan';
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
import { SourceIndex } from './source-index';
import type { FirstSeenTimes, TrackedWorkload } from '../../shared/domain/plan/tracked-workload';

const named = 'configmap.reloader.stakater.com/reload';
const excluded = 'configmaps.exclude.reloader.stakater.com/reload';
const red = contentOf({ color: 'red' }).whole();
const blue = contentOf({ color: 'blue' }).whole();

let clock: FakeClock;
let sources: SourceIndex;

beforeEach(() => {
  clock = new FakeClock();
  sources = new SourceIndex(clock, {
    onChange: () => undefined,
    onInconsistency: () => undefined,
    onListed: () => undefined,
  });
});

function see(...records: readonly Parameters<typeof sourceRecord>[0][]): void {
  for (const record of records) {
    const seen = sourceRecord(record);
    sources.sink(seen.kind, undefined, () => undefined).upsert(seen, 'watch');
  }
}

function remove(name: string): void {
  sources.sink('ConfigMap', undefined, () => undefined).remove(`shop/${name}`);
}

type Sources = Readonly<Record<string, Recorded>>;

function tracked(options: WorkloadOptions, recorded?: Sources, more: Partial<TrackedWorkload> = {}): TrackedWorkload {
  const baseline: Baseline | undefined = recorded && {
    sequence: 4,
    keyId: digester.keyId,
    sources: new Map(Object.entries(recorded)),
  };
  return {
    key: 'Deployment/shop/web',
    record: workloadRecord(options),
    baseline,
    baselineProblem: undefined,
    baselineLost: false,
    referencedSinceMs: sight(-600),
    ...{ unwritten: false, referencedSinceVersion: '10', shownSince: new Map(), unrecordedSince: new Map() },
    ...more,
  };
}

function sight(createdAtS: number, writtenAtS = createdAtS): FirstSeenTimes {
  return { createdAtMs: at(createdAtS), writtenAtMs: at(writtenAtS) };
}

function look(workload: TrackedWorkload, more: Partial<PlanInput> = {}, settings: object = {}): Plan {
  return plan({
    workload,
    sources,
    knownKinds: new Set<SourceKind>(['ConfigMap', 'Secret']),
    keyId: digester.keyId,
    term: { inChargeSinceMs: at(0), watchingSinceMs: at(30) },
    settings: {
      ...{ policy: policySettings, reloadOnCreate: false, reloadOnDelete: false, sourceSelector: everything },
      ...settings,
    },
    ...more,
  });
}

/** What would be recorded; undefined: nothing is written. */
function recordedBy(planned: Plan): Sources | undefined {
  return 'baseline' in planned ? Object.fromEntries(planned.baseline.sources) : undefined;
}

describe('what is done', () => {
  interface Row {
    readonly when: string;
    readonly now?: Readonly<Record<string, string>>;
    readonly recorded?: Sources;
    readonly workload?: WorkloadOptions;
    readonly more?: Partial<TrackedWorkload>;
    readonly settings?: { readonly reloadOnCreate?: boolean; readonly reloadOnDelete?: boolean };
    readonly then: Plan['action'];
    readonly because?: readonly string[];
    readonly leaves?: Sources;
  }
  const rows: readonly Row[] = [
    { when: 'nothing differs', now: { app: 'red' }, recorded: { 'cm/app': red }, then: 'none' },
    { when: 'the workload uses nothing', workload: { uses: [] }, then: 'none' },
    { when: 'seen first', now: { app: 'red' }, then: 'adopt', because: ['first-seen'], leaves: { 'cm/app': red } },
    { when: 'seen first, source missing', then: 'adopt', because: ['first-seen'], leaves: { 'cm/app': absent } },
    {
      when: 'the content changed',
      now: { app: 'blue' },
      recorded: { 'cm/app': red },
      then: 'restart',
      because: ['content-changed'],
      leaves: { 'cm/app': blue },
    },
    {
      when: 'the baseline was lost and nothing differs',
      now: { app: 'red' },
      recorded: { 'cm/app': red },
      more: { baselineLost: true },
      then: 'adopt',
      leaves: { 'cm/app': red },
    },
    {
      when: 'the baseline was lost and the content changed',
      now: { app: 'blue' },
      recorded: { 'cm/app': red },
      more: { baselineLost: true },
      then: 'restart',
      leaves: { 'cm/app': blue },
    },
    {
      when: 'it is being deleted',
      now: { app: 'blue' },
      recorded: { 'cm/app': red },
      workload: { deleting: true },
      then: 'none',
    },
    {
      when: 'created',
      now: { app: 'red' },
      recorded: { 'cm/app': absent },
      then: 'adopt',
      because: ['created-ignored'],
    },
    {
      when: 'created, with reload-on-create',
      now: { app: 'red' },
      recorded: { 'cm/app': absent },
      // The workload is older than its source, which is an hour old.
      workload: { createdAtMs: at(-7200) },
      settings: { reloadOnCreate: true },
      then: 'restart',
      because: ['created'],
      leaves: { 'cm/app': red },
    },
    {
      when: 'recorded as absent and older than the workload, with reload-on-create: its pods have started with it',
      now: { app: 'red' },
      recorded: { 'cm/app': absent },
      settings: { reloadOnCreate: true },
      then: 'adopt',
      because: ['created-ignored'],
      leaves: { 'cm/app': red },
    },
    { when: 'deleted: the record stays', recorded: { 'cm/app': red }, then: 'none', because: ['deleted-ignored'] },
    {
      when: 'deleted, with reload-on-delete',
      recorded: { 'cm/app': red },
      settings: { reloadOnDelete: true },
      then: 'restart',
      because: ['deleted'],
      leaves: { 'cm/app': absent },
    },
    {
      when: 'still gone, with reload-on-delete',
      recorded: { 'cm/app': absent },
      settings: { reloadOnDelete: true },
      then: 'none',
    },
    {
      when: 'an edit uses one source more',
      now: { app: 'red', more: 'blue' },
      recorded: { 'cm/app': red },
      workload: { uses: ['cm/app', 'cm/more'] },
      then: 'adopt',
      because: ['unchanged', 'first-seen'],
      leaves: { 'cm/app': red, 'cm/more': contentOf({ color: 'blue' }, 'ConfigMap', 'more').whole() },
    },
    {
      when: 'an edit uses one source less: its record would be compared if it came back',
      now: { app: 'red', gone: 'red' },
      recorded: { 'cm/app': red, 'cm/gone': red },
      then: 'adopt',
      leaves: { 'cm/app': red },
    },
    {
      when: 'a source is excluded: its record stays, whatever becomes of it',
      now: { app: 'blue' },
      recorded: { 'cm/app': red },
      workload: { annotations: { ...auto, [excluded]: 'app' } },
      then: 'none',
    },
    {
      when: 'a source is excluded that has no record: it gets none',
      now: { app: 'blue' },
      workload: { annotations: { ...auto, [excluded]: 'app' } },
      then: 'none',
    },
    {
      when: 'nothing of its kind is asked for, though the template uses it',
      now: { app: 'blue' },
      workload: { annotations: { 'secret.reloader.stakater.com/auto': 'true' } },
      then: 'none',
    },
    {
      when: 'a source is listed that the template does not use',
      now: { extra: 'blue' },
      recorded: { 'cm/extra': red },
      workload: { annotations: { [named]: 'extra' }, uses: [] },
      then: 'restart',
      because: ['content-changed'],
    },
  ];

  for (const { when, now = {}, recorded, workload = {}, more, settings, then, because, leaves } of rows) {
    it(`${when}: ${then}`, () => {
      for (const [name, color] of Object.entries(now)) see({ name, data: { color } });
      const planned = look(tracked(workload, recorded, more), {}, settings);
      expect(planned.action).toBe(then);
      if (because) expect(planned.verdicts.map(({ comparison }) => comparison?.because)).toEqual(because);
      if (leaves) expect(recordedBy(planned)).toEqual(leaves);
    });
  }

  it('is one restart for many sources, and names those that changed', () => {
    see({ data: { color: 'blue' } }, { name: 'same' }, { name: 'db', kind: 'Secret', data: { password: 'new' } });
    const same = contentOf({ color: 'red' }, 'ConfigMap', 'same').whole();
    const planned = look(
      tracked({ uses: ['cm/app', 'cm/same', 'secret/db'] }, { 'cm/app': red, 'cm/same': same, 'secret/db': red }),
    );
    if (planned.action !== 'restart') throw new Error(planned.action);
    expect(planned.changes.map(({ id, container }) => [id, container])).toEqual([
      ['cm/app', 'main'],
      ['secret/db', 'main'],
    ]);
    expect([...planned.baseline.sources.keys()]).toEqual(['cm/app', 'cm/same', 'secret/db']);
  });

  it('plans nothing once it is done', () => {
    see({ data: { color: 'blue' } });
    const planned = look(tracked({}, { 'cm/app': red }));
    if (planned.action !== 'restart') throw new Error(planned.action);
    expect(look(tracked({}, undefined, { baseline: planned.baseline })).action).toBe('none');
  });

  it('is to record under the key of today what is recorded under the one before, though nothing else differs', () => {
    see({});
    const ours = look(tracked({}, {}), { knownKinds: new Set() });
    const former = look(tracked({}, {}), { knownKinds: new Set(), keyId: 'nextkey1' });
    expect([ours.action, former]).toMatchObject(['none', { action: 'adopt', baseline: { keyId: 'nextkey1' } }]);
  });

  it('counts the sequence on, from 1', () => {
    see({});
    expect(look(tracked({}))).toMatchObject({ baseline: { sequence: 1, keyId: digester.keyId } });
    expect(look(tracked({}, {}))).toMatchObject({ baseline: { sequence: 5 } });
  });
});

describe('keys', () => {
  const content = contentOf({ color: 'red', size: '1' });
  const digests = (...keys: readonly string[]) => new Map(keys.map((key) => [key, content.key(key)]));

  it.each<[string, Readonly<Record<string, string>>, Plan['action']]>([
    ['in use', { color: 'blue', size: '1' }, 'restart'],
    ['not in use', { color: 'red', size: '2' }, 'none'],
  ])('%s', (_what, data, then) => {
    see({ data });
    expect(look(tracked({ keys: ['color'] }, { 'cm/app': digests('color') })).action).toBe(then);
  });

  it('that are no longer used lose their record, without a restart', () => {
    see({ data: { color: 'red', size: '2' } });
    const planned = look(tracked({ keys: ['color'] }, { 'cm/app': digests('color', 'size') }));
    expect(planned.action).toBe('adopt');
    expect(recordedBy(planned)).toEqual({ 'cm/app': digests('color') });
  });

  it('of a source that is listed but not used all count', () => {
    see({ data: { color: 'red', size: '2' } });
    const listed = { annotations: { [named]: 'app' }, uses: [] };
    expect(look(tracked(listed, { 'cm/app': content.whole() })).action).toBe('restart');
  });
});

describe('sources with annotations of their own', () => {
  it('ignored: not compared, record kept', () => {
    see({ data: { color: 'blue' }, ignore: true });
    const planned = look(tracked({}, { 'cm/app': red }));
    expect(planned).toMatchObject({
      action: 'none',
      verdicts: [{ decision: 'source-ignored', comparison: undefined }],
    });
  });

  it.each<[string, boolean, Sources | undefined]>([
    ['recorded where deletions count: it has not counted, and must not when the annotation is forgotten', true, { 'cm/app': absent }], // prettier-ignore
    ['nothing where they do not: the record stays', false, undefined],
  ])('ignored and then gone: %s', (_what, reloadOnDelete, recorded) => {
    see({ ignore: true });
    remove('app');
    expect(recordedBy(look(tracked({}, { 'cm/app': red }), {}, { reloadOnDelete }))).toEqual(recorded);
  });

  it('gone, with the annotation that made it match: what was recorded still stands', () => {
    const search = { annotations: { 'reloader.stakater.com/search': 'true' } };
    const planned = look(tracked(search, { 'cm/app': red }), {}, { reloadOnDelete: true });
    expect(planned.action).toBe('restart');
    expect(look(tracked(search), {}, { reloadOnDelete: true }).action).toBe('none');
  });
});

describe('kinds of sources that are not known', () => {
  it('conclude nothing and keep their record, also through a restart for another kind', () => {
    see({ data: { color: 'blue' } });
    const workload = tracked({ uses: ['cm/app', 'secret/db'] }, { 'cm/app': red, 'secret/db': red });
    const planned = look(workload, { knownKinds: new Set<SourceKind>(['ConfigMap']) }, { reloadOnDelete: true });
    expect(planned.verdicts.map(({ decision }) => decision)).toEqual(['auto', 'not-watched']);
    expect(recordedBy(planned)).toEqual({ 'cm/app': blue, 'secret/db': red });
  });

  it('are not recorded as missing', () => {
    see({});
    const planned = look(tracked({ uses: ['cm/app', 'secret/db'] }), {
      knownKinds: new Set<SourceKind>(['ConfigMap']),
    });
    expect(recordedBy(planned)).toEqual({ 'cm/app': red });
  });
});

describe('patterns', () => {
  const listed = { annotations: { [named]: 'app-.*' }, uses: [] };
  const digestOf = (name: string) => contentOf({ color: 'red' }, 'ConfigMap', name).whole();

  it('adopt what matches, in the own namespace and of the kind', () => {
    see({ name: 'app-1' }, { name: 'other' }, { name: 'app-2', namespace: 'bank' }, { name: 'app-3', kind: 'Secret' });
    expect(recordedBy(look(tracked(listed)))).toEqual({ 'cm/app-1': digestOf('app-1') });
  });

  it('restart for a change of what matches', () => {
    see({ name: 'app-1', data: { color: 'blue' } });
    expect(look(tracked(listed, { 'cm/app-1': digestOf('app-1') })).action).toBe('restart');
  });

  it('see a deletion by the baseline', () => {
    const workload = tracked(listed, { 'cm/app-1': digestOf('app-1') });
    expect(look(workload).action).toBe('none');
    expect(look(workload, {}, { reloadOnDelete: true }).action).toBe('restart');
  });

  it('owe a restart for some of what is gone, however much comes and goes while it may not begin', () => {
    const names = Array.from({ length: 1_000 }, (_, n) => `app-${String(n)}`);
    const recorded = Object.fromEntries(names.map((name) => [`cm/${name}`, digestOf(name)]));
    const owingOf = (before: Sources) => {
      const planned = look(tracked(listed, before), {}, { reloadOnDelete: true });
      return planned.action === 'restart' ? planned.owing : undefined;
    };
    see({ name: 'app-new' });
    const owing = owingOf(recorded);
    expect(owing?.sources.size).toBe(33);
    const next = tracked(listed, Object.fromEntries(owing?.sources ?? []));
    expect(look(next, {}, { reloadOnDelete: true })).toMatchObject({ action: 'restart', owing: undefined });
    const answered = Object.fromEntries(names.slice(0, 40).map((name) => [`cm/${name}`, absent]));
    const last = { 'cm/app-zz': digestOf('app-zz') };
    expect(Object.fromEntries(owingOf({ ...answered, ...last })?.sources ?? [])).toMatchObject(last);
  });

  it('no longer see what no longer matches', () => {
    see({ name: 'app-1' });
    const planned = look(tracked(listed, { 'cm/app-1': digestOf('app-1'), 'cm/old': red }));
    expect(recordedBy(planned)).toEqual({ 'cm/app-1': digestOf('app-1') });
  });

  it('keep at most 32 deleted sources, and all that exist, are listed or used', () => {
    const many = (prefix: string) => Array.from({ length: 40 }, (_, n) => `${prefix}${String(n).padStart(2, '0')}`);
    const present = many('app-here-');
    see(...present.map((name) => ({ name })));
    const recorded = [...present, ...many('app-gone-'), 'app-used', 'app-listed'];
    const workload = tracked(
      { annotations: { ...auto, [named]: 'app-.*,app-listed' }, uses: ['cm/app-used'] },
      Object.fromEntries(recorded.map((name) => [`cm/${name}`, digestOf(name)])),
    );
    const kept = Object.keys(recordedBy(look(workload)) ?? {});
    expect(kept.filter((id) => id.startsWith('cm/app-gone-'))).toHaveLength(32);
    expect(kept).toEqual(expect.arrayContaining([...present, 'app-used', 'app-listed'].map((name) => `cm/${name}`)));
    expect(kept).toHaveLength(74);
  });

  it('with too many deleted sources write once, not forever', () => {
    const deleted = Array.from({ length: 40 }, (_, n) => `app-${String(n)}`);
    const workload = tracked(listed, Object.fromEntries(deleted.map((name) => [`cm/${name}`, digestOf(name)])));
    const planned = look(workload);
    if (planned.action !== 'adopt') throw new Error(planned.action);
    expect(look({ ...workload, baseline: planned.baseline }).action).toBe('none');
  });
});

describe('a workload without a record of its source', () => {
  /** The source is red until 20 s after this process took charge, and blue from then on. */
  function changeAt20(): void {
    see({ createdAtMs: at(-3600) });
    see({ data: { color: 'blue' }, createdAtMs: at(-3600), writtenAtMs: at(20) });
  }

  it.each<[string, TrackedWorkload['referencedSinceMs'], Plan['action'], string]>([
    ['came before the change, while we were in charge', sight(10), 'restart', 'changed-since-birth'],
    ['came within the same second', sight(20), 'restart', 'changed-since-birth'],
    ['came after the change', sight(21), 'adopt', 'first-seen'],
    ['was there before us', sight(-1), 'adopt', 'first-seen'],
    ['came at the very moment we took charge', sight(0), 'restart', 'changed-since-birth'],
    ['was there before us and was written since, before the change', sight(-1, 10), 'restart', 'changed-since-birth'],
    ['was there before us and was written since, maybe twice', sight(-1, 30), 'restart', 'changed-since-birth'],
    ['came after the change and was written since', sight(21, 30), 'adopt', 'first-seen'],
    ['came before the change and was written after it', sight(10, 30), 'restart', 'changed-since-birth'],
    ['was seen to come to use it before us', at(-1), 'restart', 'changed-since-birth'],
    ['was seen to come to use it after the change', at(30), 'adopt', 'first-seen'],
  ])('that %s', (_when, referencedSinceMs, then, because) => {
    changeAt20();
    const planned = look(tracked({}, undefined, { referencedSinceMs }));
    expect(planned.action).toBe(then);
    expect(planned.verdicts[0]?.comparison?.because).toBe(because);
  });

  it('that was written since we are in charge is not restarted for what changed before', () => {
    see({ createdAtMs: at(-3600) });
    see({ data: { color: 'blue' }, createdAtMs: at(-3600), writtenAtMs: at(-20) });
    expect(look(tracked({}, undefined, { referencedSinceMs: sight(-600, 30) })).action).toBe('adopt');
  });

  it('that was there before us is restarted for what changes until the adoption is written', () => {
    changeAt20();
    const planned = look(tracked({}, undefined, { referencedSinceMs: sight(-1) }), {
      term: { inChargeSinceMs: at(0), watchingSinceMs: at(10) },
    });
    expect(planned.action).toBe('restart');
  });

  it('whose source came and went says so', () => {
    see({ createdAtMs: at(-3600) });
    remove('app');
    const planned = look(tracked({}, undefined, { referencedSinceMs: at(-10) }), {}, { reloadOnDelete: true });
    expect(planned.verdicts[0]?.comparison?.because).toBe('deleted');
  });

  it('knows which keys changed from the recent past', () => {
    changeAt20();
    expect(look(tracked({}, { 'cm/app': red }))).toMatchObject({
      changes: [{ comparison: { changedKeys: ['color'] } }],
    });
  });
});

describe('a record from before the workload was created', () => {
  /** The source is red until 20 s after this process took charge, and blue from then on. */
  const changeAt20 = (): void => {
    see({ createdAtMs: at(-3600) });
    see({ data: { color: 'blue' }, createdAtMs: at(-3600), writtenAtMs: at(20), resourceVersion: '2' });
  };
  const recordedRed = (sequence: number, uid?: string): Partial<TrackedWorkload> => {
    const sources = new Map([['cm/app', red]]);
    return { baseline: { sequence, keyId: digester.keyId, sources, ...(uid !== undefined && { uid }) } };
  };

  it.each<[string, WorkloadOptions, Partial<TrackedWorkload>, Plan['action']]>([
    ['by its creation, after the change', { createdAtMs: at(30) }, recordedRed(1), 'adopt'],
    ['by its creation, before the change', { createdAtMs: at(10) }, recordedRed(1), 'restart'],
    ['by a write since', { createdAtMs: at(30) }, recordedRed(1, 'uid-web'), 'restart'],
    ['by a later write of an older version', { createdAtMs: at(30) }, recordedRed(2), 'restart'],
    ['of a Job that was created anew', { createdAtMs: at(30), kind: 'Job' }, recordedRed(2), 'adopt'],
    ['of a Job, by a write since', { createdAtMs: at(30), kind: 'Job' }, recordedRed(2, 'uid-web'), 'adopt'],
    ['of a Job, before the change', { createdAtMs: at(10), kind: 'Job' }, recordedRed(2, 'uid-web'), 'restart'],
  ])('%s', (_whose, options, more, action) => {
    changeAt20();
    expect(look(tracked(options, undefined, more)).action).toBe(action);
  });

  it.each([
    ['in the second of its creation', 30],
    ['later', 35],
  ])('of a Job counts if the source returned to what it was before: %s', (_when, backS) => {
    see({ createdAtMs: at(-3600) });
    see({ data: { color: 'blue' }, createdAtMs: at(-3600), writtenAtMs: at(30), resourceVersion: '2' });
    see({ createdAtMs: at(-3600), writtenAtMs: at(backS), resourceVersion: '3' });
    const sources = new Map([['cm/app', blue]]);
    const baseline = { sequence: 2, keyId: digester.keyId, sources };
    expect(look(tracked({ createdAtMs: at(30), kind: 'Job' }, undefined, { baseline })).action).toBe('restart');
  });

  it.each(['ignore', 'match'] as const)('counts though the source had another %s annotation meanwhile', (flag) => {
    const isBefore = flag === 'match';
    see({ createdAtMs: at(-3600), [flag]: isBefore });
    see({ createdAtMs: at(-3600), [flag]: !isBefore, writtenAtMs: at(15), resourceVersion: '2' });
    const blue = { data: { color: 'blue' }, createdAtMs: at(-3600), writtenAtMs: at(20) };
    see({ ...blue, [flag]: !isBefore, resourceVersion: '3' });
    see({ ...blue, [flag]: isBefore, writtenAtMs: at(25), resourceVersion: '4' });
    const annotations = flag === 'match' ? { 'reloader.stakater.com/search': 'true' } : undefined;
    const workload = tracked({ createdAtMs: at(10), ...(annotations && { annotations }) }, undefined, recordedRed(1));
    const term = { inChargeSinceMs: at(0), watchingSinceMs: at(0) };
    expect(look(workload, { term }).action).toBe('restart');
  });
});

describe('a source of the second in which the workload was created, with reload-on-create', () => {
  const workload = () => tracked({ createdAtMs: at(10) }, undefined, { referencedSinceMs: sight(10) });
  const within = (isComparable: PlanInput['isComparable']) =>
    look(workload(), { ...(isComparable && { isComparable }) }, { reloadOnCreate: true });

  it.each([
    ['after it', '11', 'restart', 'created'],
    ['before it', '9', 'adopt', 'first-seen'],
  ])('and was created %s, by its version', (_when, resourceVersion, action, because) => {
    see({ createdAtMs: at(10), resourceVersion });
    const planned = within(() => true);
    expect(planned.action).toBe(action);
    expect(planned.verdicts.map(({ comparison }) => comparison?.because)).toEqual([because]);
  });

  it('asks first whether versions tell', () => {
    see({ createdAtMs: at(10), resourceVersion: '11' });
    expect(within(() => undefined).action).toBe('read');
    expect(look(workload(), { isComparable: () => undefined }).action).toBe('adopt');
  });
});

describe('a source that comes into the selection of --resource-label-selector', () => {
  const selecting = { sourceSelector: parseSelector('tier=web') };
  /** A source that is selected unless a label leaves it out. */
  const thawing = { sourceSelector: parseSelector('!frozen') };
  const missing = { 'cm/app': absent };

  /** A list shows a source that was written after the workload's creation. Its label was not seen being added. */
  function listed(createdAtMs: number): void {
    const source = sourceRecord({ createdAtMs, writtenAtMs: at(-60) });
    sources.sink('ConfigMap', undefined, () => undefined).upsert(source, 'list');
  }

  it('restarts nothing where it was there before the workload', () => {
    listed(at(-7200));
    const planned = look(tracked({ createdAtMs: at(-3600) }, missing), {}, selecting);
    expect(planned.verdicts.map(({ comparison }) => comparison?.because)).toEqual(['created-ignored']);
    expect(planned.action).toBe('adopt');
  });

  it.each([
    ['where it was created after the workload', at(-1800), selecting],
    ['where nothing is selected', at(-7200), {}],
  ])('is in doubt %s', (_name, createdAtMs, settings) => {
    listed(createdAtMs);
    const planned = look(tracked({ createdAtMs: at(-3600) }, missing), {}, settings);
    expect(planned.verdicts.map(({ comparison }) => comparison?.because)).toEqual(['in-doubt']);
  });

  it.each([
    ['since it was seen', -3600, 'restart', 'content-changed'],
    ['before the workload was created', -10, 'adopt', 'created-ignored'],
  ])('and was edited %s', (_when, createdAtS, action, because) => {
    listed(at(-7200));
    see({ data: { color: 'blue' }, createdAtMs: at(-7200), writtenAtMs: at(-30), resourceVersion: '2' });
    const planned = look(tracked({ createdAtMs: at(createdAtS) }, missing), {}, selecting);
    expect(planned.verdicts.map(({ comparison }) => comparison?.because)).toEqual([because]);
    expect(planned.action).toBe(action);
  });

  it('restarts with reload-on-create', () => {
    listed(at(-7200));
    const settings = { ...selecting, reloadOnCreate: true };
    expect(look(tracked({ createdAtMs: at(-3600) }, missing), {}, settings).action).toBe('restart');
  });

  it.each([
    ['nothing with it either, where it was selected before', selecting, missing, 'uid', 'adopt'],
    ['where the removal of a label may have selected it since', thawing, missing, 'uid', 'restart'],
    ['nothing if that record is of an earlier object', thawing, missing, undefined, 'adopt'],
    ['nothing if there is no record', thawing, {}, 'uid', 'adopt'],
  ])('written before the workload was created, restarts %s', (_which, selection, recorded, uid, action) => {
    listed(at(-7200));
    const { baseline, ...workload } = tracked({ createdAtMs: at(-30) }, recorded, { referencedSinceMs: sight(-30) });
    const ofObject = baseline && { ...baseline, ...(uid !== undefined && { uid }) };
    const settings = { ...selection, reloadOnCreate: true };
    expect(look({ ...workload, baseline: ofObject }, {}, settings).action).toBe(action);
  });
});

it('a workload whose baseline was made with another key restarts for what was written since this replica leads', () => {
  const source = sourceRecord({ writtenAtMs: at(-60) });
  sources.sink('ConfigMap', undefined, () => undefined).upsert(source, 'list');
  expect(look(tracked({}, undefined, { referencedSinceMs: at(-120) })).action).toBe('restart');
  expect(look(tracked({}, undefined, { referencedSinceMs: at(-30) })).action).toBe('adopt');
});

it.each([
  ['replaced, if it cannot be read', 'it was made with another digest key', 'adopt'],
  ['left, if there is none', undefined, 'none'],
])('the baseline of a workload that uses nothing is %s', (_what, baselineProblem, action) => {
  expect(look(tracked({ uses: [] }, undefined, { baselineProblem })).action).toBe(action);
});

describe('metadata-only sources', () => {
  /** The sources as a list shows them. */
  function list(...records: readonly Parameters<typeof sourceRecord>[0][]): void {
    for (const record of records) {
      const seen = listedRecord(record);
      sources.sink(seen.kind, undefined, () => undefined).upsert(seen, 'list');
    }
  }

  const missingOf = ({ verdicts }: Plan) => verdicts.filter(({ needsContent }) => needsContent).map(({ id }) => id);
  const learnPast = (color: string | undefined, past = { version: '1', until: '2' }): void =>
    sources.learnPast(appConfig, past, color === undefined ? 'unknown' : contentOf({ color }));

  it('are read before anything is decided, even if another source has changed', () => {
    list({}, { name: 'unused' });
    see({ name: 'db', kind: 'Secret', data: { password: 'new' } });
    const planned = look(tracked({ uses: ['cm/app', 'secret/db'] }, { 'cm/app': red, 'secret/db': red }));
    expect(planned.action).toBe('read');
    expect(missingOf(planned)).toEqual(['cm/app']);
    expect(planned.verdicts).toMatchObject([{ whole: undefined, comparison: undefined }, { comparison: {} }]);
  });

  it.each([
    ['is recorded', 'red', 'none'],
    ['is not', 'blue', 'restart'],
  ])('is compared once it is read: with what %s', (_what, color, then) => {
    list({});
    expect(look(tracked({}, { 'cm/app': red })).action).toBe('read');
    sources.learn(sourceRecord({ data: { color } }));
    expect(look(tracked({}, { 'cm/app': red })).action).toBe(then);
  });

  it.each<[string, Parameters<typeof listedRecord>[0], WorkloadOptions, Partial<PlanInput>, boolean]>([
    ['is excluded', {}, { annotations: { ...auto, [excluded]: 'app' } }, {}, false],
    ['is to be ignored', { ignore: true }, {}, {}, false],
    ['matches no search', {}, { annotations: { 'reloader.stakater.com/search': 'true' } }, {}, false],
    ['matches a search', { match: true }, { annotations: { 'reloader.stakater.com/search': 'true' } }, {}, true],
    [
      'is of a kind that nobody asks for',
      {},
      { annotations: { 'secret.reloader.stakater.com/auto': 'true' } },
      {},
      false,
    ],
    ['is of a kind that is not watched', {}, {}, { knownKinds: new Set() }, false],
    ['is known by its name alone', {}, {}, { knownKinds: new Set(), isNamed: () => true }, true],
    ['is used by what is being deleted', {}, { deleting: true }, {}, false],
    ['is named by a pattern', {}, { annotations: { [named]: 'ap.*' }, uses: [] }, {}, true],
  ])('of a source that %s: %#', (_what, source, workload, more, isRead) => {
    list(source);
    const planned = look(tracked(workload, { 'cm/app': red }), more);
    expect(missingOf(planned)).toEqual(isRead ? ['cm/app'] : []);
    expect(planned.action === 'read').toBe(isRead);
  });

  it('is nothing that keeps a source from being seen as gone', () => {
    list({});
    remove('app');
    expect(look(tracked({}, { 'cm/app': red }), {}, { reloadOnDelete: true }).action).toBe('restart');
  });

  describe('of the past', () => {
    beforeEach(() => {
      list({ writtenAtMs: at(-3600) });
      see({ data: { color: 'blue' }, resourceVersion: '2', writtenAtMs: at(20) });
    });

    it.each<[string, color: string | undefined, Plan['action'], string]>([
      ['is what is there now', 'blue', 'adopt', 'first-seen'],
      ['is something else', 'red', 'restart', 'changed-since-birth'],
      ['nobody knows', undefined, 'restart', 'in-doubt'],
    ])('is read for what was in force when a workload came to use it, and that %s', (_what, color, then, because) => {
      const workload = tracked({}, undefined, { referencedSinceMs: at(10) });
      expect(look(workload)).toMatchObject({ action: 'read', verdicts: [{ needsContent: true, whole: blue }] });
      learnPast(color);
      expect(look(workload)).toMatchObject({ action: then, verdicts: [{ comparison: { because } }] });
    });

    it.each<[string, color: string | undefined, readonly string[] | undefined]>([
      ['tells the keys', 'red', ['color']],
      ['tells nothing', undefined, undefined],
    ])('is read for the content that is recorded, and %s', (_what, color, changedKeys) => {
      const workload = tracked({}, { 'cm/app': red });
      expect(look(workload).action).toBe('read');
      learnPast(color);
      const planned = look(workload);
      expect(planned.action).toBe('restart');
      expect(planned.verdicts[0]?.comparison?.changedKeys).toEqual(changedKeys);
    });

    it('is read before a source is taken to be new', () => {
      const workload = tracked({ createdAtMs: at(-7200) }, undefined, { referencedSinceMs: at(10) });
      expect(look(workload, {}, { reloadOnCreate: true }).action).toBe('read');
    });

    it('is not read where what is recorded is there', () => {
      expect(look(tracked({}, { 'cm/app': blue })).action).toBe('none');
    });
  });

  it.each<[string, color: string | undefined, Plan['action'], string]>([
    ['is what is there now', 'blue', 'adopt', 'created-ignored'],
    ['is something else', 'red', 'restart', 'content-changed'],
    ['nobody knows', undefined, 'restart', 'in-doubt'],
  ])(
    'of what a source was created with, for which pods have waited, is read, and %s',
    (_what, color, then, because) => {
      list({ createdAtMs: at(5), writtenAtMs: at(5) });
      see({ data: { color: 'blue' }, resourceVersion: '2', createdAtMs: at(5), writtenAtMs: at(20) });
      const workload = tracked({ createdAtMs: at(0) }, { 'cm/app': absent }, { referencedSinceMs: at(0) });
      expect(look(workload).action).toBe('read');
      learnPast(color);
      expect(look(workload)).toMatchObject({ action: then, verdicts: [{ comparison: { because } }] });
    },
  );

  it('owes a change against more than digests if pods start meanwhile: a change back leaves them with what was in between', () => {
    const of = (sources: Sources, status: Partial<TrackedWorkload['record']> = {}, keys?: readonly string[]) => {
      const workload = tracked(keys ? { keys } : {}, sources);
      return look({ ...workload, record: { ...workload.record, ...status } });
    };
    const owingOf = (planned: Plan) =>
      planned.action === 'restart' ? Object.fromEntries(planned.owing?.sources ?? []) : undefined;
    const rolling = { rolloutStatus: 'progressing', progress: { state: 'rolling', pods: 1, pendingPods: 1 } } as const;
    see({ data: { color: 'blue' } });
    expect(owingOf(of({ 'cm/app': red }))).toEqual({});
    expect(owingOf(of({ 'cm/app': red }, rolling))).toEqual({ 'cm/app': inDoubt(red) });
    // It is recorded once, and stays when the rollout is over.
    expect(owingOf(of({ 'cm/app': inDoubt(red) }, rolling))).toEqual({});
    expect(owingOf(of({ 'cm/app': inDoubt(red) }))).toEqual({});
    const colorAlone = recordedOf(contentOf({ color: 'red' }), ['color']);
    expect(owingOf(of({ 'cm/app': inDoubt(colorAlone) }, {}, ['color']))).toEqual({});
    // A restart replaces all pods, also those that have something of a source that is gone by now.
    const gone = { 'cm/gone': inDoubt(red), 'cm/keys': inDoubt(colorAlone) };
    const restarted = look(tracked({ uses: ['cm/app', 'cm/gone', 'cm/keys'] }, { 'cm/app': red, ...gone }));
    expect(recordedBy(restarted)).toEqual({ 'cm/app': blue, 'cm/gone': red, 'cm/keys': colorAlone });
    see({ data: { color: 'red' }, resourceVersion: '3' });
    expect(of({ 'cm/app': red }, rolling).action).toBe('none');
    expect(recordedBy(of({ 'cm/app': inDoubt(red) }))).toEqual({ 'cm/app': red });
    expect(of({ 'cm/app': inDoubt(red) })).toMatchObject({
      ...{ action: 'restart', owing: undefined },
      changes: [{ comparison: { because: 'changed-back' } }],
    });
  });

  it.each([
    ['with its first content', 'red'],
    ['with a content that nobody has', undefined],
  ])(
    'owes a change of a source that is recorded as absent, %s: another process may have to make it',
    (_what, color) => {
      list({ createdAtMs: at(5), writtenAtMs: at(5) });
      see({ data: { color: 'blue' }, resourceVersion: '2', createdAtMs: at(5), writtenAtMs: at(20) });
      const recorded = (sources: Record<string, Recorded>) =>
        tracked({ createdAtMs: at(0) }, sources, { referencedSinceMs: at(0) });
      look(recorded({ 'cm/app': absent }));
      learnPast(color);
      const planned = look(recorded({ 'cm/app': absent }));
      const owing = planned.action === 'restart' ? planned.owing : undefined;
      const then = look(recorded(Object.fromEntries(owing?.sources ?? [])));
      expect(then).toMatchObject({ action: 'restart', owing: undefined });
    },
  );

  it('of what a source was created with is read also where what was in force later is known', () => {
    const born = { createdAtMs: at(5) };
    list({ ...born, writtenAtMs: at(5) });
    see({ ...born, data: { color: 'blue' }, resourceVersion: '2', writtenAtMs: at(20) });
    see({ ...born, data: { color: 'green' }, resourceVersion: '3', writtenAtMs: at(30) });
    const workload = tracked({ createdAtMs: at(0) }, { 'cm/app': absent }, { referencedSinceMs: at(40) });
    expect(look(workload).action).toBe('read');
    learnPast('green');
    expect(look(workload)).toMatchObject({
      action: 'adopt',
      verdicts: [{ comparison: { because: 'created-ignored' } }],
    });
  });
});
