import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys as keys } from '../../shared/domain/annotations/annotations';
import { at, auto, policySettings, workloadObject } from '../../shared/domain/plan/records.fixture';
import { optedIn, type PolicySettings } from '../../shared/domain/policy/policy';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import { WorkloadRefs } from './workload-refs';

type Annotations = Readonly<Record<string, string>>;

const inPlace = { ...auto, [keys.rolloutStrategy]: 'restart' };
const web = 'Deployment/shop/web';
const webRo = 'Rollout/shop/web-ro';

let settings: PolicySettings;
/** The last record of each workload that the index received. */
let held: Map<string, WorkloadRecord>;
/** How it was shown. */
let origins: Map<string, 'list' | 'watch'>;
let seenAnew: string[];
/** Deployments that were to be read again. */
let references: string[];
const index = { remove: () => undefined, keys: () => [], synced: () => undefined };
const keep = (record: WorkloadRecord, origin: 'list' | 'watch'): void => {
  const key = `${record.kind}/${record.namespace}/${record.name}`;
  held.set(key, record);
  origins.set(key, origin);
};
const inner: ReflectorSink<WorkloadRecord> = { ...index, upsert: keep };
let refs: WorkloadRefs;

beforeEach(() => {
  held = new Map();
  origins = new Map();
  seenAnew = [];
  references = [];
  use(policySettings);
});

function use(policy: PolicySettings): void {
  settings = policy;
  refs = new WorkloadRefs({
    ...{ annotationKeys: keys, policy },
    workloads: { sink: () => inner, seeAnew: (key) => void seenAnew.push(key) },
    onReference: (deployment) => void references.push(deployment),
  });
}

type Options = NonNullable<Parameters<typeof workloadObject>[0]>;

/** Shows Deployment `web`, which uses ConfigMap `app` and by default asks for nothing. */
function seeDeployment(options: Options = {}, origin: 'list' | 'watch' = 'watch'): WorkloadRecord {
  const object = workloadObject({ annotations: {}, ...options });
  refs.sink('Deployment', undefined, () => undefined).upsert(refs.read('Deployment', object), origin);
  return held.get(web)!;
}

/** Shows Rollout `web-ro`, which by default asks for restarts and takes the template of Deployment `web`. */
function seeRollout(options: Options = {}, ref: object | null = { kind: 'Deployment', name: 'web' }): WorkloadRecord {
  const { name = 'web-ro', namespace = 'shop' } = options;
  const object = { ...workloadObject({ kind: 'Rollout', name, ...options }), spec: { workloadRef: ref } };
  refs.sink('Rollout', undefined, () => undefined).upsert(refs.read('Rollout', object), 'watch');
  return held.get(`Rollout/${namespace}/${name}`)!;
}

function remove(kind: 'Deployment' | 'Rollout', uid?: string): void {
  refs.sink(kind, undefined, () => undefined).remove(kind === 'Deployment' ? 'shop/web' : 'shop/web-ro', uid);
}

/** The workloads that a change of ConfigMap `app` restarts. */
function restarted(): readonly string[] {
  const uses = ({ references }: WorkloadRecord) => references.some(({ name }) => name === 'app');
  return [...held].filter(([, record]) => optedIn(record.policy, settings) && uses(record)).map(([key]) => key);
}

describe('of a Rollout and the Deployment whose template it takes, restarted is', () => {
  const off = { [keys.auto]: 'false' };
  const everything = { autoReloadAll: true, ignoredWorkloadKinds: [] };

  it.each<[string, Annotations, Annotations, PolicySettings, readonly string[]]>([
    ['none, where neither asks', {}, {}, policySettings, []],
    ['the Deployment, where it alone asks', {}, auto, policySettings, [web]],
    ['the Deployment, for Argo takes its template', auto, {}, policySettings, [web]],
    ['the Deployment, though both ask', auto, auto, policySettings, [web]],
    ['the Rollout, in place', inPlace, {}, policySettings, [webRo]],
    ['the Deployment, whose new template rolls it too', inPlace, auto, policySettings, [web]],
    ['the Deployment, where all are asked for', {}, {}, everything, [web]],
    ['the Rollout, in place, where all are asked for', { [keys.rolloutStrategy]: 'restart' }, {}, everything, [webRo]],
    ['none, where all are asked for but the Deployment has opted out', {}, off, everything, []],
    ['the Deployment, where all are asked for but the Rollout has opted out', off, {}, everything, [web]],
  ])('%s', (_which, onRollout, onDeployment, policy, expected) => {
    for (const isRolloutFirst of [true, false]) {
      use(policy);
      held.clear();
      const seen = [
        () => seeRollout({ annotations: onRollout }),
        // A Deployment that is seen before the Rollout refers to it is read again afterwards.
        () => seeDeployment({ annotations: onDeployment }),
      ];
      for (const see of isRolloutFirst ? seen : [seen[1]!, ...seen]) see();
      expect(restarted()).toEqual(expected);
    }
  });

  it('none of the two for a template that nobody has seen', () => {
    seeRollout({ annotations: { ...inPlace, [keys.configMapReload]: 'app' } });
    expect(held.get(webRo)).toMatchObject({ policy: { ConfigMap: { leftOut: true } }, references: [] });
  });

  it('each by itself, where they are of two namespaces', () => {
    seeRollout({ namespace: 'bank', annotations: auto });
    expect(seeDeployment().references).toEqual([]);
    expect(references).toEqual(['bank/web']);
  });
});

describe('a Deployment whose template is taken', () => {
  it('tells what it uses as long as that lasts, whether it asks for anything or not; no other kind does', () => {
    const uses = () => refs.read('Deployment', workloadObject({ annotations: {} })).references.length;
    expect(uses()).toBe(0);
    for (const name of ['web-ro', 'second']) seeRollout({ name });
    expect(uses()).toBe(1);
    expect(refs.read('StatefulSet', workloadObject({ kind: 'StatefulSet', annotations: {} })).references).toEqual([]);
    expect(refs.sink('StatefulSet', undefined, () => undefined)).toBe(inner);
    remove('Rollout');
    expect(uses()).toBe(1);
    seeRollout({ name: 'second' }, null);
    expect(uses()).toBe(0);
  });

  it('is known as it was last seen, as long as it is taken', () => {
    seeRollout({ annotations: inPlace });
    expect(refs.referenced('shop/web')).toBeUndefined();
    seeDeployment({ resourceVersion: '9' });
    seeDeployment({ resourceVersion: '10' });
    expect(refs.referenced('shop/web')?.resourceVersion).toBe('10');
    remove('Rollout');
    expect(refs.referenced('shop/web')).toBeUndefined();
  });

  it('does not tell by its status which pods run: they are those of the Rollout', () => {
    const object = workloadObject();
    const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1 };
    const rolled = { ...object, metadata: { ...object.metadata, generation: 1 }, status };
    const statusNow = () => refs.joined(refs.read('Deployment', rolled)).rolloutStatus;
    expect(statusNow()).toBe('complete');
    seeRollout({ annotations: {} });
    expect(statusNow()).toBe('unknown');
  });

  it('takes the settings of the Rollout, and keeps of its own what that does not say', () => {
    seeRollout({ annotations: { ...auto, 'reroll.dev/settle': '5s' } });
    const own = { 'reroll.dev/settle': '1s', 'reroll.dev/strategy': 'annotations' };
    expect(seeDeployment({ annotations: own }).settings).toEqual({ settleMs: 5_000, strategy: 'annotations' });
  });

  it('takes of when it may restart what the Rollout says, and keeps of its own what that does not say', () => {
    seeRollout({ annotations: { ...auto, 'reroll.dev/hold': 'false', 'reroll.dev/wave': '2' } });
    const own = { 'reroll.dev/hold': 'true', 'reroll.dev/restart': 'next-rollout' };
    expect(seeDeployment({ annotations: own }).gates).toEqual({ hold: 'off', mode: 'next-rollout', wave: 2 });
    seeRollout();
    expect(seeDeployment().gates).toBeUndefined();
  });

  it.each<[string, Annotations]>([
    ['names one', { [keys.configMapReload]: 'extra' }],
    ['excludes one', { [keys.configMapExclude]: 'app' }],
    ['searches', { [keys.search]: 'true' }],
    ['switches them off', { [keys.configMapAuto]: 'false' }],
    ['is narrowed to others', { [keys.kind]: 'secret' }],
  ])('takes what the Rollout says of ConfigMaps, where it %s', (_what, annotations) => {
    seeRollout({ annotations: { ...annotations, [keys.secretReload]: 'db' } });
    const said = { ...auto, [keys.configMapReload]: 'other', [keys.secretReload]: 'other' };
    const { ConfigMap, Secret } = seeDeployment({ annotations: said }).policy;
    const asSaid = refs.read('Rollout', workloadObject({ kind: 'Rollout', annotations })).policy.ConfigMap;
    expect(JSON.stringify(ConfigMap)).toBe(JSON.stringify(asSaid));
    expect([Secret.named.matches('db'), Secret.named.matches('other')]).toEqual([true, false]);
  });

  it('keeps what it says itself of a kind that the Rollout is silent of', () => {
    seeRollout({ annotations: { [keys.secretReload]: 'db' } });
    const { policy } = seeDeployment({ annotations: { [keys.configMapReload]: 'other' } });
    expect(policy.ConfigMap.named.matches('other')).toBe(true);
  });

  it('is not held paused, for Argo takes its template all the same; a pause of ours is ended', () => {
    seeRollout();
    const paused = { [keys.pausePeriod]: '5m', [keys.pausedAt]: '2026-01-01T00:00:00Z' };
    expect(seeDeployment({ annotations: paused }).pause).toMatchObject({ periodMs: undefined, since: at(0) });
  });

  const silent = { annotations: {} };
  const asking = { writtenAtMs: at(5) };
  const isHeld = { annotations: { ...auto, 'reroll.dev/hold': 'true' }, writtenAtMs: at(9) };

  it.each<[string, readonly Options[], askedAtMs: number | undefined]>([
    ['not known where it asked when it was seen first', [asking], undefined],
    ['that of the write that asked', [silent, asking], at(5)],
    ['kept as long as it asks the same', [silent, asking, { writtenAtMs: at(9), resourceVersion: '12' }], at(5)],
    ['kept though it may restart at another time', [silent, asking, isHeld], at(5)],
    ['not known of another by that name', [silent, { ...asking, uid: 'second' }], undefined],
  ])('since when a Rollout asks is %s', (_when, rollouts, askedAtMs) => {
    for (const rollout of rollouts) seeRollout(rollout);
    const { askedAtMs: asked, writtenAtMs } = seeDeployment({ writtenAtMs: at(-60) });
    expect([asked, writtenAtMs]).toEqual([askedAtMs, askedAtMs ?? at(-60)]);
  });

  it.each([
    ['Rollout', at(-100), at(-20)],
    ['Deployment', at(-20), at(-100)],
  ])('has pods no older than the younger of the two: the %s', (_which, deploymentMs, rolloutMs) => {
    seeRollout({ createdAtMs: rolloutMs });
    const times = { createdAtMs: at(-20), writtenAtMs: at(-20) };
    expect(seeDeployment({ createdAtMs: deploymentMs })).toMatchObject(times);
  });

  it.each<[string, Annotations, Annotations, number]>([
    ['the first by name', auto, auto, 1_000],
    ['one that asks for a new template', inPlace, auto, 2_000],
    ['one that asks for anything', {}, inPlace, 2_000],
  ])('listens, of two Rollouts, to %s', (_which, onFirst, onSecond, settleMs) => {
    seeRollout({ name: 'b', annotations: { ...onSecond, 'reroll.dev/settle': '2s' } });
    seeRollout({ name: 'a', annotations: { ...onFirst, 'reroll.dev/settle': '1s' } });
    seeDeployment({ annotations: auto });
    expect(held.get(web)?.settings.settleMs).toBe(settleMs);
  });
});

describe('a Rollout that is restarted in place', () => {
  it.each([
    ['the Rollout', { createdAtMs: at(-50), writtenAtMs: at(-40) }, {}, [at(-50), at(-40)]],
    ['the Deployment', {}, { createdAtMs: at(-50), writtenAtMs: at(-40) }, [at(-50), at(-40)]],
    ['the Deployment, of whose writes no time is kept', {}, { createdAtMs: at(-50) }, [at(-50), at(-50)]],
  ])('is as old as the younger: %s', (_which, ofRollout, ofDeployment, expected) => {
    seeRollout({ annotations: inPlace, ...ofRollout });
    seeDeployment(ofDeployment);
    const { createdAtMs, writtenAtMs, firstContainer } = held.get(webRo)!;
    expect([createdAtMs, writtenAtMs, firstContainer]).toEqual([...expected, 'main']);
  });

  it('takes what the Deployment forbids, where it is silent itself', () => {
    seeRollout({ annotations: { [keys.secretReload]: 'db', [keys.rolloutStrategy]: 'restart' } });
    seeDeployment({ annotations: { [keys.configMapExclude]: 'app' } });
    expect([...held.get(webRo)!.policy.ConfigMap.excluded]).toEqual(['app']);
  });

  it('takes of when it may restart what the Deployment says, where it is silent itself', () => {
    seeRollout({ annotations: { ...inPlace, 'reroll.dev/hold': 'false' } });
    seeDeployment({ annotations: { 'reroll.dev/hold': 'true', 'reroll.dev/wave': '2' } });
    expect(held.get(webRo)!.gates).toEqual({ hold: 'off', wave: 2 });
  });

  it.each<['list' | 'watch', true | undefined]>([
    ['list', true],
    ['watch', undefined],
  ])(
    'is not listed itself by a %s of Deployments, which tells whether each of their writes was shown',
    (origin, told) => {
      seeRollout({ annotations: inPlace });
      seeDeployment({ uses: ['cm/other'] }, origin);
      expect([origins.get(web), origins.get(webRo), held.get(webRo)!.isTemplateListed]).toEqual([
        origin,
        'watch',
        told,
      ]);
      expect(seeRollout({ annotations: inPlace }).isTemplateListed).toBeUndefined();
    },
  );

  it('uses what the Deployment uses now, and nothing when that is gone', () => {
    seeRollout({ annotations: inPlace });
    seeDeployment();
    seeDeployment({ uses: ['cm/other'] });
    expect(held.get(webRo)!.references).toMatchObject([{ name: 'other' }]);
    remove('Deployment', 'a former one');
    expect(held.get(webRo)!.references).toHaveLength(1);
    remove('Deployment', 'uid-web');
    expect(held.get(webRo)!.references).toEqual([]);
  });
});

describe('a template of what is not watched', () => {
  const ofSet = { kind: 'ReplicaSet', name: 'web' };

  it('is a problem for who would have it changed, and restarts nothing', () => {
    const { problems, policy, references: used } = seeRollout({}, ofSet);
    expect(problems).toMatchObject([{ code: 'overridden', key: keys.rolloutStrategy, value: 'rollout' }]);
    expect(problems[0]!.message).toMatch(/comes from ReplicaSet web,/);
    expect([policy.ConfigMap.leftOut, used, references]).toEqual([true, [], []]);
  });

  it('is none for who asks for nothing, is restarted in place, or has one of its own', () => {
    expect(seeRollout({ annotations: {} }, ofSet).problems).toEqual([]);
    const followed = { problems: [], policy: { ConfigMap: { auto: 'auto', leftOut: false } } };
    for (const ref of [ofSet, null]) expect(seeRollout({ annotations: inPlace }, ref)).toMatchObject(followed);
  });
});

describe('a workloadRef', () => {
  const told = () => [references.splice(0), seenAnew.splice(0)];

  const ofWeb = { kind: 'Deployment', name: 'web' };
  const ofOther = { kind: 'Deployment', name: 'other' };

  it.each<[string, Options, object | null, read: readonly string[], anew: readonly string[]]>([
    ['the same again', { resourceVersion: '11' }, ofWeb, [], []],
    ['a Rollout that asks otherwise', { annotations: {} }, ofWeb, ['shop/web'], []],
    ['another strategy', { annotations: inPlace }, ofWeb, ['shop/web'], []],
    ['another setting', { annotations: { ...auto, 'reroll.dev/settle': '5s' } }, ofWeb, ['shop/web'], []],
    ['another hold', { annotations: { ...auto, 'reroll.dev/hold': 'true' } }, ofWeb, ['shop/web'], []],
    ['another by that name', { uid: 'second' }, ofWeb, ['shop/web'], [web]],
    ['another Deployment', {}, ofOther, ['shop/web', 'shop/other'], ['Deployment/shop/other']],
    ['a template of its own', {}, null, ['shop/web'], []],
    ['a template of another kind', {}, { kind: 'ReplicaSet', name: 'web' }, ['shop/web'], []],
  ])('that began is told of, and what it comes to: %s', (_what, options, ref, read, anew) => {
    seeRollout();
    expect(told()).toEqual([['shop/web'], [web]]);
    seeRollout(options, ref);
    expect(told()).toEqual([read, anew]);
  });

  it('is only of the Deployment that it names', () => {
    const isReferenced = (kind: 'Deployment' | 'StatefulSet', name: string): boolean =>
      refs.isReferenced({ kind, namespace: 'shop', name });
    seeRollout();
    expect([isReferenced('Deployment', 'web'), isReferenced('Deployment', 'other')]).toEqual([true, false]);
    expect(isReferenced('StatefulSet', 'web')).toBe(false);
  });

  it('ends with its Rollout, once, and not with a former one of that name', () => {
    seeRollout();
    told();
    remove('Rollout', 'former');
    expect(told()).toEqual([[], []]);
    remove('Rollout', 'uid-web-ro');
    remove('Rollout');
    expect(told()).toEqual([['shop/web'], []]);
  });

  it('begins with nothing known, though the Deployment was known in one before', () => {
    seeRollout({ annotations: inPlace });
    seeDeployment();
    expect(restarted()).toEqual([webRo]);
    remove('Rollout');
    seeRollout({ annotations: inPlace });
    expect(restarted()).toEqual([]);
  });

  it('makes what the Rollout comes to use nothing that it did, each time that a Deployment is new', () => {
    seeRollout();
    told();
    seeDeployment();
    seeDeployment({ resourceVersion: '11' });
    expect(told()).toEqual([[], [webRo]]);
    seeDeployment({ uid: 'second' });
    expect(told()).toEqual([[], [webRo]]);
  });
});
