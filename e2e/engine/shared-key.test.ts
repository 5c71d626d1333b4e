import { describe, expect, it } from '@jest/globals';
import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { secretProviderClassPodStatuses } from '../../shared/kube/sources/csi-decoder';
import { patchObject } from '../../shared/kube/client/objects';
import {
  csiVolume,
  secretProviderClass,
  secretProviderClassKind,
  secretProviderClassPodStatus,
  secretProviderClassPodStatusKind,
} from '../apiserver/add-ons';
import { configMap, deployment, fromConfigMap, fromSecret, secret } from '../apiserver/cluster';
import type { FaultTarget } from '../apiserver/faults';
import { type Engine, engineUser, Harness, usualLease } from './harness';
import { auto, chartRules, rule, seeded, under, uses, warnings } from './rights.fixture';

const keySecret = secret({ name: 'reroll-digest-key', namespace: 'reroll', data: { key: 'k'.repeat(32) } });
const listsSources = ({ method, pathname, isWatch, query }: FaultTarget): boolean =>
  method === 'GET' && (!isWatch || query.has('sendInitialEvents')) && /\/(configmaps|secrets)$/.test(pathname);
const runs = (harness: Harness): number =>
  harness.objects('Job').filter(({ metadata }) => metadata.name.startsWith('report-')).length;
const births = (harness: Harness): number =>
  harness.writesOf('Job', 'migrate').filter(({ type }) => type === 'ADDED').length;
const writesTo = (pattern: RegExp) => (target: FaultTarget) =>
  target.method === 'PATCH' && pattern.test(target.pathname);

async function baselineKey(harness: Harness, kind: WorkloadKindName, name: string): Promise<unknown> {
  const text = (await harness.get(kind, name)).metadata.annotations?.[ownAnnotations.baseline];
  return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>)['key'];
}

/** Waits past the next request for the shared key. */
const untilAsked = async ({ clock }: Harness): Promise<void> => await clock.advance(11 * 60_000 + 10_000);

const hasOwnKey = ({ reconciler }: Engine): boolean => reconciler.status.remark?.includes('digest key') === true;

async function editAndWait(harness: Harness, color: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color });
  await harness.clock.advance(60_000);
}

describe('a process with its own digest key', () => {
  it.each<[string, (harness: Harness) => void]>([
    ['the Secret is created by hand', (harness) => harness.seed(keySecret)],
    [
      'the permission to create it is granted',
      ({ server }) => server.rbac.restrict(engineUser, [...chartRules, rule('', 'secrets', 'create')]),
    ],
  ])('switches to the key of the install when %s, and restarts nothing', async (_when, give) => {
    const [harness, engine] = await under(chartRules, seeded());
    expect(hasOwnKey(engine)).toBe(true);
    const before = await baselineKey(harness, 'Deployment', 'web');
    give(harness);
    await untilAsked(harness);
    expect(hasOwnKey(engine)).toBe(false);
    expect(engine.reconciler.status.state).toBe('acting');
    for (const [kind, name] of [
      ['Deployment', 'web'],
      ['StatefulSet', 'db'],
    ] as const) {
      const key = await baselineKey(harness, kind, name);
      expect(key).toEqual(expect.any(String));
      expect(key).not.toBe(before);
      expect(harness.restarts(kind, name)).toBe(0);
    }
    expect([runs(harness), births(harness)]).toEqual([0, 1]);
    await editAndWait(harness, 'blue');
    expect([harness.restarts('Deployment', 'web'), runs(harness), births(harness)]).toEqual([1, 1, 2]);
    await harness.clock.advance(30 * 60_000);
    expect([harness.restarts('Deployment', 'web'), runs(harness), births(harness)]).toEqual([1, 1, 2]);
    expect(warnings(engine, /baseline cannot be read/)).toEqual([]);
  });

  it('finds, after the switch, what changed while it was down, and restarts nothing else', async () => {
    const [harness, first] = await under(chartRules, seeded());
    harness.seed(configMap({ name: 'other', data: { size: '1' } }));
    harness.seed(deployment({ name: 'calm', annotations: auto, envFrom: [fromConfigMap('other')] }));
    await harness.clock.advance(60_000);
    harness.seed(keySecret);
    await untilAsked(harness);
    await first.stop();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await under(chartRules, harness);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(harness.restarts('Deployment', 'calm')).toBe(0);
  });

  it.each(['blue', 'red'])(
    'restarts for a change during the switch unless it is reverted: last color %s',
    async (last) => {
      const [harness, engine] = await under(chartRules, seeded());
      harness.seed(keySecret);
      const answer = harness.faults.add({ match: listsSources, fault: { kind: 'status', code: 500 } });
      await untilAsked(harness);
      expect(hasOwnKey(engine)).toBe(true);
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.edit('ConfigMap', 'app', { color: last });
      answer();
      await harness.clock.advance(120_000);
      expect(hasOwnKey(engine)).toBe(false);
      const times = last === 'red' ? 0 : 1;
      expect(harness.restarts('Deployment', 'web')).toBe(times);
      expect(harness.restarts('StatefulSet', 'db')).toBe(times);
      // The baselines of CronJob and Job are in memory: the right to patch them is missing.
      expect([runs(harness), births(harness)]).toEqual([times, 1 + times]);
    },
  );

  it('still restarts for a change that it could not answer before the switch', async () => {
    const [harness, engine] = await under(chartRules, seeded());
    const refusing = { match: writesTo(/deployments\/web$/), fault: { kind: 'status', code: 500 } } as const;
    const recover = harness.faults.add(refusing);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    harness.seed(keySecret);
    await untilAsked(harness);
    expect(hasOwnKey(engine)).toBe(false);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    recover();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(harness.restarts('StatefulSet', 'db')).toBe(1);
  });

  it('still restarts a workload that it could not record before the switch', async () => {
    const [harness] = await under(chartRules, seeded());
    const recover = harness.faults.add({ match: writesTo(/deployments\/late$/), fault: { kind: 'status', code: 500 } });
    // Shortly before the next request for the key, so that the state of sources at its creation is still remembered.
    await harness.clock.advance(7 * 60_000);
    harness.seed(deployment({ name: 'late', ...uses }), keySecret);
    await harness.clock.advance(2_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(4 * 60_000);
    recover();
    await harness.clock.advance(120_000);
    expect(await baselineKey(harness, 'Deployment', 'late')).toBe(await baselineKey(harness, 'Deployment', 'web'));
    expect(harness.restarts('Deployment', 'late')).toBe(1);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('switches only when a kind that cannot be listed is listed again, and other kinds work meanwhile', async () => {
    const harness = seeded();
    harness.seed(secret({ name: 'db', data: { password: 'a' } }));
    harness.seed(deployment({ name: 'both', annotations: auto, envFrom: [fromConfigMap('app'), fromSecret('db')] }));
    const [, engine] = await under(chartRules, harness);
    harness.seed(keySecret);
    const listsSecrets = (target: FaultTarget): boolean => listsSources(target) && target.pathname.endsWith('/secrets');
    const answer = harness.faults.add({ match: listsSecrets, fault: { kind: 'status', code: 500 } });
    await untilAsked(harness);
    await harness.clock.advance(120_000);
    await editAndWait(harness, 'blue');
    expect(hasOwnKey(engine)).toBe(true);
    expect(harness.restarts('Deployment', 'both')).toBe(1);
    await harness.edit('Secret', 'db', { password: 'b' });
    answer();
    await harness.clock.advance(180_000);
    expect(hasOwnKey(engine)).toBe(false);
    expect(harness.restarts('Deployment', 'both')).toBe(2);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it.each([
    ['rotated', 1],
    ['never rotated', 0],
  ])('switches with a SecretProviderClass that a CSI driver has %s', async (_what, rotations) => {
    const harness = new Harness({ customKinds: [secretProviderClassKind, secretProviderClassPodStatusKind] });
    const rotate = async (version: string): Promise<void> => {
      const patch = { status: { objects: [{ id: 'pw', version }] } };
      await patchObject(harness.admin, secretProviderClassPodStatuses, 'default', 'a-default-vault', patch, {
        type: 'merge',
      });
      await harness.clock.advance(60_000);
    };
    harness.seed(secretProviderClass('vault'), deployment({ name: 'web', annotations: auto, ...csiVolume('vault') }));
    harness.seed(secretProviderClassPodStatus('a', 'vault', { pw: '1' }));
    const rules = [...chartRules, rule('secrets-store.csi.x-k8s.io', '*', 'list get watch')];
    const [, engine] = await under(rules, harness, { csi: true });
    if (rotations > 0) await rotate('2');
    expect(harness.restarts('Deployment', 'web')).toBe(rotations);
    harness.seed(keySecret);
    await untilAsked(harness);
    await harness.clock.advance(60_000);
    expect(hasOwnKey(engine)).toBe(false);
    await engine.stop();
    await under(rules, harness, { csi: true });
    expect(harness.restarts('Deployment', 'web')).toBe(rotations);
    await rotate('3');
    expect(harness.restarts('Deployment', 'web')).toBe(rotations + 1);
  });

  it('switches with Secrets that it reads by name', async () => {
    const withoutSecrets = [...chartRules.slice(1), rule('', 'configmaps', 'list get watch')];
    const rules = [...withoutSecrets, { ...rule('', 'secrets', 'get'), resourceNames: ['db', 'reroll-digest-key'] }];
    const harness = new Harness();
    harness.seed(secret({ name: 'db', data: { password: 'a' } }));
    harness.seed(deployment({ name: 'web', annotations: auto, envFrom: [fromSecret('db')] }));
    const [, engine] = await under(rules, harness);
    harness.seed(keySecret);
    await untilAsked(harness);
    await harness.clock.advance(60_000);
    expect(hasOwnKey(engine)).toBe(false);
    await engine.stop();
    const [, next] = await under(rules, harness);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await next.stop();
    await harness.edit('Secret', 'db', { password: 'b' });
    await under(rules, harness);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('that stands by switches too, and can compare what the leader recorded under that key before', async () => {
    const withLease = [
      ...[...chartRules, rule('coordination.k8s.io', 'leases', 'get create update')],
      rule('apps', 'deployments daemonsets statefulsets', 'watch'),
    ];
    const harness = seeded();
    harness.leaseTimings = usualLease;
    const [, first] = await under(withLease, harness);
    await harness.clock.advance(5 * 60_000);
    const [, second] = await under(withLease, harness, { identity: 'second' });
    harness.seed(keySecret);
    await harness.clock.advance(4 * 60_000);
    expect([first, second].map(hasOwnKey)).toEqual([false, true]);
    await harness.clock.advance(8 * 60_000);
    expect([first, second].map(hasOwnKey)).toEqual([false, false]);
    const recover = harness.faults.add({ match: writesTo(/deployments\/web$/), fault: { kind: 'status', code: 500 } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    // Longer than former states of a source are kept. They are forgotten when the next source changes.
    await harness.clock.advance(15 * 60_000);
    harness.seed(configMap({ name: 'other', data: {} }));
    await harness.clock.advance(1_000);
    first.kill();
    await harness.clock.advance(60_000);
    expect(second.reconciler.status.state).toBe('acting');
    recover();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(harness.restarts('StatefulSet', 'db')).toBe(1);
  });

  it.each(['ignored', 'excluded'])(
    'switches while a source is %s, and the next process restarts nothing',
    async (why) => {
      const harness = new Harness();
      const extra = configMap({ name: 'extra', data: { color: 'red' } });
      const uses = { annotations: auto, envFrom: [fromConfigMap('app'), fromConfigMap('extra')] };
      harness.seed(configMap({ name: 'app', data: { color: 'red' } }), extra, deployment({ name: 'web', ...uses }));
      const count = async (counts: boolean): Promise<void> => {
        const excluded = { 'configmaps.exclude.reloader.stakater.com/reload': counts ? null : 'extra' };
        if (why === 'excluded') await harness.patch('Deployment', 'web', { metadata: { annotations: excluded } });
        else await harness.annotate('ConfigMap', 'extra', { 'reloader.stakater.com/ignore': String(!counts) });
        await harness.clock.advance(60_000);
      };
      const [, first] = await under(chartRules, harness);
      await count(false);
      harness.seed(keySecret);
      await untilAsked(harness);
      expect(hasOwnKey(first)).toBe(false);
      await first.stop();
      await harness.start();
      await count(true);
      expect(harness.restarts('Deployment', 'web')).toBe(0);
      await harness.edit('ConfigMap', 'extra', { color: 'blue' });
      await harness.clock.advance(60_000);
      expect(harness.restarts('Deployment', 'web')).toBe(1);
    },
  );

  it('asks for the key every ten minutes until it has it', async () => {
    const [harness] = await under(chartRules, seeded());
    const asked = (): readonly string[] =>
      harness.server
        .requests()
        .filter(({ user, namespace }) => user === engineUser && namespace === 'reroll')
        .filter(({ resource }) => resource === 'secrets')
        .map(({ verb }) => verb);
    const before = asked().length;
    await harness.clock.advance(25 * 60_000);
    expect(asked().slice(before)).toEqual(Array.from({ length: 2 }, () => ['get', 'create']).flat());
    harness.seed(keySecret);
    await untilAsked(harness);
    const then = asked().length;
    await harness.clock.advance(25 * 60_000);
    expect(asked()).toHaveLength(then);
  });
});
