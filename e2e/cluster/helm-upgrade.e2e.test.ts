import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTemporaryDir, type TemporaryDir } from '../control-plane/temporary-dir';
import type { RerollProcess } from '../reroll-process';
import { untilCalled } from '../webhook/probe';
import { defaultSettleMs, namespace, RerollCluster } from '../webhook/reroll-cluster';
import { type ChartForm, writeChart } from './helm-chart';
import { HelmRelease, type Outcome } from './helm-release';

/** Releases per form, upgraded concurrently to save time: 20 upgrades of each form in all. */
const releasesOfForm = 2;
const upgrades = 10;

let cluster: RerollCluster;
let temporary: TemporaryDir;
let reconciler: RerollProcess;

beforeAll(async () => {
  temporary = createTemporaryDir();
  cluster = await RerollCluster.start([]);
  reconciler = await cluster.reconciler();
});

afterAll(async () => {
  await cluster.stop();
  temporary.dispose();
});

const told = (name: string, what: string): number =>
  reconciler.lines.filter(({ message }) => message.startsWith(`Deployment ${namespace}/${name} ${what}`)).length;

/** The outcome of an upgrade that replaces all pods once. */
const once = { newReplicaSets: 1, oldPods: 0 };

describe.each([
  { setting: 'without the webhook', hasWebhook: false },
  { setting: 'with the webhook', hasWebhook: true },
])('helm upgrade $setting', ({ hasWebhook }) => {
  const releases: HelmRelease[] = [];

  beforeAll(async () => {
    if (!hasWebhook) return;
    await cluster.register(['mutating']);
    await untilCalled(cluster, await cluster.webhook(), ['mutating']);
  });

  async function install(form: ChartForm, name: string): Promise<HelmRelease> {
    const release = new HelmRelease(cluster, `${name}-${hasWebhook ? 'on' : 'off'}`, writeChart(temporary.dir, form));
    releases.push(release);
    await release.upgrade('0', '0');
    return release;
  }

  /** The resources that Helm wrote for a release, in order. */
  async function writtenOf({ name }: HelmRelease): Promise<readonly (string | undefined)[]> {
    const entries = await cluster.plane.auditEntries();
    return entries
      .filter(({ verb, userAgent }) => verb === 'patch' && userAgent?.startsWith('Helm/') === true)
      .flatMap(({ objectRef }) => (objectRef?.name === name ? [objectRef.resource] : []));
  }

  async function upgradedOften(form: ChartForm, index: number): Promise<readonly Outcome[]> {
    const release = await install(form, `${form}-${String(index)}`);
    const outcomes: Outcome[] = [];
    for (let each = 1; each <= upgrades; each++) outcomes.push(await release.upgrade(String(each), String(each)));
    expect(new Set(outcomes.map(({ recorded }) => recorded)).size).toBe(upgrades);
    // Helm sorts by kind, whatever the order in the template.
    const each = ['configmaps', 'deployments'];
    expect(await writtenOf(release)).toEqual(Array.from({ length: upgrades }, () => each).flat());
    return outcomes;
  }

  it('of a ConfigMap and an image, in either order in the template: one new ReplicaSet each', async () => {
    const forms = Array.from({ length: releasesOfForm }, () => ['source-first', 'workload-first'] as const).flat();
    const all = (await Promise.all(forms.map(upgradedOften))).flat();
    expect(all).toEqual(all.map(() => expect.objectContaining(once)));
    // A change that the webhook handles with the write of the Deployment (`restarted: …`) is not answered once more.
    const later = releases.map(
      ({ name }) => told(name, 'restarted') - told(name, 'restarted:') + told(name, 'not restarted: coalesced'),
    );
    if (hasWebhook) expect(later.reduce((sum, count) => sum + count)).toBeLessThan(all.length / 2);
  });

  it('of a ConfigMap alone: a restart', async () => {
    const release = await install('source-first', 'content');
    expect(await release.upgrade('1', '0')).toMatchObject({ ...once, marked: true });
    expect(told(release.name, 'restarted')).toBe(1);
  });

  it('of a ConfigMap in a hook after the upgrade: no pod is left that may have read what was before', async () => {
    const release = await install('source-in-hook', 'hook');
    for (const each of ['1', '2']) {
      const { newReplicaSets, oldPods } = await release.upgrade(each, each);
      expect([newReplicaSets <= 2, oldPods]).toEqual([true, 0]);
      // The hook recreates the ConfigMap, so its creation time is the time of the change. A restart comes more than a
      // second later, so timestamps in seconds can tell.
      const [source, replicaSet] = [await release.source(), await release.currentReplicaSet()];
      expect(replicaSet.metadata.creationTimestamp > source.metadata.creationTimestamp).toBe(true);
    }
  });

  it('and helm rollback: all pods are replaced, once', async () => {
    const release = await install('source-first', 'rollback');
    const before = await release.upgrade('1', '1');
    await release.upgrade('2', '2');
    const { newReplicaSets, oldPods, recorded } = await release.rollback();
    expect([oldPods, recorded]).toEqual([0, before.recorded]);
    // The ReplicaSet of the earlier template may be reused.
    expect(newReplicaSets).toBeLessThanOrEqual(1);
  });

  it('leaves all at rest', async () => {
    const counts = async (): Promise<readonly number[]> =>
      await Promise.all(releases.map(async (release) => (await release.replicaSets()).length));
    const before = await counts();
    // There is no event to wait for: another restart would come within this time.
    await delay(defaultSettleMs + 1_000);
    expect(await counts()).toEqual(before);
  });
});
