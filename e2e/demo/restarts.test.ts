import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { ApiServer } from '../apiserver/api-server';
import { cronJob, deployment, job, seed } from '../apiserver/cluster';
import { withValueAt } from '../apiserver/json';
import { ownerReference } from '../apiserver/objects';
import { writeBy } from '../apiserver/registry';
import { cronJobKind, deploymentKind, eventKind, jobKind } from '../apiserver/resources';
import { seededRandom } from '../apiserver/seeded-random';
import { restartEventsIn, restartsIn, workloadsOf } from './restarts';

let server: ApiServer;

beforeEach(() => {
  server = new ApiServer({ clock: new FakeClock(), random: seededRandom(1) });
  seed(server, deployment({ name: 'web' }), cronJob({ name: 'report' }));
});

const restarted = (): readonly string[] => workloadsOf(restartsIn(server.history(), 'reroll'));

async function set(user: string, path: readonly string[], value: string): Promise<void> {
  await server.registry.update(writeBy(user, 'x', 'patch'), deploymentKind, 'default', 'web', (object) => ({
    object: withValueAt(object, path, value),
  }));
}

const template = ['spec', 'template', 'metadata', 'annotations', 'restarted'];

describe('restarts in the history', () => {
  it('a pod template that became another one, each time', async () => {
    await set('reroll', template, '1');
    await set('reroll', template, '2');
    expect(restarted()).toEqual(['Deployment web', 'Deployment web']);
  });

  it('not what changes beside the template, nor what changes nothing', async () => {
    await set('reroll', ['metadata', 'annotations', 'baseline'], '1');
    await set('reroll', template, '1');
    await set('reroll', template, '1');
    expect(restarted()).toEqual(['Deployment web']);
  });

  it('not what others do', async () => {
    await set('alice', template, '1');
    expect(restarted()).toEqual([]);
  });

  it('a Job that is created counts for itself, or for the CronJob that it belongs to', async () => {
    const owner = ownerReference(server.registry.get(cronJobKind, 'default', 'report'));
    const run = job({ name: 'report-1' });
    const context = writeBy('reroll', 'x', 'create');
    await server.registry.create(context, jobKind, 'default', job({ name: 'migrate' }));
    await server.registry.create(context, jobKind, 'default', {
      ...run,
      metadata: { ...run.metadata, ownerReferences: [owner] },
    });
    expect(restarted()).toEqual(['CronJob report', 'Job migrate']);
  });
});

describe('Events about restarts', () => {
  it('are those of the reason and of the user', async () => {
    const event = async (user: string, reason: string, name: string): Promise<void> => {
      await server.registry.create(writeBy(user, 'x', 'create'), eventKind, 'default', {
        metadata: { name: `${name}.${reason.toLowerCase()}.${user}` },
        involvedObject: { kind: 'Deployment', namespace: 'default', name },
        reason,
      });
    };
    await event('reroll', 'Reloaded', 'web');
    await event('reroll', 'ReloadFail', 'api');
    await event('alice', 'Reloaded', 'db');
    expect(restartEventsIn(server.history(), 'reroll')).toEqual(['Deployment web']);
  });
});
