import { beforeEach, expect, it } from '@jest/globals';
import { configMap, cronJob, fromConfigMap } from '../apiserver/cluster';
import type { Fault, FaultTarget } from '../apiserver/faults';
import { engineUser, handoverLease, Harness } from './harness';

let harness: Harness;
beforeEach(() => {
  harness = new Harness();
  const annotations = { 'reloader.stakater.com/auto': 'true' };
  harness.seed(
    configMap({ name: 'app', data: { color: 'red' } }),
    cronJob({ name: 'report', annotations, envFrom: [fromConfigMap('app')] }),
  );
});

const isBaseline = ({ user, method, pathname }: FaultTarget): boolean =>
  user === engineUser && method === 'PATCH' && pathname.endsWith('/cronjobs/report');
const message =
  'cronjobs.batch "report" is forbidden: User "reroll" cannot patch resource "cronjobs" in API group "batch" in the namespace "default"';
const forbidden: Fault = { kind: 'status', code: 403, message };

const runs = (): number => harness.objects('Job').length;

async function changed(color: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color });
  await harness.clock.advance(60_000);
}

it('a source returns to earlier content: its CronJob is run, though the Job of then exists and the baseline was removed', async () => {
  const first = await harness.start();
  await changed('blue');
  await changed('red');
  expect(runs()).toBe(2);
  await first.stop();
  const annotations = { 'reroll.dev/baseline': null, 'reroll.dev/last-restart': null };
  await harness.patch('CronJob', 'report', { metadata: { annotations } });
  await harness.start();
  await harness.clock.advance(60_000);
  await changed('blue');
  expect(runs()).toBe(3);
});

it('a source returns to earlier content: its CronJob is run, though the Job of then exists and no baseline can be stored', async () => {
  harness.faults.add({ match: isBaseline, fault: forbidden });
  const first = await harness.start();
  await changed('blue');
  await changed('red');
  expect(runs()).toBe(2);
  await first.stop();
  await harness.start();
  await harness.clock.advance(60_000);
  await changed('blue');
  expect(runs()).toBe(3);
});

it('a change is run once, though the CronJob is edited between its Job and its baseline', async () => {
  await harness.start();
  const end = harness.faults.add({ match: isBaseline, fault: { kind: 'status', code: 500 } });
  await changed('blue');
  expect(runs()).toBe(1);
  const annotations = { 'configmap.reloader.stakater.com/reload': 'other' };
  await harness.patch('CronJob', 'report', { metadata: { annotations } });
  await harness.clock.advance(30_000);
  end();
  await harness.clock.advance(600_000);
  expect(runs()).toBe(1);
});

it('a standby that takes over without the right to patch CronJobs runs nothing again', async () => {
  harness.faults.add({ match: isBaseline, fault: forbidden });
  harness.leaseTimings = handoverLease;
  const first = await harness.start({ identity: 'reroll-0' });
  await harness.start({ identity: 'reroll-1' });
  await harness.clock.advance(60_000);
  await changed('blue');
  await harness.clock.advance(3_600_000);
  await first.stop();
  await harness.clock.advance(300_000);
  expect(runs()).toBe(1);
});

it('a change is run once, though it is held, and another source recorded, between its Job and its baseline', async () => {
  harness.seed(configMap({ name: 'other', data: { x: '1' } }));
  await harness.start();
  await changed('green');
  const end = harness.faults.add({ match: isBaseline, fault: { kind: 'status', code: 500 } });
  await changed('blue');
  expect(runs()).toBe(2);
  const hold = (value: string | null) => ({ 'reroll.dev/hold': value });
  const annotations = { 'configmap.reloader.stakater.com/reload': 'other', ...hold('true') };
  await harness.patch('CronJob', 'report', { metadata: { annotations } });
  end();
  await harness.clock.advance(60_000);
  await harness.patch('CronJob', 'report', { metadata: { annotations: hold(null) } });
  await harness.clock.advance(600_000);
  expect(runs()).toBe(2);
});
