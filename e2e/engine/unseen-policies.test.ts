import { expect, it } from '@jest/globals';
import { configMap, cronJob, fromConfigMap, job } from '../apiserver/cluster';
import { Harness } from './harness';

const app = configMap({ name: 'app', data: { color: 'red' } });
const uses = {
  annotations: { 'reloader.stakater.com/auto': 'true' },
  envFrom: [fromConfigMap('app')],
};

/** The policy is stored before the change. The watch of the workload is half a minute behind. */
async function changedBehind(kind: 'CronJob' | 'Job', annotation: Record<string, string>): Promise<Harness> {
  const harness = new Harness();
  harness.seed(app, kind === 'Job' ? job({ name: 'report', ...uses }) : cronJob({ name: 'report', ...uses }));
  let lagMs = 0;
  harness.faults.add({
    match: ({ isWatch, pathname }) => isWatch && pathname.endsWith(`/${kind.toLowerCase()}s`),
    fault: { kind: 'lag', lagMs: () => lagMs },
  });
  await harness.start();
  lagMs = 30_000;
  await harness.patch(kind, 'report', { metadata: { annotations: annotation } });
  await harness.clock.advance(5_000);
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(60_000);
  return harness;
}

it.each(['next-run', 'never'])('a CronJob that was set to %s before the change is not run', async (policy) => {
  const harness = await changedBehind('CronJob', { 'reroll.dev/cronjob-policy': policy });
  expect(harness.objects('Job')).toEqual([]);
});

it.each(['next-run', 'never'])('a Job that was set to %s before the change is not recreated', async (policy) => {
  const harness = await changedBehind('Job', { 'reroll.dev/job-policy': policy });
  expect(harness.writesOf('Job', 'report').filter(({ type }) => type === 'DELETED')).toEqual([]);
});
