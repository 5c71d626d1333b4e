import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys as keys } from '../../shared/domain/annotations/annotations';
import { written, type Applied } from '../../shared/domain/lint/lint.fixture';
import { everything, parseSelector } from '../../shared/domain/kubernetes/selector';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { SourceKind } from '../../shared/domain/sources/source';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { workloadQuestion } from '../../shared/domain/protocol/workload-question';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { Lints, type LintsOptions } from './lints';
import {
  at,
  policySettings,
  sourceRecord,
  trackedWorkload,
  workloadRecord,
  type WorkloadOptions,
} from '../../shared/domain/plan/records.fixture';
import { SourceIndex } from '../sources/source-index';

const settings: LintsOptions['settings'] = {
  ...{ policy: policySettings, namespaces: [], namespacesToIgnore: [], csi: false, ignoredSourceKind: undefined },
  ...{ namespaceSelector: everything, sourceSelector: everything },
};
const auto = { [keys.auto]: 'true' };

let sources: SourceIndex;
/** Workloads that the engine tracks, by key. */
let others: ReadonlyMap<string, TrackedWorkload>;

beforeEach(() => {
  const listener = { onChange: () => undefined, onInconsistency: () => undefined, onListed: () => undefined };
  sources = new SourceIndex(new FakeClock(), listener);
  see({ name: 'app' });
  see({ kind: 'Secret', name: 'db' });
  others = new Map();
});

function see(source: Parameters<typeof sourceRecord>[0]): void {
  const seen = sourceRecord(source);
  sources.sink(seen.kind, undefined, () => undefined).upsert(seen, 'list');
}

function keyed(records: readonly WorkloadRecord[]): ReadonlyMap<string, TrackedWorkload> {
  return new Map(records.map((record) => trackedWorkload(record)).map((workload) => [workload.key, workload]));
}

type Changed = Partial<Omit<LintsOptions, 'settings'>> & { readonly settings?: Partial<LintsOptions['settings']> };

/** The findings for a workload in the namespace `shop`, without its name. A provisional finding ends in `…?`. */
function said(applied: Applied, { settings: changed, ...more }: Changed = {}): readonly string[] | undefined {
  const write = written(applied);
  const lints = new Lints({
    workloads: { tracked: () => others.values(), get: (key) => others.get(key) },
    askedChecks: { urls: true, queries: false },
    ...{ annotationKeys: keys, sources, settings: { ...settings, ...changed } },
    knownKinds: () => new Set<SourceKind>(['ConfigMap', 'Secret']),
    term: () => ({ inChargeSinceMs: at(0), watchingSinceMs: at(0) }),
    scope: { isKnown: true, isSelected: () => true },
    ...more,
  });
  const answer = lints.answer(workloadQuestion(write, write.namespace, write.object));
  return answer?.findings.map(({ message, provisional }) => {
    return message.replace(/^\w+ shop\/web: annotation /, '') + (provisional ? '…?' : '');
  });
}

const lists = (names: string): Applied => ({ metadata: { [keys.configMapReload]: names } });
const listed = (name: string) => `${keys.configMapReload}="${name}"`;
const noSuch = (name: string) => `${listed(name)} matches no ConfigMap in shop now; check the name, or create it…?`;

describe('what is known of sources', () => {
  it('is what the watches show: of a name that is not there it may be known in a moment', () => {
    expect(said(lists('app'))).toEqual([]);
    expect(said(lists('app,gone'))).toEqual([noSuch('gone')]);
    see({ name: 'gone' });
    expect(said(lists('app,gone'))).toEqual([]);
  });

  it('is told of annotations as they are seen', () => {
    see({ name: 'app', ignore: true });
    expect(said(lists('app'))).toEqual([
      `${listed('app')} has no effect: that ConfigMap is annotated ${keys.ignore}; remove one of the two…?`,
    ]);
    const searching: Applied = { metadata: { [keys.search]: 'true' } };
    expect(said(searching)).toEqual([
      `${keys.search}="true" finds nothing: no source that the pod template uses is annotated to match; annotate one with ${keys.match}: "true"…?`,
    ]);
    see({ kind: 'Secret', name: 'db', match: true });
    expect(said(searching)).toEqual([]);
  });

  it('is nothing for kinds that no watch has shown yet', () => {
    expect(said(lists('gone'), { knownKinds: () => new Set<SourceKind>(['Secret']) })).toEqual([]);
  });

  it('does not say of namespaces that are not watched what is not there', () => {
    const outside = said(lists('gone'), { settings: { namespaces: ['bank'] } });
    expect(outside).toEqual([`${listed('gone')} has no effect: --namespaces does not name shop; add it there`]);
    const ignored = said(lists('gone'), { settings: { namespacesToIgnore: ['shop'] } });
    expect(ignored).toEqual([`${listed('gone')} has no effect: --namespaces-to-ignore names shop; take it out there`]);
  });
});

describe('who has not named a source learns nothing of it', () => {
  it('a lint tells nothing of other namespaces', () => {
    const before = said(lists('shared,other'));
    expect(before).toEqual([noSuch('shared'), noSuch('other')]);
    see({ name: 'shared', namespace: 'bank' });
    see({ kind: 'Secret', name: 'other', namespace: 'bank' });
    expect(said(lists('shared,other'))).toEqual(before);
  });

  it.each(['shar.*', '.*', 's[a-m]ared', '(shared)', 'shared|x', 'my.conf', 's.{5}'])(
    'a lint tells nothing of what a pattern matches: %s',
    (pattern) => {
      const before = said(lists(pattern));
      see({ name: 'shared' });
      see({ name: 'my-conf', ignore: true });
      see({ kind: 'Secret', name: 'shared', ignore: true });
      expect(said(lists(pattern))).toEqual(before);
    },
  );

  it('a lint tells no name that the workload does not say: neither a near one, nor one that matches a search', () => {
    const near = said(lists('shares'));
    const searching: Applied = { metadata: { [keys.search]: 'true' } };
    const search = said(searching);
    see({ name: 'shared', match: true });
    expect(said(lists('shares'))).toEqual(near);
    expect(said(searching)).toEqual(search);
  });
});

describe('the flags of the reconciler', () => {
  it.each<[string, Applied, Changed, readonly string[]]>([
    [
      'give annotations other names',
      { metadata: { [keys.auto]: 'true', 'example.com/restart': 'yes' } },
      { annotationKeys: { ...keys, auto: 'example.com/restart' } },
      ['example.com/restart="yes" is not a boolean and counts as "false"; write "true" or "false"'],
    ],
    [
      'leave Argo Rollouts alone',
      { kind: 'Rollout', metadata: auto },
      { settings: { policy: { ...policySettings, ignoredWorkloadKinds: ['Rollout'] } } },
      [
        `${keys.auto}="true" has no effect: --is-Argo-Rollouts=false leaves Rollouts alone; change the flag, or remove the annotation`,
      ],
    ],
    [
      'leave Secrets alone',
      { metadata: { [keys.secretReload]: 'db' } },
      { settings: { ignoredSourceKind: 'Secret' } },
      [
        `${keys.secretReload}="db" has no effect: --resources-to-ignore leaves out Secrets; change the flag, or remove the annotation`,
      ],
    ],
    [
      'leave SecretProviderClasses alone',
      { metadata: { [keys.secretProviderClassAuto]: 'true' } },
      {},
      [
        `${keys.secretProviderClassAuto}="true" has no effect: --enable-csi-integration is off; change the flag, or remove the annotation`,
      ],
    ],
    [
      'select other namespaces',
      { metadata: auto },
      { settings: { namespaceSelector: parseSelector('env=prod') }, scope: { isKnown: true, isSelected: () => false } },
      [
        `${keys.auto}="true" has no effect: --namespace-selector does not select shop; label the namespace to fit env=prod…?`,
      ],
    ],
    [
      'select namespaces that are not known yet',
      { metadata: auto },
      {
        settings: { namespaceSelector: parseSelector('env=prod') },
        scope: { isKnown: false, isSelected: () => false },
      },
      [],
    ],
    [
      'select sources',
      lists('gone'),
      { settings: { sourceSelector: parseSelector('tier=web') } },
      [
        `${listed('gone')} matches no ConfigMap in shop now that --resource-label-selector selects; check name and labels…?`,
      ],
    ],
    [
      'switch all workloads on',
      { metadata: { [keys.search]: 'true' } },
      { settings: { policy: { ...policySettings, autoReloadAll: true } } },
      [`${keys.search}="true" adds nothing: the workload restarts for every source that it uses; remove it`],
    ],
  ])('%s', (_what, applied, options, expected) => {
    expect(said(applied, options)).toEqual(expected);
  });
});

describe('the replica that answers', () => {
  it('reports kinds that are not restarted', () => {
    expect(said({ metadata: auto, as: { group: 'apps', kind: 'ReplicaSet' } })).toEqual([
      expect.stringMatching(/ has no effect: a ReplicaSet of apps is not restarted; /),
    ]);
  });

  it('is the leader', () => {
    expect(said(lists('gone'), { term: () => undefined })).toBeUndefined();
  });
});

describe('a workload that comes after others', () => {
  const after: Applied = { metadata: { [keys.auto]: 'true', 'reroll.dev/after': 'deployment/db' } };
  const circle =
    'reroll.dev/after="deployment/db" names itself, or one that in the end comes after it, and has no effect; name only those that come before…?';

  const higher =
    'reroll.dev/after="deployment/db" leads to one of a higher reroll.dev/wave, which waits for it, and has no effect; change a wave, or name only those that come before…?';
  const saying = (annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
    ...auto,
    ...annotations,
  });
  const db: WorkloadOptions = { name: 'db', annotations: saying({ 'reroll.dev/after': 'deployment/web' }) };

  it.each<[string, readonly WorkloadOptions[], readonly string[]]>([
    ['they name no other', [{ name: 'db' }], []],
    ['they name it', [db], [circle]],
    [
      'one of them names one that names it',
      [
        { name: 'db', annotations: saying({ 'reroll.dev/after': 'job/migrate' }) },
        { ...db, kind: 'Job', name: 'migrate' },
      ],
      [circle],
    ],
    ['they name each other, and not it', [{ ...db, annotations: saying({ 'reroll.dev/after': 'deployment/db' }) }], []],
    ['one of that name in another namespace names it', [{ ...db, namespace: 'bank' }], []],
    ['it owns one of them', [{ name: 'db', controlledBy: { kind: 'Deployment', name: 'web' } }], [circle]],
    ['one of them is of a higher wave', [{ name: 'db', annotations: saying({ 'reroll.dev/wave': '1' }) }], [higher]],
    ['one of them is of a lower wave', [{ name: 'db', annotations: saying({ 'reroll.dev/wave': '-1' }) }], []],
  ])('is told if %s', (_what, tracked, findings) => {
    others = keyed(tracked.map((options) => workloadRecord(options)));
    expect(said(after)).toEqual(findings);
  });
});

describe('a workload that goes first', () => {
  const first: Applied = { metadata: { [keys.auto]: 'true', 'reroll.dev/canary': 'true' } };
  const twice =
    'reroll.dev/canary="true" is not alone: another user of ConfigMap app is its canary, too, and only one of them goes first; remove it from one of them…?';

  const canary = { [keys.auto]: 'true', 'reroll.dev/canary': 'true' };
  const db = { name: 'db', annotations: canary };

  it.each<[string, readonly WorkloadOptions[], readonly string[]]>([
    ['no other does', [{ name: 'db' }], []],
    ['it is already known', [{ annotations: canary }], []],
    ['another does', [{ annotations: canary }, db], [twice]],
    ['another does that uses no source of it', [{ ...db, uses: ['cm/other'] }], []],
    [
      'another does that finds its source by a pattern',
      [{ ...db, annotations: { ...canary, ...lists('a.*').metadata }, uses: [] }],
      [twice],
    ],
    ['one in another namespace does', [{ ...db, namespace: 'bank' }], []],
  ])('is told if %s', (_what, tracked, findings) => {
    others = keyed(tracked.map((options) => workloadRecord(options)));
    expect(said(first)).toEqual(findings);
  });

  it('is compared with few others, however many are to go first and however many sources it uses', () => {
    let compared = 0;
    const records = Array.from({ length: 300 }, (_, index) => {
      const record = workloadRecord({ name: `db-${index}`, annotations: canary });
      return Object.defineProperty(record, 'references', { get: () => (compared++, []) });
    });
    others = keyed(records);
    const used = Array.from({ length: 20 }, (_, index) => ({ configMapRef: { name: `app-${index}` } }));
    expect(said({ ...first, envFrom: used })).toEqual([]);
    expect(compared).toBe(1_000);
  });
});

describe('a health check', () => {
  const url: Applied = { metadata: { [keys.auto]: 'true', 'reroll.dev/healthy-url': 'http://web/' } };
  const query: Applied = { metadata: { [keys.auto]: 'true', 'reroll.dev/healthy-query': 'up' } };

  it('is told if the install does not ask it', () => {
    expect(said(url)).toEqual([]);
    expect(said(query)).toEqual([
      'reroll.dev/healthy-query="up" has no effect: the install has no --prometheus-url; set it, or remove the annotation',
    ]);
    expect(said(url, { askedChecks: { urls: false, queries: true } })).toEqual([
      'reroll.dev/healthy-url="http://web/" has no effect: the install has no --healthy-urls; set it, or remove the annotation',
    ]);
  });
});
