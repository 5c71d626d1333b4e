import { beforeEach, describe, expect, it } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { Fault } from '../apiserver/faults';
import { configMap, cronJob, deployment, fromConfigMap } from '../apiserver/cluster';
import { engineUser, Harness } from './harness';
import { revertingHook, strippingHook, type Stripped } from './stripping.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });
const lastRestart = 'reroll.dev/last-restart';

let strips: Stripped;
const stripping = strippingHook('Deployment', () => strips);

let harness: Harness;

beforeEach(() => {
  strips = 'nothing';
  harness = new Harness({ admission: [stripping] });
  harness.seed(app, web);
});

function events(): readonly string[] {
  const told = harness
    .objects('Event')
    .map((event) => `${String(event['reason'])}: ${String(event['message'] ?? event['note'])}`);
  return [...new Set(told)];
}

function writes(kind: WorkloadKindName = 'Deployment'): number {
  return harness.writesOf(kind, 'web').filter(({ user }) => user === engineUser).length;
}

async function changed(color: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color });
  await harness.clock.advance(600_000);
}

function watchLags(): void {
  harness.faults.add({
    match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/deployments'),
    fault: { kind: 'lag', lagMs: 300 },
  });
}

const told =
  /^ReloadFail: Deployment default\/web is not restarted: .* without variable STAKATER_APP_CONFIGMAP of its container/;

describe('a restart whose marker another admission webhook removes from the write', () => {
  it('is noticed even if the answer to the write is lost, and succeeds once the webhook stops', async () => {
    await harness.start();
    strips = 'variables';
    const end = harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/deployments/web'),
      fault: { kind: 'reset', when: 'after' },
      times: 1,
    });
    await changed('blue');
    end();
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    expect(events()).toContainEqual(expect.stringMatching(told));
    strips = 'nothing';
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it.each(['variables', 'variables and annotations'] as const)(
    'is reported as failed, is not retried again and again, and succeeds once the webhook stops (it removes %s)',
    async (what) => {
      const engine = await harness.start();
      strips = what;
      const before = writes();
      await changed('blue');
      expect(harness.restarts('Deployment', 'web')).toBe(0);
      expect(events()).toEqual([expect.stringMatching(told)]);
      expect(engine.lines.filter(({ message }) => message === 'Deployment default/web restarted')).toEqual([]);
      // At most the restart as it was stored, and the write that takes it back.
      expect(writes() - before).toBeLessThanOrEqual(2);
      expect((await harness.get('Deployment', 'web')).metadata.annotations).not.toHaveProperty([lastRestart]);
      expect(await engine.metrics.registry.text()).not.toMatch(/^reloader_reload_errors_total 0$/m);
      strips = 'nothing';
      await harness.clock.advance(120_000);
      expect(harness.restarts('Deployment', 'web')).toBe(1);
      await harness.clock.advance(600_000);
      expect(harness.restarts('Deployment', 'web')).toBe(1);
    },
  );

  it('is still owed when another replica of Reroll starts', async () => {
    const first = await harness.start();
    strips = 'variables';
    await changed('blue');
    await first.stop();
    strips = 'nothing';
    await harness.start({ identity: 'reroll-1' });
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it.each<[string, Fault, () => void]>([
    ['', { kind: 'reset', when: 'before' }, () => undefined],
    [' and the watch is behind', { kind: 'reset', when: 'before' }, watchLags],
    [' for lack of permission and the watch is behind', { kind: 'status', code: 403 }, watchLags],
  ])('is still owed if the baseline cannot be reset at first%s', async (_and, fault, disturb) => {
    disturb();
    await harness.start();
    strips = 'variables';
    let patches = 0;
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/deployments/web') && ++patches > 1,
      times: 1,
      fault,
    });
    await changed('blue');
    strips = 'nothing';
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('is no longer owed when its change is reverted', async () => {
    await harness.start();
    strips = 'variables';
    await changed('blue');
    await changed('red');
    strips = 'nothing';
    await harness.clock.advance(600_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('is written with a strategy that the webhook leaves alone', async () => {
    await harness.start();
    strips = 'variables';
    await changed('blue');
    await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reroll.dev/strategy': 'annotations' } } });
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a baseline that another admission webhook removes from the write', () => {
  /** Whether the webhook puts the former annotations back. */
  let reverts: boolean;
  let world: Harness;

  beforeEach(() => {
    reverts = true;
    world = new Harness({ admission: [revertingHook(['Deployment', 'CronJob'], () => reverts)] });
    world.seed(app, web, cronJob({ name: 'report', annotations: auto, envFrom: [fromConfigMap('app')] }));
  });

  const baselineOf = async (kind: WorkloadKindName, name: string) =>
    (await world.get(kind, name)).metadata.annotations?.['reroll.dev/baseline'];
  const runs = (): number => world.objects('Job').length;
  const lost = (): unknown[] =>
    world
      .objects('Event')
      .filter(({ reason }) => reason === 'BaselineRemoved')
      .map((event) => fieldAt(event, ['involvedObject', 'name']));

  it('is written once the webhook stops, although nothing was stored and no watch event followed', async () => {
    await world.start();
    await world.clock.advance(60_000);
    expect(await baselineOf('Deployment', 'web')).toBeUndefined();
    reverts = false;
    await world.clock.advance(11 * 60_000);
    expect(await baselineOf('Deployment', 'web')).toBeDefined();
    expect(world.restarts('Deployment', 'web')).toBe(0);
  });

  it('with a restart whose answer is lost causes no second restart, and is reported', async () => {
    reverts = false;
    await world.start();
    await world.clock.advance(60_000);
    reverts = true;
    world.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/deployments/web'),
      fault: { kind: 'reset', when: 'after' },
      times: 1,
    });
    await world.edit('ConfigMap', 'app', { color: 'blue' });
    await world.clock.advance(60_000);
    expect(world.restarts('Deployment', 'web')).toBe(1);
    expect(lost().toSorted()).toEqual(['report', 'web']);
    await world.edit('ConfigMap', 'app', { color: 'green' });
    await world.clock.advance(60_000);
    expect(world.restarts('Deployment', 'web')).toBe(2);
  });

  it('with a restart is reported, and neither that process nor the next one restarts again', async () => {
    reverts = false;
    const first = await world.start();
    await world.clock.advance(60_000);
    const before = [await baselineOf('Deployment', 'web'), await baselineOf('CronJob', 'report')];
    reverts = true;
    await world.edit('ConfigMap', 'app', { color: 'blue' });
    await world.clock.advance(3_600_000);
    expect([world.restarts('Deployment', 'web'), runs()]).toEqual([1, 1]);
    expect([await baselineOf('Deployment', 'web'), await baselineOf('CronJob', 'report')]).toEqual(before);
    expect(lost().toSorted()).toEqual(['report', 'web']);
    reverts = false;
    await world.clock.advance(11 * 60_000);
    await first.stop();
    await world.start({ identity: 'reroll-1' });
    await world.clock.advance(120_000);
    expect([world.restarts('Deployment', 'web'), runs()]).toEqual([1, 1]);
  });
});
