import { beforeEach, describe, expect, it } from '@jest/globals';
import { deployment, fromConfigMap, seed } from '../apiserver/cluster';
import { withValueAt, type JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { adopted, type Hand } from './history.fixture';

let hand: Hand;
let sequence: number;

/** Deployments `web`, `api`, `db` and `last` of one ConfigMap. */
beforeEach(async () => {
  sequence = 100;
  hand = await adopted();
  for (const name of ['api', 'db', 'last']) {
    const annotations = { 'reloader.stakater.com/auto': 'true' };
    seed(hand.server, deployment({ name, annotations, envFrom: [fromConfigMap('app')] }));
    await write(name, 'engine-0-1', (object) => recorded(object, 'value-1-'));
  }
  await hand.clock.advance(60_000);
  await hand.edit('value-2-');
});

async function write(name: string, user: string, change: (object: KubeObject) => JsonObject): Promise<void> {
  await hand.write(user, change, name);
}

function recorded(object: JsonObject, color: string): JsonObject {
  const baseline = JSON.stringify({ v: 1, n: sequence++, key: 'k', sources: { 'cm/app': hand.digestOf(color) } });
  return withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], baseline);
}

async function restart(name: string, change = '0123abcd', user = 'engine-0-1'): Promise<void> {
  const at = new Date(hand.clock.nowMs()).toISOString();
  const n = sequence;
  const last = JSON.stringify({ at, id: `restart${n}`, sources: { 'cm/app': null }, changes: { 'cm/app': change } });
  await write(name, user, (object) => {
    const told = withValueAt(
      recorded(object, 'value-2-'),
      ['metadata', 'annotations', 'reroll.dev/last-restart'],
      last,
    );
    const marker = ['spec', 'template', 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt'];
    return withValueAt(told, marker, String(n));
  });
}

/** The controller calls the Deployment rolled out, and time goes by. */
async function healthyFor(name: string, ms: number): Promise<void> {
  await hand.rollOut(name);
  await hand.clock.advance(ms);
}

function broken(): readonly string[] {
  const stages = { healthyForMs: 10_000, deadlineMs: 60_000 };
  const rules = { stages, shownWithinMs: 1_000, knownWithinMs: 1_000 };
  return hand.promises(false, rules).filter((promise) => promise === 'past a stop');
}

describe('a restart past a stop', () => {
  it('is none if each comes after the one before was healthy for long enough', async () => {
    for (const name of ['web', 'api', 'db', 'last']) {
      await restart(name);
      await healthyFor(name, 10_500);
    }
    expect(broken()).toEqual([]);
  });

  it('is the second while the first has never been healthy', async () => {
    await restart('web');
    await hand.clock.advance(60_000);
    await restart('api');
    expect(broken()).toEqual(['past a stop']);
  });

  it('is the second when the first was not healthy for long', async () => {
    await restart('web');
    await healthyFor('web', 9_000);
    await restart('api');
    expect(broken()).toEqual(['past a stop']);
  });

  it('is the third when the second was not healthy', async () => {
    await restart('web');
    await healthyFor('web', 10_500);
    await restart('api');
    await hand.clock.advance(30_000);
    await restart('db');
    expect(broken()).toEqual(['past a stop']);
  });

  it('is none while the first has no pods that could show anything, and again after another with pods', async () => {
    const scale = (object: KubeObject): JsonObject => withValueAt(object, ['spec', 'replicas'], 0);
    await write('web', 'alice', scale);
    await restart('web');
    await hand.clock.advance(30_000);
    await restart('api');
    expect(broken()).toEqual([]);
    await hand.clock.advance(30_000);
    await restart('db');
    expect(broken()).toEqual(['past a stop']);
  });

  it('is none if one of those that proved it has restarted for something else since', async () => {
    for (const [name, change] of [['web'], ['web', 'ffffffff'], ['api']] as const) {
      await restart(name, change);
      await healthyFor(name, 15_000);
    }
    await restart('db');
    await restart('last');
    expect(broken()).toEqual([]);
  });

  it('is none if the rollout of the first counts for another content since, and this one came back after it', async () => {
    await hand.edit('value-3-', 500);
    await restart('web');
    await write('web', 'engine-0-1', (object) => recorded(object, 'value-3-'));
    await hand.clock.advance(30_000);
    await hand.edit('value-2-', 15_000);
    await restart('api');
    expect(broken()).toEqual([]);
  });

  it('is none for another change', async () => {
    await restart('web');
    await hand.clock.advance(30_000);
    await restart('api', '99999999');
    expect(broken()).toEqual([]);
  });
});
