import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { strategic, type ContractClient } from '../apiserver/contract/contract-client';
import { patient, TestNamespace } from '../cluster/test-namespace';
import { objectPath } from '../compat/object-paths';
import { pollUntil } from '../control-plane/poll';
import { untilCalled } from '../webhook/probe';
import { RerollCluster } from '../webhook/reroll-cluster';
import { GatedApp, type Bearer } from './gated-app';
import { LeaderPair } from './leader-pair';
import { workloadWrites } from './workload-writes';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Windows open at full minutes. So much is needed to tell who waits for them. */
const marginMs = 15_000;
const openMs = 10 * minuteMs;

const intervalMs = 20_000;
/** Longer than a leader needs to take over from one that was killed: so the next one has to keep it, too. */
const longIntervalMs = 50_000;
/** From the decision, from which Reroll counts, to the arrival of the write. */
const writeMs = 1_000;

/** The windows of the install open in hours. */
const installWindows = hoursAt(Date.now() + 3 * hourMs);
const marker = 'STAKATER_WEB_CONFIGMAP';
const always = { 'reroll.dev/windows': 'always' };

/** When the windows of {@link places} open. */
let opensMs: number;

let cluster: RerollCluster;
let alice: ContractClient;
let leaders: LeaderPair;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
const apps = new Map<string, GatedApp>();

interface Place {
  readonly name: string;
  readonly bearer: Bearer;
  readonly annotations: () => Readonly<Record<string, string>>;
  /** What the Event names, without the time. */
  readonly by: () => string;
}

const places: readonly Place[] = [
  windowsOn('workload', 'on the workload', () => hoursAt(opensMs)),
  windowsOn('source', 'on ConfigMap web', () => `${cronOf(new Date(opensMs))} +10m`),
  // Half an hour off, and its clocks never change.
  windowsOn('namespace', 'on namespace window-on-namespace', () => `${hoursAt(opensMs + 5.5 * hourMs)} Asia/Kolkata`),
  {
    name: 'hold-with-an-end',
    bearer: 'workload',
    annotations: () => ({ ...always, 'reroll.dev/hold': `until=${new Date(opensMs).toISOString()}` }),
    by: () => 'reroll.dev/hold on the workload',
  },
];

function windowsOn(bearer: Bearer, where: string, windows: () => string): Place {
  return {
    ...{ name: `window-on-${bearer}`, bearer },
    annotations: () => ({ 'reroll.dev/windows': windows() }),
    by: () => `reroll.dev/windows ${where}: ${windows()}`,
  };
}

/** `22:05-22:15` in UTC. */
function hoursAt(ms: number): string {
  return [ms, ms + openMs].map((at) => new Date(at).toISOString().slice(11, 16)).join('-');
}

function cronOf(time: Date): string {
  return `${time.getUTCMinutes()} ${time.getUTCHours()} * * *`;
}

beforeAll(async () => {
  cluster = await RerollCluster.start(['mutating']);
  alice = await cluster.editor('alice');
  const flags = [`--restart-windows=${installWindows}`];
  const [pair, webhook] = await Promise.all([LeaderPair.start(cluster, flags), cluster.webhook({ reconcilers: 2 })]);
  leaders = pair;
  await untilCalled(cluster, webhook, ['mutating']);
  others = await TestNamespace.create(cluster, 'others');
  await others.patch('Namespace', others.name, { metadata: { annotations: always } });
  const names = [...places.map(({ name }) => name), 'by-flag', 'urgent', 'interval', 'long-interval', 'patient'];
  for (const name of names) apps.set(name, await GatedApp.create(cluster, name));
  opensMs = Math.ceil((Date.now() + marginMs) / minuteMs) * minuteMs;
});

afterAll(async () => await cluster.stop());

function appOf(name: string): GatedApp {
  const app = apps.get(name);
  if (!app) throw new Error(`there is no app ${name}`);
  return app;
}

/** When the API server received the writes of the last restarts of an app. */
async function restartTimes(name: string, count: number): Promise<readonly number[]> {
  const writes = (await workloadWrites(cluster, name)).slice(-count);
  return writes.map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp));
}

/** Rolls an app out until the webhook has put the marker of a restart in; resolves with the number of rollouts. */
async function rolledOut({ namespace }: GatedApp): Promise<number> {
  const path = objectPath('StatefulSet', namespace.name, 'web');
  let rollouts = 0;
  // The webhook lets a write go as it is if the reconciler takes too long to answer. The change then stays owed.
  await pollUntil(
    'a rollout with the marker of a restart',
    async () => {
      rollouts++;
      const containers = [{ name: 'app', image: `registry.example/app:${rollouts + 1}` }];
      const { body } = await alice.patch(path, strategic, { spec: { template: { spec: { containers } } } });
      return JSON.stringify(fieldAt(body, ['spec', 'template'])).includes(marker) ? true : undefined;
    },
    patient,
  );
  return rollouts;
}

describe('a restart that may begin later', () => {
  it.each(places)('waits, and its Event says until when: $name', async ({ name, bearer, annotations, by }) => {
    const app = appOf(name);
    await app.annotate(bearer, annotations());
    await app.paint('blue');
    await app.deferred(`until ${new Date(opensMs).toISOString()} (${by()})`);
  });

  it('waits for the windows of the install where nothing nearer names others', async () => {
    await appOf('by-flag').paint('blue');
    await appOf('by-flag').deferred('until ');
    await others.laterChangeAnswered();
    expect(await appOf('by-flag').restarts()).toBe(0);
  });

  it('comes at once if its source is urgent, and its Event says so', async () => {
    const app = appOf('urgent');
    await app.annotate('source', { 'reroll.dev/urgent': 'true' });
    await app.paint('blue');
    await app.restarted(1);
    await app.namespace.eventWith(`at once, because the change is urgent (--restart-windows: ${installWindows})`);
  });

  it('comes no sooner than the minimum interval after the one before', async () => {
    const app = appOf('interval');
    await app.annotate('namespace', always);
    await app.annotate('workload', { 'reroll.dev/min-interval': `${intervalMs / 1_000}s` });
    await app.paint('blue');
    await app.restarted(1);
    await app.paint('green');
    await app.namespace.eventWith(` (reroll.dev/min-interval on the workload: ${intervalMs / 1_000}s)`);
    await app.restarted(2);
    const [first = NaN, second = NaN] = await restartTimes('interval', 2);
    expect(second - first).toBeGreaterThan(intervalMs - writeMs);
  });

  it('goes in with the next rollout of somebody else, if it waits for that, and nothing restarts after', async () => {
    const app = appOf('patient');
    await app.annotate('workload', { ...always, 'reroll.dev/restart': 'next-rollout' });
    await app.paint('blue');
    await app.deferred('(reroll.dev/restart on the workload');
    await others.laterChangeAnswered();
    expect(await app.restarts()).toBe(0);

    const rollouts = await rolledOut(app);
    const brought = `${app.workload} restarted: somebody else's write of its pod template included the owed restart`;
    await leaders.leader.line(({ message }) => message === brought);
    await app.annotate('workload', { 'reroll.dev/restart': null });
    await others.laterChangeAnswered();
    expect(await app.restarts()).toBe(rollouts);

    await app.paint('green');
    await app.restarted(rollouts + 1);
  });

  it('waits for the same under the next leader, after this one is killed', async () => {
    const app = appOf('long-interval');
    await app.annotate('namespace', always);
    await app.annotate('workload', { 'reroll.dev/min-interval': `${longIntervalMs / 1_000}s` });
    await app.paint('blue');
    await app.restarted(1);
    await app.paint('green');
    await app.namespace.eventWith(` (reroll.dev/min-interval on the workload: ${longIntervalMs / 1_000}s)`);
    await leaders.kill();
    await leaders.takenOver();
    const { workload } = appOf('by-flag');
    const deferred = `${workload} not restarted yet: deferred until `;
    await leaders.leader.line(({ message }) => message.startsWith(deferred));
    expect([await app.restarts(), await appOf('by-flag').restarts()]).toEqual([1, 0]);
    await app.restarted(2);
    const [first = NaN, second = NaN] = await restartTimes('long-interval', 2);
    expect(second - first).toBeGreaterThan(longIntervalMs - writeMs);
  });

  it.each(places)('comes once, when the time has come: $name', async ({ name }) => {
    const app = appOf(name);
    await app.restarted(1, { timeoutMs: Math.max(0, opensMs - Date.now()) + patient.timeoutMs });
    await others.laterChangeAnswered();
    expect(await app.restarts()).toBe(1);
    const [restartMs] = await restartTimes(name, 1);
    expect(restartMs).toBeGreaterThanOrEqual(opensMs);
  });
});
