import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../shared/domain/annotations';
import { digestsOf, type PreviewAnswer, type PreviewQuestion } from '../shared/domain/preview';
import { everything, parseSelector, type Selector } from '../shared/domain/selector';
import type { SourceKind } from '../shared/domain/source';
import { FakeClock } from '../shared/runtime/fake-clock';
import { Previews, type PreviewsOptions } from './previews';
import {
  at,
  auto,
  contentOf,
  digester,
  listedRecord,
  policySettings,
  sourceRecord,
  workloadRecord,
  type WorkloadOptions,
} from './records.fixture';
import { SourceIndex } from './source-index';
import { WorkloadIndex } from './workload-index';

const red = { color: 'red', size: 'l' };
const blue = { color: 'blue', size: 'l' };

let clock: FakeClock;
let sources: SourceIndex;
let workloads: WorkloadIndex;

beforeEach(() => {
  clock = new FakeClock();
  sources = new SourceIndex(clock, { onChange: () => undefined, onDoubt: () => undefined, onListed: () => undefined });
  workloads = new WorkloadIndex({
    ...{ clock, policy: policySettings, annotationKeys: defaultAnnotationKeys },
    keys: { isShared: true, isOwn: (keyId) => keyId === digester.keyId },
    selectedSinceMs: () => 0,
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

/** Under our care, with a record of what its sources hold now. */
function has(options: WorkloadOptions, data: Readonly<Record<string, string>> = red): void {
  const digest = contentOf(data).whole();
  const baseline = JSON.stringify({ v: 1, n: 3, key: digester.keyId, sources: { 'cm/app': digest } });
  const record = workloadRecord({ baseline, ...options });
  workloads.sink(record.kind, undefined, () => undefined).upsert(record, 'list');
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
    ...rest,
  });
}

function question(data: Readonly<Record<string, string>>, more: Partial<PreviewQuestion> = {}): PreviewQuestion {
  const { name = 'app' } = more;
  return {
    ...{ v: 1, keyId: digester.keyId, kind: 'ConfigMap', namespace: 'shop', name, uid: `uid-${name}` },
    ...{ labels: {}, switchedOn: [], digests: digestsOf(contentOf(data, 'ConfigMap', name)) },
    ...more,
  };
}

const nothing: PreviewAnswer = { v: 1, restarts: [], left: [], moreRestarts: 0, moreLeft: 0 };

describe('a preview', () => {
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

  it('says nothing restarts where the content is that which is recorded already', () => {
    has({ name: 'web' }, blue);
    expect(previews().answer(question(blue))).toMatchObject({ restarts: [], left: [{ workload: 'deployment/web' }] });
  });

  it('changes nothing: the same answer again, and the index as it was', () => {
    has({ name: 'web' });
    const asked = previews();
    const first = asked.answer(question(blue));
    expect(asked.answer(question(blue))).toEqual(first);
    expect(sources.get('ConfigMap', 'shop', 'app')?.content).toEqual(contentOf(red));
  });

  it('goes by the annotations and labels that the write gives', () => {
    has({ name: 'web' });
    const ignored = question(blue, { switchedOn: ['reloader.stakater.com/ignore'] });
    expect(previews().answer(ignored)).toMatchObject({ restarts: [], left: [{ workload: 'deployment/web' }] });
    const selecting = previews({ sourceSelector: parseSelector('tier=web') });
    expect(selecting.answer(question(blue))).toEqual(nothing);
    expect(selecting.answer(question(blue, { labels: { tier: 'web' } }))?.restarts).toHaveLength(1);
  });

  it('of a source that is new restarts nothing without --reload-on-create', () => {
    has({ name: 'web', uses: ['cm/new'], baseline: undefined });
    expect(previews().answer(question(blue, { name: 'new' }))).toMatchObject({ restarts: [] });
  });

  it('of a source that is not read names what restarts, without the keys, and reads nothing', () => {
    sources.sink('ConfigMap', undefined, () => undefined).upsert(listedRecord({ resourceVersion: '2' }), 'list');
    has({ name: 'web' });
    has({ name: 'up-to-date' }, blue);
    expect(previews().answer(question(blue))).toMatchObject({
      restarts: [{ workload: 'deployment/web', keys: [] }],
      left: [{ workload: 'deployment/up-to-date', because: 'what it uses of it has not changed' }],
    });
    expect(sources.get('ConfigMap', 'shop', 'app')?.content).toBe('unread');
  });

  it.each([
    ['uses one key of what is recorded whole', { keys: ['size'] }],
    ['has no record', { baseline: undefined }],
  ])('of a source that is not read is not given where a workload %s', (_which, options) => {
    sources.sink('ConfigMap', undefined, () => undefined).upsert(listedRecord({ resourceVersion: '2' }), 'list');
    has({ name: 'web', ...options });
    expect(previews().answer(question(blue))).toBeUndefined();
  });

  it('is silent on what is not looked after', () => {
    has({ name: 'web' });
    expect(previews({ scope: { isSelected: () => false } }).answer(question(blue))).toEqual(nothing);
    expect(previews().answer(question(blue, { name: 'unused' }))).toEqual(nothing);
  });

  it('names twenty and counts the others', () => {
    for (let index = 0; index < 25; index++) has({ name: `web-${String(index)}` });
    const answer = previews().answer(question(blue));
    expect(answer?.restarts).toHaveLength(20);
    expect(answer?.moreRestarts).toBe(5);
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
