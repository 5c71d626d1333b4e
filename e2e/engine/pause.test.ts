import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { rolloutKind, rolloutOf } from '../apiserver/add-ons';
import { configMap, deployment, fromConfigMap, statefulSet } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { Harness, type Engine } from './harness';
import { inspected } from './inspection.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };
const periodKey = 'deployment.reloader.stakater.com/pause-period';
const pausedAtKey = 'deployment.reloader.stakater.com/paused-at';
const held = { ...auto, [periodKey]: '5m' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const uses = { envFrom: [fromConfigMap('app')] };
const minuteMs = 60_000;

async function world(annotations: Readonly<Record<string, string>> = held, spec = {}): Promise<Harness> {
  const harness = new Harness();
  harness.seed(app, deployment({ name: 'web', annotations, ...uses, spec }));
  await harness.clock.advance(minuteMs);
  return harness;
}

async function change(harness: Harness, color: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color });
  await harness.clock.advance(10_000);
}

async function state(harness: Harness): Promise<{ readonly paused: boolean; readonly pausedAt: string | undefined }> {
  const { metadata, ...object } = await harness.get('Deployment', 'web');
  return { paused: fieldAt(object, ['spec', 'paused']) === true, pausedAt: metadata.annotations?.[pausedAtKey] };
}

/** The new values of `spec.paused` in the engine's writes that changed it, in order. */
function turns(harness: Harness): readonly boolean[] {
  const paused = (object: unknown): boolean => fieldAt(object, ['spec', 'paused']) === true;
  return harness
    .writesOf('Deployment', 'web')
    .filter(({ user, object, previous }) => user === 'reroll' && previous && paused(object) !== paused(previous))
    .map(({ object }) => paused(object));
}

function messages({ lines }: Engine, part: string): readonly string[] {
  return lines.map(({ message }) => message).filter((message) => message.includes(part));
}

const resumed = { paused: false, pausedAt: undefined };

describe('§8 pause period', () => {
  it('restarts and pauses in one PATCH, and resumes after the period', async () => {
    const harness = await world();
    const engine = await harness.start();
    const beforeMs = harness.clock.nowMs();
    harness.requestsSinceLast();
    await change(harness, 'blue');
    expect(harness.requestsSinceLast()).toEqual(['patch deployments.apps', 'create events']);
    const { paused, pausedAt } = await state(harness);
    expect(paused).toBe(true);
    expect(pausedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Date.parse(pausedAt!)).toBeGreaterThanOrEqual(Math.floor(beforeMs / 1000) * 1000);
    await harness.clock.advance(5 * minuteMs - 15_000);
    expect((await state(harness)).paused).toBe(true);
    await harness.clock.advance(15_000);
    expect(await state(harness)).toEqual(resumed);
    expect(turns(harness)).toEqual([true, false]);
    expect(messages(engine, 'paused until')).toHaveLength(1);
    expect(messages(engine, 'Deployment default/web resumed after its pause')).toHaveLength(1);
  });

  it('§8 combines all changes during the pause into one rollout, and later changes do not extend it', async () => {
    const harness = await world();
    const controllers = new Controllers(harness.server);
    controllers.start();
    await harness.start();
    await harness.clock.advance(minuteMs);
    expect(harness.objects('ReplicaSet')).toHaveLength(1);
    for (const color of ['blue', 'green', 'black', 'white']) {
      await change(harness, color);
      await harness.clock.advance(minuteMs);
    }
    expect(harness.restarts('Deployment', 'web')).toBe(4);
    expect(harness.objects('ReplicaSet')).toHaveLength(1);
    await harness.clock.advance(minuteMs);
    expect(await state(harness)).toEqual(resumed);
    await harness.clock.advance(minuteMs);
    expect(harness.objects('ReplicaSet')).toHaveLength(2);
    controllers.stop();
  });

  it('ends on time while a later change settles for longer, and that change restarts it once it has settled', async () => {
    const harness = await world({ ...held, 'reroll.dev/settle': '30m' });
    const engine = await harness.start();
    await change(harness, 'blue');
    await harness.clock.advance(30 * minuteMs);
    expect((await state(harness)).paused).toBe(true);
    await change(harness, 'green');
    await harness.clock.advance(5 * minuteMs);
    expect([await state(harness), harness.restarts('Deployment', 'web')]).toEqual([resumed, 1]);
    expect(inspected.workload(engine, 'Deployment/default/web')).toMatchObject({ waitsFor: 'settle-window' });
    await harness.clock.advance(25 * minuteMs);
    expect([(await state(harness)).paused, harness.restarts('Deployment', 'web')]).toEqual([true, 2]);
  });

  it('begins a new pause at the next change after it', async () => {
    const harness = await world();
    await harness.start();
    await change(harness, 'blue');
    await harness.clock.advance(6 * minuteMs);
    await change(harness, 'green');
    expect((await state(harness)).paused).toBe(true);
    await harness.clock.advance(6 * minuteMs);
    expect(turns(harness)).toEqual([true, false, true, false]);
  });

  it('does not begin when a workload is adopted', async () => {
    const harness = await world();
    await harness.start();
    await harness.clock.advance(minuteMs);
    expect(await state(harness)).toEqual(resumed);
  });

  it('Q43: a new process resumes an overdue Deployment at once, without another change', async () => {
    const harness = await world();
    const engine = await harness.start();
    await change(harness, 'blue');
    engine.kill();
    await harness.clock.advance(60 * minuteMs);
    expect((await state(harness)).paused).toBe(true);
    await harness.start();
    expect(await state(harness)).toEqual(resumed);
  });

  it('resumes a Deployment that Reloader left paused', async () => {
    const harness = await world({ ...held, [pausedAtKey]: '2020-01-01T12:00:00+02:00' }, { paused: true });
    await harness.start();
    expect(await state(harness)).toEqual(resumed);
  });
});

describe('§8 what users do during a pause', () => {
  it('§8 a Deployment that a user paused is restarted, and stays paused', async () => {
    const harness = await world(held, { paused: true });
    await harness.start();
    await change(harness, 'blue');
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(await state(harness)).toEqual({ paused: true, pausedAt: undefined });
    expect(turns(harness)).toEqual([]);
  });

  it('Q42: a resume by hand stays, paused-at is removed, and the next change pauses and resumes again', async () => {
    const harness = await world();
    const engine = await harness.start();
    await change(harness, 'blue');
    await harness.patch('Deployment', 'web', { spec: { paused: false } });
    await harness.clock.advance(10_000);
    expect(await state(harness)).toEqual(resumed);
    expect(messages(engine, 'resumed by somebody else')).toHaveLength(1);
    await harness.clock.advance(10 * minuteMs);
    expect(turns(harness)).toEqual([true]);
    await change(harness, 'green');
    expect((await state(harness)).paused).toBe(true);
    await harness.clock.advance(6 * minuteMs);
    expect(await state(harness)).toEqual(resumed);
  });

  it('a pause by a user after a resume by hand is left to the user', async () => {
    const harness = await world();
    await harness.start();
    await change(harness, 'blue');
    await harness.patch('Deployment', 'web', { spec: { paused: false } });
    await harness.clock.advance(10_000);
    await harness.patch('Deployment', 'web', { spec: { paused: true } });
    await harness.clock.advance(20 * minuteMs);
    expect(await state(harness)).toEqual({ paused: true, pausedAt: undefined });
  });

  it('a resume by hand at the moment when Reroll resumes is a conflict, and stays', async () => {
    const harness = await world();
    await harness.start();
    await change(harness, 'blue');
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/web'),
      times: 1,
      fault: { kind: 'delay', delayMs: 20_000 },
    });
    await harness.clock.advance(5 * minuteMs - 10_000);
    await harness.patch('Deployment', 'web', {
      spec: { paused: false },
      metadata: { annotations: { [pausedAtKey]: null } },
    });
    await harness.patch('Deployment', 'web', { spec: { paused: true } });
    await harness.clock.advance(5 * minuteMs);
    expect(await state(harness)).toEqual({ paused: true, pausedAt: undefined });
  });

  it.each<[string, Readonly<Record<string, string | null>>]>([
    ['removes the period', { [periodKey]: null }],
    ['writes an invalid period', { [periodKey]: 'soon' }],
    ['shortens the period', { [periodKey]: '10s' }],
    ['writes an invalid paused-at', { [pausedAtKey]: 'noon' }],
    ['opts out and removes the period', { 'reloader.stakater.com/auto': null, [periodKey]: null }],
  ])('a user who %s ends the pause', async (_, annotations) => {
    const harness = await world();
    await harness.start();
    await change(harness, 'blue');
    await harness.clock.advance(10_000);
    expect((await state(harness)).paused).toBe(true);
    await harness.patch('Deployment', 'web', { metadata: { annotations } });
    await harness.clock.advance(10_000);
    expect(await state(harness)).toEqual(resumed);
  });

  it('after an opt-out the pause ends on time, and nothing else is written', async () => {
    const harness = await world();
    const engine = await harness.start();
    await change(harness, 'blue');
    await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reloader.stakater.com/auto': null } } });
    engine.kill();
    await harness.clock.advance(minuteMs);
    await harness.start();
    await change(harness, 'green');
    expect((await state(harness)).paused).toBe(true);
    const { metadata } = await harness.get('Deployment', 'web');
    await harness.clock.advance(5 * minuteMs);
    expect(await state(harness)).toEqual(resumed);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    const after = await harness.get('Deployment', 'web');
    expect(after.metadata.annotations?.['reroll.dev/baseline']).toBe(metadata.annotations?.['reroll.dev/baseline']);
  });

  it('a longer period extends the pause', async () => {
    const harness = await world();
    await harness.start();
    await change(harness, 'blue');
    await harness.patch('Deployment', 'web', { metadata: { annotations: { [periodKey]: '10m' } } });
    await harness.clock.advance(7 * minuteMs);
    expect((await state(harness)).paused).toBe(true);
    await harness.clock.advance(4 * minuteMs);
    expect(await state(harness)).toEqual(resumed);
  });
});

describe('§8 failures', () => {
  it.each([
    ['soon', 'is not a duration and has no effect'],
    ['1d', 'is not a duration and has no effect'],
    ['0s', 'is not a time above zero and has no effect'],
    ['-5m', 'is not a time above zero and has no effect'],
  ])(
    'Q45, Q46: a period %j is warned about, and the workload is restarted without a pause',
    async (period, message) => {
      const harness = await world({ ...auto, [periodKey]: period });
      const engine = await harness.start();
      expect(messages(engine, `${periodKey}=${JSON.stringify(period)} ${message}`)).toHaveLength(1);
      await change(harness, 'blue');
      expect(harness.restarts('Deployment', 'web')).toBe(1);
      expect(turns(harness)).toEqual([]);
    },
  );

  it('Q47: a period on the pod template is warned about and has no effect', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', annotations: auto, podAnnotations: { [periodKey]: '5m' }, ...uses }));
    const engine = await harness.start();
    expect(messages(engine, 'has no effect on a pod template')).toHaveLength(1);
    await change(harness, 'blue');
    expect(turns(harness)).toEqual([]);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('§8 a period on a StatefulSet is warned about, and the restart goes on', async () => {
    const harness = new Harness();
    harness.seed(app, statefulSet({ name: 'web', annotations: held, ...uses }));
    const engine = await harness.start();
    expect(messages(engine, 'counts on a Deployment only')).toHaveLength(1);
    await change(harness, 'blue');
    expect(harness.restarts('StatefulSet', 'web')).toBe(1);
  });

  it('a resume that fails is tried again until it succeeds', async () => {
    const harness = await world();
    await harness.start();
    await change(harness, 'blue');
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/web'),
      times: 5,
      fault: { kind: 'status', code: 503 },
    });
    await harness.clock.advance(8 * minuteMs);
    expect(await state(harness)).toEqual(resumed);
  });

  it('a Deployment is resumed on time even if the watch has not shown the pause yet', async () => {
    const harness = await world();
    await harness.start();
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/deployments'),
      fault: { kind: 'lag', lagMs: 30 * minuteMs },
    });
    // The open watch has no lag, only the next one has: wait for that.
    await harness.clock.advance(10 * minuteMs);
    await change(harness, 'blue');
    expect((await state(harness)).paused).toBe(true);
    await harness.clock.advance(5 * minuteMs);
    expect(await state(harness)).toEqual(resumed);
  });

  it('a restart whose answer was lost pauses once, and the Deployment is resumed', async () => {
    const harness = await world();
    await harness.start();
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/web'),
      times: 1,
      fault: { kind: 'reset', when: 'after' },
    });
    await change(harness, 'blue');
    await harness.clock.advance(6 * minuteMs);
    expect(turns(harness)).toEqual([true, false]);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('a restart that cannot be written does not keep the Deployment paused', async () => {
    const harness = await world();
    await harness.start();
    await change(harness, 'blue');
    // The baseline has no room for so many sources, so no restart can be written.
    const names = Array.from({ length: 780 }, (_, index) => `${'long'.repeat(60)}${String(index)}`);
    await harness.patch('Deployment', 'web', {
      metadata: { annotations: { 'configmap.reloader.stakater.com/reload': names.join(',') } },
    });
    await harness.clock.advance(6 * minuteMs);
    expect((await state(harness)).paused).toBe(false);
  });

  it('a Deployment whose template a Rollout uses is not paused, because Argo would not wait', async () => {
    const harness = new Harness({ customKinds: [rolloutKind] });
    harness.seed(app, deployment({ name: 'web', annotations: held, ...uses }), rolloutOf('web-ro', auto));
    await harness.start();
    await change(harness, 'blue');
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(turns(harness)).toEqual([]);
  });

  it('annotation keys that the install renames are read and written', async () => {
    const harness = await world({ ...auto, 'example.com/wait': '5m' });

    await harness.start({
      annotationKeys: { ...defaultAnnotationKeys, pausePeriod: 'example.com/wait', pausedAt: 'example.com/since' },
    });
    await change(harness, 'blue');
    const { metadata } = await harness.get('Deployment', 'web');
    expect(metadata.annotations).toHaveProperty(['example.com/since']);
    await harness.clock.advance(6 * minuteMs);
    expect(turns(harness)).toEqual([true, false]);
  });
});
