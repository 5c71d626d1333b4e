import { beforeEach, describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { configMap, deployment, envFromKey, fromConfigMap } from '../apiserver/cluster';
import { Harness, type Engine } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const reload = 'configmap.reloader.stakater.com/reload';
const tooManyNames = Array.from({ length: budgets.listNames + 1 }, (_, index) => `n${String(index)}`).join(',');
const crowd = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${String(index)}`, '']));

let harness: Harness;
let engine: Engine;

beforeEach(() => {
  harness = new Harness();
  harness.seed(configMap({ name: 'app', data: { color: 'red' } }));
});

const overBudget = (): readonly string[] =>
  harness
    .objects('Event')
    .filter((event) => event['reason'] === 'OverBudget')
    .map((event) => String(event['message']));

const warnings = (): readonly string[] =>
  engine.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);

describe('an annotation that lists more names than its budget allows', () => {
  beforeEach(async () => {
    const annotations = { [reload]: `app,${tooManyNames}` };
    harness.seed(deployment({ name: 'listed', annotations, envFrom: [fromConfigMap('app')] }));
    harness.seed(deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }));
    engine = await harness.start();
  });

  it('is reported in one Event and one log line, however often the workload is written', async () => {
    for (const replicas of [2, 3]) {
      await harness.patch('Deployment', 'listed', { spec: { replicas } });
      await harness.clock.advance(10_000);
    }
    const told = [
      expect.stringMatching(/^Deployment default\/listed: annotation .* has more than 500 names and is ignored/),
    ];
    expect([overBudget(), warnings()]).toEqual([told, told]);
  });

  it('restarts nothing, and does not delay other workloads', async () => {
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(5_000);
    expect([harness.restarts('Deployment', 'listed'), harness.restarts('Deployment', 'web')]).toEqual([0, 1]);
  });

  it('counts again as soon as it is within its budget', async () => {
    await harness.patch('Deployment', 'listed', { metadata: { annotations: { [reload]: 'app' } } });
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(5_000);
    expect(harness.restarts('Deployment', 'listed')).toBe(1);
  });
});

describe('a source with more keys than Reroll tells apart', () => {
  const restarts = (): readonly number[] => ['bykey', 'whole'].map((name) => harness.restarts('Deployment', name));

  beforeEach(async () => {
    harness.seed(
      configMap({ name: 'big', data: { ...crowd(budgets.sourceKeys), color: 'red' } }),
      deployment({ name: 'bykey', annotations: auto, env: [envFromKey('ConfigMap', 'big', 'color')] }),
      deployment({ name: 'whole', annotations: auto, envFrom: [fromConfigMap('big')] }),
    );
    engine = await harness.start();
  });

  it('restarts every workload that uses any of its keys, for a change of any key, and says why', async () => {
    await harness.edit('ConfigMap', 'big', { k7: 'changed' });
    await harness.clock.advance(5_000);
    expect(restarts()).toEqual([1, 1]);
    const because = engine.lines.filter(({ message }) => /^Deployment default\/bykey restarted/.test(message));
    expect(JSON.stringify(because)).toContain('it has too many keys to tell which');
  });

  it('is reported in one Event on the workload that uses single keys', async () => {
    for (const k7 of ['1', '2']) {
      await harness.edit('ConfigMap', 'big', { k7 });
      await harness.clock.advance(5_000);
    }
    expect(overBudget()).toEqual([
      expect.stringMatching(/^more than 2048 keys, .* in ConfigMap big: any change there/),
    ]);
  });

  it('restarts nothing when another process starts', async () => {
    engine.kill();
    engine = await harness.start();
    await harness.clock.advance(60_000);
    expect(restarts()).toEqual([0, 0]);
  });

  it('restarts once when it drops below the limit, once when it exceeds it again, and misses no change', async () => {
    await harness.edit('ConfigMap', 'big', { k0: null });
    await harness.clock.advance(5_000);
    expect(restarts()).toEqual([1, 1]);
    await harness.edit('ConfigMap', 'big', { k1: 'changed' });
    await harness.clock.advance(5_000);
    expect(restarts()).toEqual([1, 2]);
    await harness.edit('ConfigMap', 'big', { color: 'blue' });
    await harness.clock.advance(5_000);
    expect(restarts()).toEqual([2, 3]);
    await harness.edit('ConfigMap', 'big', { k0: '' });
    await harness.clock.advance(5_000);
    expect(restarts()).toEqual([3, 4]);
    await harness.edit('ConfigMap', 'big', { color: 'green' });
    await harness.clock.advance(5_000);
    expect(restarts()).toEqual([4, 5]);
  });
});

describe('a pod template with more sources than Reroll follows', () => {
  it('restarts for the followed sources, and an Event says that there are more', async () => {
    const names = Array.from({ length: budgets.references }, (_, index) => `s${String(index)}`);
    const envFrom = ['app', ...names, 'last'].map((name) => fromConfigMap(name, true));
    harness.seed(
      configMap({ name: 'last', data: { a: '1' } }),
      deployment({ name: 'web', annotations: auto, envFrom }),
    );
    engine = await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'last', { a: '2' });
    await harness.clock.advance(5_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(overBudget()).toEqual([expect.stringContaining('covers only the first 500 sources of the pod template')]);
  });
});

describe('a workload with more JSON than Reroll parses', () => {
  const padding = (length: number): object => ({ spec: { padding: 'x'.repeat(length) } });
  const tooLong = padding(budgets.workloadBytes);
  const changeOf = async (color: string): Promise<readonly number[]> => {
    await harness.edit('ConfigMap', 'app', { color });
    await harness.clock.advance(10_000);
    return ['large', 'web'].map((name) => harness.restarts('Deployment', name));
  };

  beforeEach(async () => {
    for (const name of ['large', 'web']) {
      harness.seed(deployment({ name, annotations: auto, envFrom: [fromConfigMap('app')] }));
    }
    engine = await harness.start();
    await harness.clock.advance(10_000);
  });

  it('is reported in one Event and one log line, and is not restarted', async () => {
    await harness.patch('Deployment', 'large', tooLong);
    await harness.patch('Deployment', 'large', { spec: { replicas: 2 } });
    expect(await changeOf('blue')).toEqual([0, 1]);
    const told = [expect.stringMatching(/^Deployment default\/large: .* more than 786432 bytes of JSON/)];
    expect([overBudget(), warnings()]).toEqual([told, told]);
  });

  it('is reported even if it became too large before the start of Reroll', async () => {
    await engine.stop();
    await harness.patch('Deployment', 'large', tooLong);
    engine = await harness.start();
    expect(await changeOf('blue')).toEqual([0, 1]);
    expect(overBudget()).toHaveLength(1);
  });

  it('is restarted for earlier changes as soon as it is small enough', async () => {
    await harness.patch('Deployment', 'large', tooLong);
    expect(await changeOf('blue')).toEqual([0, 1]);
    await harness.patch('Deployment', 'large', padding(1));
    await harness.clock.advance(10_000);
    expect(harness.restarts('Deployment', 'large')).toBe(1);
  });

  it('is forgotten when it is deleted, so a new workload of the same name is read', async () => {
    await harness.patch('Deployment', 'large', tooLong);
    await harness.delete('Deployment', 'large');
    harness.seed(deployment({ name: 'large', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(10_000);
    expect(await changeOf('blue')).toEqual([1, 1]);
  });
});
