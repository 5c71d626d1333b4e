import { describe, expect, it } from '@jest/globals';
import { noFeatures } from './features';
import { simulate } from './simulation';
import type { Weather } from './weather';
import { drawWorld, type World } from './world';

describe('nothing is restarted without a reason', () => {
  /**
   * ConfigMaps are forbidden for a while, so the engine gets each by name. In the meantime a list shows them without
   * their content, and a proxy answers such a GET with 404. A StatefulSet that is seen only after the ConfigMaps are
   * seen again has no record of them.
   */
  it('if a proxy answers 404 for a source that a list has shown', async () => {
    const weather: readonly Weather[] = [
      { kind: 'lost-answer', fromMs: 0, toMs: 56_277, rate: 1, resource: 'statefulsets', seed: 1754728611 },
      { kind: 'forbidden', fromMs: 0, toMs: 21_780, rate: 1, resource: 'configmaps', seed: 892877057 },
      { kind: 'not-found', fromMs: 22_549, toMs: 69_000, rate: 0.5, resource: undefined, seed: 43390262 },
      { kind: 'stream-malformed', fromMs: 0, toMs: 45_252, rate: 0.5, resource: undefined, seed: 581936645 },
    ];
    const { violations, story } = await simulate({ ...drawWorld(4242052), steps: [], weather });
    expect(story.join()).toContain('not-found: GET /api/v1/namespaces/default/configmaps/app');
    expect(violations).toEqual([]);
  });
});

describe('a change is not missed by a process whose clock is minutes ahead', () => {
  const world: Omit<World, 'seed' | 'stormMs' | 'steps' | 'weather'> = {
    ...{ replicas: 1, strategy: 'env-vars', calm: false, controllers: false, laterTerm: false },
    ...{ watchList: 'supported', watchWindow: 1_000, maxLatencyMs: 5, lagMs: new Map() },
    ...{ features: noFeatures, dark: undefined, hybrid: undefined },
  };

  /** By its own clock, the process had not begun to watch when the source was edited. */
  it('if the first list comes after the change', async () => {
    const weather: readonly Weather[] = [
      { kind: 'gone', fromMs: 0, toMs: 12_064, rate: 1, resource: undefined, seed: 515_255_264 },
      { kind: 'stream-half-open', fromMs: 2_191, toMs: 15_536, rate: 0.5, resource: undefined, seed: 2_145_910_149 },
    ];
    const { violations, story } = await simulate({
      ...{ ...world, seed: 41_000_692, stormMs: 19_000, weather },
      steps: [
        { kind: 'skew-clock-by-minutes', atMs: 214, uponWrite: false, seed: 707_485_377 },
        { kind: 'edit-source', atMs: 2_891, uponWrite: true, seed: 1_149_735_909 },
      ],
    });
    expect(story.join()).toContain('its clock is 480000 ms off');
    expect(story.join('\n')).toMatch(/stream-half-open: GET \/api\/v1\/secrets .*\n(.*\n)*.*edit Secret default\/db/);
    expect(violations).toEqual([]);
  });

  /** By the times in its Lease, the dead process still led when the workload was created and the source changed. */
  it('if the next process finds the workload and the change', async () => {
    const { violations, story } = await simulate({
      ...{ ...world, seed: 41_006_527, stormMs: 24_000, weather: [], watchList: 'rejected' },
      steps: [
        { kind: 'hold-and-crash', atMs: 322, uponWrite: false, seed: 199_489_925 },
        { kind: 'skew-clock-by-minutes', atMs: 5_386, uponWrite: false, seed: 1_489_450_262 },
        { kind: 'create-workload-and-edit', atMs: 16_041, uponWrite: false, seed: 1_260_942_385 },
        { kind: 'crash-long', atMs: 20_657, uponWrite: false, seed: 1_778_353_870 },
        { kind: 'release', atMs: 21_158, uponWrite: false, seed: 1_399_217_790 },
      ],
    });
    expect(story.join()).toContain('its clock is 240000 ms off');
    expect(story.join('\n')).toMatch(/engine-0-3 MODIFIED Deployment default\/web /);
    expect(violations).toEqual([]);
  });
});

describe('a baseline that could not be written', () => {
  /** The process was killed a minute after the refusal, and the record that it could not write was lost with it. */
  it('is written before other processes start a day later', async () => {
    const features = { reloadOnCreate: true, reloadOnDelete: true, selectsSources: true, wishes: true };
    const { violations, story } = await simulate({
      ...{ seed: 777_008_240, replicas: 2, strategy: 'env-vars', calm: false, controllers: false, laterTerm: true },
      ...{ watchList: 'supported', watchWindow: 6, maxLatencyMs: 5, lagMs: new Map(), stormMs: 53_000 },
      ...{ features: { ...noFeatures, ...features }, dark: undefined, hybrid: undefined },
      weather: [{ kind: 'forbidden', fromMs: 48_417, toMs: 52_766, rate: 1, resource: undefined, seed: 284_022_557 }],
      steps: [{ kind: 'ask-otherwise', atMs: 51_174, uponWrite: false, seed: 1_903_209_378 }],
    });
    expect(story.join('\n')).toMatch(
      /forbidden: PATCH .*\/deployments\/api of engine-0-1\n(.*\n)*.*engine-0-1 MODIFIED .*api/,
    );
    expect(story.join()).toContain('killed, for 86400000 ms');
    expect(violations).toEqual([]);
  });

  /** For a minute the server does not find the workload, and both processes are killed. Then a ConfigMap is edited. */
  it('is lost with a process that could not write it for a minute', async () => {
    const { violations, story } = await simulate(drawWorld(429_230_320));
    const inTurn = /not-found: PATCH .*\/store of engine-1-1\n(.*\n)*.*engine-1-1 is killed(.*\n)*.*edit .*extra/;
    expect(story.join('\n')).toMatch(inTurn);
    expect(violations).toEqual([]);
  });
});

/**
 * A label leaves a source out, the source is edited, and it is taken in again. Meanwhile a workload is created with a
 * record from the webhook.
 */
function worldThatLeavesOut(seed: number, leavingOut: number, creation: number): World {
  const quiet = { maxLatencyMs: 2, lost: 0, lostAnswer: 0 };
  return {
    ...{ seed, replicas: 1, strategy: 'restarted-at', calm: false, controllers: false, laterTerm: false },
    ...{ watchList: 'supported', watchWindow: 1_000, maxLatencyMs: 5, lagMs: new Map([['configmaps', 6_000]]) },
    ...{ stormMs: 12_000, weather: [], dark: undefined, features: { ...noFeatures, leavesOutSources: true } },
    steps: [
      { kind: 'take-in-source-after-edit', atMs: 7_000, uponWrite: false, seed: leavingOut },
      { kind: 'create-workload-and-edit', atMs: 9_000, uponWrite: false, seed: creation },
    ],
    hybrid: {
      ...{ replicas: 1, paths: ['mutate'], conditions: false, discover: true },
      ...{ calls: { ...quiet, twice: 0 }, channel: { ...quiet, reset: 0, late: 0 } },
    },
  };
}

describe('the content of a source while a label excluded it', () => {
  /**
   * The webhook records what the leader knows. The leader's watch has not shown yet that the source was left out and
   * edited. When the source is taken in again, the record moves on to what the pods have read.
   */
  it.each([
    ['StatefulSet', 'StatefulSet default/store', worldThatLeavesOut(276, 2_185_644, 28_905_204)],
    ['CronJob', 'CronJob default/report', worldThatLeavesOut(59, 467_221, 6_179_011)],
  ])('is not a change for a %s that was created in that time', async (_kind, name, world) => {
    const { violations, story } = await simulate(world);
    expect(violations).toEqual([]);
    const told = ['leave out ConfigMap default/app', 'edit ConfigMap default/app', `create ${name}`];
    for (const what of [...told, 'take in ConfigMap default/app']) expect(story.join()).toContain(what);
    expect(story.join('\n')).toMatch(new RegExp(`engine-0-1 MODIFIED ${name} .*"n":2,`));
  });

  /**
   * A removed key leaves no timestamp. The content without it looked as if it had existed when the CronJob was created.
   */
  it('is a change for a CronJob that was created before a key was removed', async () => {
    const { violations, story } = await simulate(worldThatLeavesOut(240, 1_900_560, 25_134_960));
    expect(violations).toEqual([]);
    expect(story.join()).toContain('edit ConfigMap default/extra by bob {"size":"value-4-"}');
    expect(story.join('\n')).toMatch(/engine-0-1 ADDED Job default\/report/);
  });
});

describe('a day after everything was done, nothing is left to do', () => {
  /** Records under a new digest key wait for a server in trouble, and the world is already quiet in the meantime. */
  it('if the server asked for a retry a day later', async () => {
    const { violations, story, situations } = await simulate(drawWorld(90_216_245));
    expect(violations).toEqual([]);
    expect(story.join()).toContain('throttled-for-a-day: PATCH');
    expect(situations).toContain('another term began a day later');
  });
});

describe('a list is read in time', () => {
  it('if the server ignores the request to stream it, and the resource changes again and again', async () => {
    const world = drawWorld(66_279_965);
    expect(world.watchList).toBe('ignored');
    const { violations, story } = await simulate(world);
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/take in Namespace \/default[^]*edit ConfigMap default\/app/);
  });
});
