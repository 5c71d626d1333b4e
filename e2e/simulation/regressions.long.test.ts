import { describe, expect, it } from '@jest/globals';
import {
  configMap,
  cronJob,
  deployment,
  envFromKey,
  fromConfigMap,
  fromSecret,
  job,
  secret,
} from '../apiserver/cluster';
import type { FaultTarget } from '../apiserver/faults';
import { Harness } from '../engine/harness';
import { noFeatures } from './features';
import { simulate } from './simulation';
import type { Weather } from './weather';
import { drawWorld, type World } from './world';

const auto = { 'reloader.stakater.com/auto': 'true' };
const app = configMap({ name: 'app', data: { color: 'red', size: 'small' } });

/**
 * Fails new lists and watches of the resource until the returned function is called. That function also compacts the
 * history, so that the reflector must list again.
 */
function outage(harness: Harness, plural: string): () => void {
  const end = harness.faults.add({
    match: ({ pathname }) => pathname.endsWith(`/${plural}`),
    fault: { kind: 'status', code: 503 },
  });
  return () => {
    harness.server.compact();
    end();
  };
}

/** Bugs that the simulation found, each with the fewest steps that show it. */
describe('a change is not missed', () => {
  it('if the workload is older than the install and the server fails the write of its first baseline', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(600_000);
    const end = harness.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'status', code: 500 } });
    await harness.start();
    await harness.clock.advance(20_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('if source and workload are created in one second and the watch of sources is behind', async () => {
    const harness = new Harness();
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/configmaps'),
      fault: { kind: 'lag', lagMs: 5_000 },
    });
    await harness.start();
    await harness.clock.advance(20_000);
    harness.seed(app, deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app', true)] }));
    await harness.clock.advance(100);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('if the workload starts to use all keys and another key changes while no process watches', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] }));
    await (await harness.start()).stop();
    await harness.clock.advance(60_000);
    const containers = [{ name: 'app', envFrom: [fromConfigMap('app')] }];
    await harness.patch('Deployment', 'web', { spec: { template: { spec: { containers } } } });
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'app', { size: 'large' });
    await harness.clock.advance(60_000);
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a change after the workload started to use the source is not missed', () => {
  const extra = configMap({ name: 'extra', data: { color: 'red' } });
  const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });

  /** The workload starts to use `extra`, which then changes. Another write to the workload is later than both. */
  async function useExtra(harness: Harness): Promise<void> {
    const containers = [{ name: 'app', envFrom: [fromConfigMap('app'), fromConfigMap('extra')] }];
    await harness.patch('Deployment', 'web', { spec: { template: { spec: { containers } } } });
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'extra', { color: 'blue' });
    await harness.clock.advance(5_000);
    await harness.patch('Deployment', 'web', { spec: { replicas: 3 } });
    await harness.clock.advance(5_000);
  }

  it('if another write to the workload follows, all while no process watches', async () => {
    const harness = new Harness();
    harness.seed(app, extra, web);
    await (await harness.start()).stop();
    await useExtra(harness);
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('if another write to the workload follows before a list shows it', async () => {
    const harness = new Harness();
    harness.seed(app, extra, web);
    await harness.start();
    const end = outage(harness, 'deployments');
    await harness.clock.advance(600_000);
    await useExtra(harness);
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it.each([
    ['a label', async (harness: Harness) => await harness.label('ConfigMap', 'app', { team: 'a' })],
    ['another key', async (harness: Harness) => await harness.edit('ConfigMap', 'app', { color: 'blue' })],
  ])('if the change removes a key, and a list shows it together with an earlier change of %s', async (_what, edit) => {
    const harness = new Harness();
    harness.seed(app);
    await harness.start();
    const ends = [outage(harness, 'configmaps'), outage(harness, 'deployments')];
    await harness.clock.advance(600_000);
    await edit(harness);
    await harness.clock.advance(5_000);
    harness.seed(web);
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'app', { size: null });
    for (const end of ends) {
      end();
      await harness.clock.advance(60_000);
    }
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a baseline', () => {
  it('is written again if somebody removes it before the answer to its write arrives', async () => {
    const harness = new Harness({ watchList: 'rejected' });
    harness.seed(app, deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }));
    harness.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'lag', lagMs: 5_000 }, times: 1 });
    // The watch shows neither that write nor what follows, but a list does.
    harness.faults.add({
      match: ({ isWatch, pathname, query }) =>
        isWatch && pathname.endsWith('/deployments') && !query.has('sendInitialEvents'),
      fault: { kind: 'error-event', code: 410, atEvent: 0 },
      times: 1,
    });
    harness.launch();
    await harness.clock.advance(100);
    expect(harness.writesOf('Deployment', 'web')).toHaveLength(2);
    await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reroll.dev/baseline': null } } });
    await harness.clock.advance(60_000);
    const { metadata } = await harness.get('Deployment', 'web');
    expect(metadata.annotations).toHaveProperty(['reroll.dev/baseline']);
  });
});

describe('a change after the creation of a source is not missed', () => {
  it('if the source is recreated and edited before a list shows it', async () => {
    const harness = new Harness();
    harness.seed(app);
    await harness.start();
    await harness.clock.advance(20_000);
    await harness.delete('ConfigMap', 'app');
    await harness.clock.advance(20_000);
    const end = harness.faults.add({
      match: ({ pathname }) => pathname.endsWith('/configmaps'),
      fault: { kind: 'status', code: 503 },
    });
    harness.server.compact();
    await harness.clock.advance(600_000);
    harness.seed(app, deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app', true)] }));
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a change of a source that was recorded as absent is not missed', () => {
  it('if the source is created and edited while no process watches', async () => {
    const harness = new Harness();
    harness.seed(deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app', true)] }));
    await (await harness.start()).stop();
    harness.seed(app);
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a process that acquires the Lease late', () => {
  const leases = ({ method, pathname }: FaultTarget): boolean => method !== 'GET' && pathname.includes('/leases');

  it('does not restart a workload that was created after the change, while the process stood by', async () => {
    const harness = new Harness();
    harness.seed(app);
    const end = harness.faults.add({ match: leases, fault: { kind: 'status', code: 409 } });
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(30_000);
    harness.seed(deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(30_000);
    end();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('restarts for a change before its start, even if it loses the Lease before it can list the sources', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(600_000);
    await (await harness.start()).stop();
    // Also sets a label, because a removal alone would leave no timestamp.
    const metadata = { annotations: { 'reroll.dev/baseline': null }, labels: { team: 'a' } };
    await harness.patch('Deployment', 'web', { metadata });
    await harness.clock.advance(2_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(90_000);
    const unreadable = harness.faults.add({
      match: ({ pathname }) => pathname.endsWith('/configmaps'),
      fault: { kind: 'status', code: 503 },
    });
    await harness.start();
    const unwritable = harness.faults.add({ match: leases, fault: { kind: 'status', code: 503 } });
    await harness.clock.advance(25_000);
    unwritable();
    await harness.clock.advance(10_000);
    unreadable();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a Job', () => {
  const created = (harness: Harness): number =>
    harness.server
      .history()
      .filter(({ kind, type, user }) => kind.kind === 'Job' && type === 'ADDED' && user === 'reroll').length;

  it('is recreated only once if one of its sources was created moments before the change', async () => {
    const harness = new Harness();
    const envFrom = [fromConfigMap('app'), fromSecret('db', true)];
    harness.seed(app, job({ name: 'migrate', annotations: auto, envFrom }));
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/secrets'),
      fault: { kind: 'lag', lagMs: 6_000 },
    });
    await harness.start();
    await harness.clock.advance(60_000);
    harness.seed(secret({ name: 'db', data: { token: 'a' } }));
    await harness.clock.advance(500);
    await harness.edit('Secret', 'db', { token: 'b' });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(created(harness)).toBe(1);
  });

  it('is recreated although the server once answers 404 for its journal entry', async () => {
    const harness = new Harness();
    harness.seed(app, job({ name: 'migrate', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.start();
    harness.faults.add({
      match: ({ method, pathname }) => method === 'GET' && pathname.includes('/secrets/reroll-job-'),
      fault: { kind: 'status', code: 404 },
      times: 1,
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(created(harness)).toBe(1);
  });
});

describe('a run of a CronJob', () => {
  it('is recorded later if the permission to patch the CronJob was missing during the run', async () => {
    const harness = new Harness();
    harness.seed(app, cronJob({ name: 'report', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.start();
    await harness.clock.advance(20_000);
    const end = harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.includes('/cronjobs/'),
      fault: { kind: 'status', code: 403 },
    });
    const recorded = () => harness.objects('CronJob')[0]?.metadata.annotations?.['reroll.dev/baseline'];
    const before = recorded();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(recorded()).toBe(before);
    end();
    await harness.clock.advance(11 * 60_000);
    expect(recorded()).not.toBe(before);
    expect(harness.server.history().filter(({ kind, type }) => kind.kind === 'Job' && type === 'ADDED')).toHaveLength(
      1,
    );
  });
});

describe('nothing is restarted without a reason', () => {
  it('if the last of several edits in one second is seen only after the creation of the workload', async () => {
    const harness = new Harness();
    harness.seed(app);
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/configmaps'),
      fault: { kind: 'lag', lagMs: 4_000 },
    });
    await harness.start();
    await harness.clock.advance(20_000);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(100);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(3_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    // The watch delivers both edits now. The settle window delays the first look until then.
    const settle = { 'reroll.dev/settle': '3s' };
    await harness.clock.advance(950);
    harness.seed(deployment({ name: 'web', annotations: { ...auto, ...settle }, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

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

  it('if a Job no longer asks for the source, and its watch is behind', async () => {
    const harness = new Harness();
    harness.seed(app, job({ name: 'migrate', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.start();
    await harness.clock.advance(20_000);
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/jobs'),
      fault: { kind: 'half-open', atEvent: 0 },
    });
    await harness.clock.advance(600_000);
    await harness.patch('Job', 'migrate', { metadata: { annotations: { 'reloader.stakater.com/auto': null } } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.server.history().filter(({ kind, type }) => kind.kind === 'Job' && type === 'DELETED')).toEqual([]);
  });
});

describe('the author of a change is still named', () => {
  /** Meanwhile the source changes twice more, and the engine remembers the authors of only two states per source. */
  it('if newer changes are reported while Reroll looks for a rollout that answers the first', async () => {
    const { violations, story } = await simulate(drawWorld(540_699));
    expect(story.join()).toContain('its batch reaches engine-0-1: 202, ConfigMap shop/app by alice');
    expect(violations).toEqual([]);
  });
});

describe('after a restore of etcd', () => {
  it.each([
    ['a Job is recreated if its journal entry is part of the backup', 602_175],
    ['a source is not read at a resourceVersion that does not exist yet', 602_489],
    ['a source whose read was under way is not read at a resourceVersion that does not exist yet', 607_509],
  ])('%s', async (_what, seed) => {
    const { violations, story } = await simulate(drawWorld(seed));
    expect(story.join()).toContain('is restored to revision');
    expect(violations).toEqual([]);
  });
});

describe('a baseline that another admission webhook removes from the write', () => {
  /**
   * If the webhook removes everything from a write, nothing is stored and no watch event follows. The engine once took
   * such a write for stored.
   */
  it('is recorded when the webhook stops', async () => {
    const { violations, story } = await simulate(drawWorld(180));
    expect(story.slice(0, 20).join()).toMatch(/takes out the record/);
    expect(violations).toEqual([]);
  });
});

describe('a rotation is not missed', () => {
  /**
   * The first list of statuses breaks off after it has shown one without versions. Before the next list, that status
   * gets its first versions and then those of a rotation.
   */
  it('if its pod was last seen before it had mounted anything', async () => {
    const { violations, story } = await simulate(drawWorld(701765));
    expect(story.join()).toContain('show other versions in status agent-7-default-tls');
    expect(violations).toEqual([]);
  });
});

describe('a change since an older version recorded the workload is not missed', () => {
  /**
   * The workload was recorded once, without its uid, and never restarted. A key is removed while nobody watches, which
   * leaves no timestamp. The content without it looked as if it had existed when the workload was created.
   */
  it('if the change is the removal of a key', async () => {
    const { violations, story } = await simulate(drawWorld(800982));
    expect(story.join()).toContain('write as an older version would StatefulSet default/store');
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

describe('with --reload-on-create, a source whose excluding label is removed', () => {
  /** Nothing dates the removal: the source was written last before the workload was created. */
  it('is new to a workload that was created before', async () => {
    const { violations, story } = await simulate(drawWorld(1_400_011_741));
    expect(story.join('\n')).toMatch(/create Deployment shop\/api (.*\n)*.*take in Secret shop\/db/);
    expect(violations).toEqual([]);
  });
});

describe('a restart of which somebody else removes the marker', () => {
  /** To take its record back meets a conflict. Then a read shows a newer state, and the watch an older one. */
  it('stays owed, whatever a lagging watch shows', async () => {
    const { violations, story } = await simulate(drawWorld(1_800_003_341));
    expect(story.join('\n')).toContain('gatekeeper takes out the marker of what is written in shop');
    expect(violations).toEqual([]);
  });
});

describe('a source that nobody could read', () => {
  /** Secrets are forbidden. Meanwhile `auto: "false"` is removed beside a list that names one, and the Secret is edited. */
  it('has been used since before the annotations were edited', async () => {
    const { violations, story } = await simulate(drawWorld(1_700_017_732));
    expect(story.join('\n')).toMatch(/forbidden: GET .*secrets\/db(.*\n)*.*edit Secret default\/db/);
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

describe('the judge demands no restart that no process can know of', () => {
  it('if the namespace was excluded when the digest key was lost, and is selected again after an edit', async () => {
    const { violations, story } = await simulate(drawWorld(310_013_159));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /write Secret reroll\/reroll-digest-key[^]*deselect Namespace \/shop[^]*select Namespace/,
    );
  });

  it('if a label brought the source into the selection and a key was removed before any process had recorded the workload', async () => {
    const { violations, story } = await simulate(drawWorld(1_230_009_628));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/engine-0-1 has stopped[^]*take in Secret default\/db[^]*edit Secret default\/db/);
  });

  it('if a label brought the source into the selection and it was edited before it was listed again after a restore', async () => {
    const { violations, story } = await simulate(drawWorld(1_250_013_637));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /is restored to revision[^]*take in ConfigMap default\/app[^]*edit ConfigMap default\/app/,
    );
  });

  it('if a label brought the source into the selection and it was edited while the watch was silent', async () => {
    const { violations, story } = await simulate(drawWorld(81_133_598));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/ select Secret default\/db[^]*edit Secret default\/db/);
  });

  it('if a source with the label was created together with its workload and edited while the watch was broken', async () => {
    const { violations, story } = await simulate(drawWorld(141_597_086));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/edit ConfigMap shop\/app by alice {[^]*stream-reset: GET \/api\/v1\/configmaps/);
  });
});

describe('the judge grants a restart the time until a kind is seen to be served', () => {
  it('if the statuses of a CSI driver are served later than Reroll starts', async () => {
    const { violations, story } = await simulate(drawWorld(141_421_588));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/show other versions in status store-[^]*MODIFIED StatefulSet default\/store/);
  });
});

describe('the judge grants a restart the time of its settle window', () => {
  it('which an edit of a source that does not match extends', async () => {
    const { violations, story } = await simulate(drawWorld(1_500_011_966));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/edit Secret shop\/db by carol[^]*edit ConfigMap shop\/app by alice/);
  });
});

describe('the judge accepts a restart in doubt', () => {
  it('if a key was removed while no label selected the source, and shows only after the workload was created', async () => {
    const { violations, story } = await simulate(drawWorld(1_400_003_978));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /deselect ConfigMap default\/app[^]*edit ConfigMap default\/app[^]*select ConfigMap default\/app[^]*create DaemonSet/,
    );
  });
});

describe('a change is owed to the leader of the next day', () => {
  it('if its source began to count and was edited while the restart had to wait', async () => {
    const { violations, story } = await simulate(drawWorld(991_196));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /take in Secret default\/db[^]*put reroll\.dev\/hold[^]*edit Secret default\/db[^]*take reroll\.dev\/hold away/,
    );
  });
});

describe('a user of a source waits until the first one is healthy', () => {
  it('if the first one was read by name, and its watch lags behind', async () => {
    const { violations, story } = await simulate(drawWorld(1_400_004_686));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/break everybody with ConfigMap default\/app/);
  });

  it('if others restart for another source meanwhile', async () => {
    const { violations, story } = await simulate(drawWorld(1_400_016_653));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/break everybody with ConfigMap default\/extra/);
  });
});

describe('no more restarts begin than the rate says', () => {
  it('if one of them has yet to roll out since its last restart', async () => {
    const { violations, story } = await simulate(drawWorld(740_000_170));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/put reroll\.dev\/canary: yes on Deployment shop\/api/);
  });
});

describe('the judge takes a restart for one that may begin', () => {
  it('if what held it ended in the millisecond in which it was decided', async () => {
    const { violations, story } = await simulate(drawWorld(3_351));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /take reroll\.dev\/hold away from Namespace \/default[^]*ADDED Job default\/migrate/,
    );
  });
});

describe('the judge lets a later wave restart', () => {
  it('if an earlier one that the change does not concern restarts for another source', async () => {
    const { violations, story } = await simulate(drawWorld(31_418_366));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /put reroll\.dev\/wave: 5 on StatefulSet default\/store[^]*MODIFIED DaemonSet default\/agent[^]*MODIFIED StatefulSet default\/store/,
    );
  });
});

describe('nobody else goes first with a content', () => {
  it('if the watch shows late that an earlier restart, whose answer was lost, had been rolled back', async () => {
    const { violations, story } = await simulate(drawWorld(1_137_188));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /lost-answer: PATCH [^ ]*\/store[^]*roll back StatefulSet default\/store[^]*MODIFIED StatefulSet default\/store/,
    );
  });
});

describe('a change is not missed by a process that reads by name or lists', () => {
  it('if the workload opted in after it was read, and the watch was faster than the answer', async () => {
    const { violations, story } = await simulate(drawWorld(81_133_670));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /annotate \{"reloader[^}]*"false"\} Deployment default\/web[^]*annotate \{\} Deployment default\/web[^]*MODIFIED Deployment default\/web/,
    );
  });

  it('if a source was created again, and lost a key before anybody saw it', async () => {
    const { violations, story } = await simulate(drawWorld(81_137_210));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /delete ConfigMap default\/extra[^]*create ConfigMap default\/extra[^]*create DaemonSet default\/agent[^]*edit ConfigMap default\/extra[^]*MODIFIED DaemonSet default\/agent/,
    );
  });
});

describe('a source that a removed label lets in before the first lists are complete', () => {
  /** Everything is forbidden until after the label has gone, and nothing tells when it went. */
  it('counts as there since before, as it is first seen', async () => {
    const { violations, story } = await simulate(drawWorld(858_727_304));
    expect(story.join('\n')).toMatch(
      /forbidden[^]*take in ConfigMap default\/extra[^]*MODIFIED StatefulSet default\/store/,
    );
    expect(violations).toEqual([]);
  });
});

describe('a restart that is held', () => {
  /** A late record names the author of a state that nobody saw. Somebody else returns to it, and both have written it. */
  it('names the authors that are known since its state was shown', async () => {
    const { violations, story } = await simulate(drawWorld(161_570_807));
    expect(story.join('\n')).toMatch(/create ConfigMap reroll\/reroll-hold[^]*edit ConfigMap default\/extra/);
    expect(violations).toEqual([]);
  });
});

describe('a workload that comes to use another key of a source that is deleted', () => {
  it('is restarted when that is created, if creations count', async () => {
    const { violations, story } = await simulate(drawWorld(161_568_199));
    expect(story.join('\n')).toMatch(/delete Secret default\/db[^]*replace StatefulSet[^]*create Secret default\/db/);
    expect(violations).toEqual([]);
  });
});

describe('a restart that somebody else altered on its way', () => {
  /** Marker and record are removed. Then a user edits the template, and admission lets that edit answer the change. */
  it('is owed as before, until a write of somebody else answers the change', async () => {
    const { violations, story } = await simulate(drawWorld(858_716_913));
    expect(story.join('\n')).toMatch(/takes out the marker and record[^]*edit references of Deployment default\/web/);
    expect(violations).toEqual([]);
  });
});

/** It is dated by the list that shows it, and workloads that were created before that restart once in doubt. */
describe('a source that was created again unseen may have lost a key since', () => {
  it('if its predecessor had a key that it lacks', async () => {
    const { violations, story } = await simulate(drawWorld(429_247_207));
    expect(story.join('\n')).toMatch(/cut off[^]*delete ConfigMap default\/app [^]*create ConfigMap default\/app /);
    expect(violations).toEqual([]);
  });

  it('if nobody has read what keys its predecessor had', async () => {
    const { violations, story } = await simulate(drawWorld(429_246_952));
    expect(story.join('\n')).toMatch(/delete ConfigMap shop\/app [^]*create ConfigMap shop\/app /);
    expect(violations).toEqual([]);
  });
});

describe('a list of keys that is edited while no process runs', () => {
  it('lets a young workload restart in doubt: nobody knows since when the keys count', async () => {
    const { violations, story } = await simulate(drawWorld(521_248_076));
    expect(story.join('\n')).toMatch(
      /is killed[^]*put reroll.dev\/keys: color on Secret default\/db[^]*engine-0-2 starts/,
    );
    expect(violations).toEqual([]);
  });
});

describe('a content that was compacted before it was read', () => {
  it('may have lost a key by the write that replaced it, even if that set an annotation', async () => {
    const { violations, story } = await simulate(drawWorld(521_232_233));
    expect(story.join('\n')).toMatch(
      /put reloader.stakater.com\/match of ConfigMap default\/extra[^]*compacts its history/,
    );
    expect(violations).toEqual([]);
  });
});

describe('a workload is not restarted for nothing', () => {
  it('if a label selects a source again that has lost no key, although nobody had read it before', async () => {
    const { violations, story } = await simulate(drawWorld(858_727_886));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /deselect Secret shop\/db[^]*select Secret shop\/db[^]*create Deployment shop\/api/,
    );
  });

  it('if it is a Job, and a watch shows the changes from before its creation one by one', async () => {
    const { violations, story } = await simulate(drawWorld(577_226_218));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/edit ConfigMap default\/app[^]*ADDED Job default\/migrate/);
  });

  it('if a namespace was created again with all in it, and a list of metadata shows that', async () => {
    const { violations, story } = await simulate(drawWorld(314_162_299));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/delete namespace shop[^]*create Secret shop\/db[^]*create Deployment shop\/api/);
  });
});

describe('a restore of etcd is noticed', () => {
  it('for a workload to which the answer to a write came after it', async () => {
    const { violations, story } = await simulate(drawWorld(314_161_041));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/is restored to revision 145[^]*MODIFIED StatefulSet default\/store/);
  });
});

describe('a workload waits for the one that it names', () => {
  it('if they named each other before, and an annotation has opened the circle', async () => {
    const { violations, story } = await simulate(drawWorld(161_814_414));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /put reroll\.dev\/after: deployment\/web, statefulset\/store on Deployment default\/web[^]*MODIFIED Deployment default\/web/,
    );
  });
});

describe('an author is named', () => {
  it('if the server did not find the workloads when the webhook reported the change', async () => {
    const { violations, story } = await simulate(drawWorld(577_219_258));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/is restored to revision[^]*MODIFIED Deployment default\/web/);
  });
});

describe('the others wait for the second workload of a change', () => {
  it('if the first one has restarted for something else since', async () => {
    const { violations, story } = await simulate(drawWorld(271_845_773));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/put reroll\.dev\/after: daemonset\/agent[^]*MODIFIED Deployment default\/web/);
  });
});

describe('the judge demands nothing for a baseline that nobody saw', () => {
  it('because etcd was restored, and somebody replaced its workload in the same second', async () => {
    const { violations, story } = await simulate(drawWorld(577_223_456));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/is restored to revision[^]*replace Deployment shop\/api/);
  });
});

describe('the judge accepts a restart for the absence of a source', () => {
  it('if its creation was undone by a restore of etcd, and a process had restarted for it before it knew of that', async () => {
    const { violations, story } = await simulate(drawWorld(577_222_401));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/is restored to revision[^]*"cm\/app":"-"/);
  });
});

describe('the judge accepts a Job that is created again', () => {
  it('in a namespace that is left out, if its entry in the journal was written before that was known', async () => {
    const { violations, story } = await simulate(drawWorld(271_831_908));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /deselect Namespace \/default[^]*MODIFIED Secret reroll\/reroll-job[^]*DELETED Job default\/migrate/,
    );
  });

  it('for a deletion that a restore of etcd undid, if its entry in the journal was written before that was known', async () => {
    const { violations, story } = await simulate(drawWorld(271_834_743));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /delete Secret default\/db[^]*is restored to revision[^]*ADDED Secret reroll\/reroll-job[^]*ADDED Job default\/migrate/,
    );
  });
});

describe('the judge accepts a record that is written again', () => {
  it('without a restart, for another formatting of a source that is compared parsed', async () => {
    const { violations, story } = await simulate(drawWorld(81_128_007));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /put reroll\.dev\/compare: parsed on ConfigMap default\/extra[^]*put reroll\.dev\/keys: !token on StatefulSet default\/store/,
    );
  });

  it('without a run of a CronJob, for another formatting of a source that is compared parsed, and with another list', async () => {
    const { violations, story } = await simulate(drawWorld(314_163_987));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /put reroll\.dev\/keys: c\?lor,\*\.json on ConfigMap default\/app[^]*MODIFIED CronJob default\/report/,
    );
  });

  it('if the numbers began anew, and the next leader knows only the one of before', async () => {
    const { violations, story } = await simulate(drawWorld(1_139_460));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/deselect Namespace \/shop[^]*select Namespace \/shop/);
  });
});

describe('the judge accepts a restart', () => {
  it('for a key that is gone and that only a longer list counts, of a source that is compared parsed', async () => {
    const { violations, story } = await simulate(drawWorld(1_140_383));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/put reroll\.dev\/keys: color, size on DaemonSet default\/agent/);
  });

  it('long after it may begin, if others took out what an attempt had written', async () => {
    const { violations, story } = await simulate(drawWorld(57_725_164));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /gatekeeper takes out the marker and record of what is written in default[^]*gatekeeper lets be/,
    );
  });
});

describe('the judge lets another workload go first', () => {
  it('if a content comes back, and the one that went first with it has another one on record since', async () => {
    const { violations, story } = await simulate(drawWorld(66_274_800));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/break everybody with ConfigMap default\/extra/);
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

describe('a world is not over', () => {
  it('before a watch of sources that lags has shown the last of them', async () => {
    const { violations, story } = await simulate(drawWorld(66_263_184));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /edit ConfigMap shop\/app by alice[^]*all faults end[^]*MODIFIED Deployment shop\/api/,
    );
  });
});

describe('the judge takes a record for a true one', () => {
  it('if it is of an owed key as it was, and of another one as it was when that began to count', async () => {
    const { violations, story } = await simulate(drawWorld(751));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(
      /put reroll\.dev\/hold[^]*edit Secret default\/db[^]*edit references of DaemonSet default\/agent/,
    );
  });
});

describe('a baseline under a lost key is replaced', () => {
  it('if nothing is left to record, because the source has gone and only its own annotation made it count', async () => {
    const { violations, story } = await simulate(drawWorld(50_527));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(/delete Secret default\/db[^]*MODIFIED DaemonSet default\/agent/);
  });
});
