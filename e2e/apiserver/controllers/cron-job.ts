import type { ApiServer } from '../api-server';
import { objectAt } from '../json';
import { type KubeObject, timestamp } from '../objects';
import { cronJobKind, jobKind } from '../resources';
import { WorkloadClient } from './workload-client';

/** Creates the Job that a CronJob's schedule would create now. Schedules are not simulated: tests trigger each run. */
export async function runCronJobNow(
  server: ApiServer,
  namespace: string,
  name: string,
): Promise<KubeObject | undefined> {
  const cronJob = server.registry.get(cronJobKind, namespace, name);
  const client = new WorkloadClient(server, 'cronjob-controller');
  const nowMs = server.clock.nowMs();
  const jobTemplate = objectAt(cronJob, 'spec', 'jobTemplate');
  const metadata = objectAt(jobTemplate, 'metadata');
  const scheduled = { 'batch.kubernetes.io/cronjob-scheduled-timestamp': timestamp(nowMs) };
  const created = await client.create(jobKind, cronJob, {
    metadata: {
      ...metadata,
      name: `${name}-${Math.floor(nowMs / 60_000)}`,
      annotations: { ...objectAt(metadata, 'annotations'), ...scheduled },
    },
    spec: objectAt(jobTemplate, 'spec'),
  });
  const status = { ...objectAt(cronJob, 'status'), lastScheduleTime: timestamp(nowMs) };
  await client.updateStatus(cronJobKind, cronJob, status);
  return created;
}
