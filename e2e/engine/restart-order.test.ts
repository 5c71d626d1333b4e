import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { unlimited } from '../../shared/domain/gate-settings/pace-settings';
import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { configMap, deployment, fromConfigMap, job, namespace } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { Harness, type Engine } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const minuteMs = 60_000;
const bad = 'black';
let harness: Harness;
let engine: Engine | undefined;

const envFrom = [fromConfigMap('app')];
function app(name: string, annotations: Record<string, string> = {}) {
  return deployment({ name, namespace: 'shop', replicas: 1, annotations: { ...auto, ...annotations }, envFrom });
}
function task(name: string, annotations: Record<string, string> = {}) {
  return job({ name, namespace: 'shop', annotations: { ...auto, ...annotations }, envFrom });
}

async function start(
  settings: Partial<EngineSettings> = {},
  { readyDelayMs = 5_000, jobDurationMs = minuteMs } = {},
): Promise<void> {
  const isBroken = (sources: ReadonlyMap<string, unknown>): boolean =>
    [...sources.values()].some((each) => fieldAt(each, ['data', 'color']) === bad);
  new Controllers(harness.server, { readyDelayMs, isBroken, jobDurationMs }).start();
  await harness.clock.advance(2 * minuteMs);
  engine = await harness.start({ pace: unlimited, stages: withoutStages, ...settings });
  await harness.clock.advance(30_000);
}

async function edit(color: string, name = 'app'): Promise<void> {
  await harness.edit('ConfigMap', name, { color }, 'shop');
}

function recreations(name: string): number {
  return harness
    .writesOf('Job', name, 'shop')
    .filter(({ user, previous }) => user === 'reroll' && previous === undefined).length;
}

beforeEach(() => {
  harness = new Harness();
  harness.seed(namespace('shop'), configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }));
  engine = undefined;
});
afterEach(async () => await engine?.stop());

describe('waves', () => {
  it('wait for a lower wave that failed for the change, whatever is written to labels of the source meanwhile', async () => {
    harness.seed(app('first', { 'reroll.dev/wave': '-1' }), app('web'));
    await start();
    await edit(bad);
    await harness.clock.advance(minuteMs);
    expect(harness.restartOrder()).toEqual(['first']);
    await harness.patchSource('ConfigMap', 'app', { metadata: { labels: { team: 'x' } } }, 'shop');
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toEqual(['first']);
  });
  it('wait for a lower wave that rolls, whatever is written to annotations of the source meanwhile', async () => {
    harness.seed(app('first', { 'reroll.dev/wave': '-1' }), app('web'));
    await start({}, { readyDelayMs: 50_000 });
    await edit('blue');
    await harness.clock.advance(5_000);
    expect(harness.restartOrder()).toEqual(['first']);
    await harness.patchSource(
      'ConfigMap',
      'app',
      { metadata: { annotations: { 'reroll.dev/urgent': 'true' } } },
      'shop',
    );
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toEqual(['first']);
    await harness.clock.advance(2 * minuteMs);
    expect(harness.restartOrder()).toEqual(['first', 'web']);
  });
});

describe('a Job', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['in a lower wave is complete before the next wave restarts', { 'reroll.dev/wave': '-1' }, {}],
    ['named by after is complete before', {}, { 'reroll.dev/after': 'job/migrate' }],
  ])('%s', async (_what, ofJob, ofOther) => {
    harness.seed(task('migrate', ofJob), app('web', ofOther));
    await start();
    await edit('blue');
    await harness.clock.advance(20_000);
    expect(recreations('migrate')).toBe(1);
    expect(harness.restartOrder()).toEqual([]);
    await harness.clock.advance(2 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web']);
  });

  it('that goes first is complete before others restart', async () => {
    harness.seed(
      task('migrate', { 'reroll.dev/canary': 'true' }),
      ...Array.from({ length: 9 }, (_, n) => app(`web-${n}`)),
    );
    await start({ stages: { fromUsers: 5, healthyForMs: 30_000, deadlineMs: 5 * minuteMs } });
    await edit('blue');
    await harness.clock.advance(20_000);
    expect(recreations('migrate')).toBe(1);
    expect(harness.restartOrder()).toEqual([]);
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(9);
  });

  it('keeps its interval', async () => {
    harness.seed(task('migrate', { 'reroll.dev/min-interval': '1h' }));
    await start({}, { jobDurationMs: 1_000 });
    await edit('blue');
    await harness.clock.advance(minuteMs);
    expect(recreations('migrate')).toBe(1);
    await edit('green');
    await harness.clock.advance(30 * minuteMs);
    expect(recreations('migrate')).toBe(1);
    await harness.clock.advance(31 * minuteMs);
    expect(recreations('migrate')).toBe(2);
  });

  it.each<[string, () => Promise<void>]>([
    ['is deleted', async () => await harness.delete('Job', 'migrate', 'shop')],
    [
      'asks for no restarts any more',
      async () =>
        await harness.patch(
          'Job',
          'migrate',
          { metadata: { annotations: { 'reloader.stakater.com/auto': null } } },
          'shop',
        ),
    ],
  ])('that %s before a watch or a list shows it keeps nobody waiting', async (_what, act) => {
    harness.seed(task('migrate'), app('web', { 'reroll.dev/after': 'job/migrate' }));
    let hangs = true;
    // As behind a proxy that has lost its connection. When that is noticed, the version of the watch is compacted.
    harness.faults.add({
      match: ({ user, isWatch, pathname }) => hangs && user === 'reroll' && isWatch && pathname.endsWith('/jobs'),
      fault: { kind: 'half-open', atEvent: 0 },
    });
    await start();
    await edit('blue');
    await harness.clock.advance(20_000);
    expect(recreations('migrate')).toBe(1);
    await act();
    await harness.clock.advance(minuteMs);
    harness.server.compact();
    hangs = false;
    await harness.clock.advance(60 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web']);
  });

  it('that fails at its creation for a while keeps later waves waiting', async () => {
    harness.seed(task('migrate', { 'reroll.dev/wave': '-1' }), app('web'));
    await start();
    harness.faults.add({
      match: ({ user, method, pathname }) => user === 'reroll' && method === 'POST' && pathname.endsWith('/shop/jobs'),
      fault: { kind: 'status', code: 500 },
      times: 3,
    });
    await edit('blue');
    await harness.clock.advance(20_000);
    expect(harness.restartOrder()).toEqual([]);
  });
});
