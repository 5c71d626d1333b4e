import { describe, expect, it } from '@jest/globals';
import { concurrency } from '../../reconciler/engine/engine-deps';
import { unlimited } from '../../shared/domain/gate-settings/pace-settings';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';
import { configMap, cronJob, daemonSet, deployment, fromConfigMap, job, statefulSet } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import type { ObjectInput } from '../apiserver/objects';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };
const app = configMap({ name: 'app', data: { color: 'red' } });

describe('§17.2 retries', () => {
  it('Q30: write the content of now, not of the moment when the restart was owed', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', ...uses }));
    await harness.start();
    const end = harness.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'status', code: 500 } });
    for (const color of ['blue', 'green', 'yellow']) {
      await harness.edit('ConfigMap', 'app', { color });
      await harness.clock.advance(20_000);
    }
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    // The baseline records the last content. Nothing is owed any more, and going back is a change.
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });
});

describe('§17.3 many workloads', () => {
  it('Q32: without a limit, 200 are restarted within a second of each other, not five a second', async () => {
    const harness = new Harness();
    const names = Array.from({ length: 200 }, (_, n) => `web-${n}`);
    harness.seed(app, ...names.map((name) => deployment({ name, ...uses })));
    await harness.start({ pace: unlimited, stages: withoutStages });
    await harness.clock.advance(120_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(2_000);
    expect(names.filter((name) => harness.restarts('Deployment', name) === 1)).toHaveLength(200);
  });
});

describe('a change that restarts many workloads', () => {
  it('delays no other: the workload of another source is among the next to be written', async () => {
    const harness = new Harness();
    const names = Array.from({ length: 200 }, (_, n) => `web-${n}`);
    const other = deployment({ name: 'other', annotations: auto, envFrom: [fromConfigMap('else')] });
    harness.seed(app, configMap({ name: 'else', data: { color: 'red' } }), other);
    harness.seed(...names.map((name) => deployment({ name, ...uses })));
    await harness.start({ pace: unlimited, stages: withoutStages });
    await harness.clock.advance(120_000);
    const before = harness.server.requests().length;
    harness.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'delay', delayMs: 100 } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(50);
    await harness.edit('ConfigMap', 'else', { color: 'blue' });
    await harness.clock.advance(20_000);
    const patched = harness.server.requests().slice(before);
    const written = patched.filter(({ verb, user }) => verb === 'patch' && user === 'reroll').map(({ name }) => name);
    expect(written).toHaveLength(201);
    // Only writes that had begun when its settle window ended come before it.
    const meanwhile = 2 * concurrency;
    expect(written.indexOf('other')).toBeLessThanOrEqual(meanwhile);
    expect(written.indexOf('other')).toBeGreaterThan(0);
  });
});

describe('§17.4 the requests for one change', () => {
  const patched = (resource: string): readonly string[] => ['create events', `patch ${resource}`];

  it.each<[WorkloadKindName, ObjectInput, readonly string[]]>([
    ['Deployment', deployment({ name: 'web', ...uses }), patched('deployments.apps')],
    ['StatefulSet', statefulSet({ name: 'web', ...uses }), patched('statefulsets.apps')],
    ['DaemonSet', daemonSet({ name: 'web', ...uses }), patched('daemonsets.apps')],
    ['CronJob', cronJob({ name: 'web', ...uses }), ['create events', 'create jobs.batch', 'patch cronjobs.batch']],
    [
      'Job',
      job({ name: 'web', ...uses }),
      [
        'create events',
        // A dry run, then the real create.
        'create jobs.batch',
        'create jobs.batch',
        'create secrets',
        'delete jobs.batch',
        'delete secrets',
        'update secrets',
      ],
    ],
  ])('of a %s are these writes, without a list', async (_kind, object, requests) => {
    const harness = new Harness();
    harness.seed(app, object);
    new Controllers(harness.server).start();
    await harness.clock.advance(30_000);
    await harness.start();
    harness.requestsSinceLast();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    // Before a Job is deleted or a CronJob is run, it is read by name.
    const made = harness.requestsSinceLast().filter((request) => !request.startsWith('get '));
    expect(made.toSorted()).toEqual(requests);
  });
});
