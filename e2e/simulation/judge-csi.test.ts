import { describe, expect, it } from '@jest/globals';
import { csiVolume, secretProviderClassPodStatus, secretProviderClassPodStatusKind } from '../apiserver/add-ons';
import { deployment, fromConfigMap, seed } from '../apiserver/cluster';
import { arrayAt, objectAt, withValueAt, type JsonObject } from '../apiserver/json';
import { writeBy } from '../apiserver/registry';
import { adopted, backUp, digests, type Hand } from './history.fixture';
import type { Violation } from './judge';

const kind = secretProviderClassPodStatusKind;

/** `web` mounts a class, and its pods `a` and `b` show version 1. */
async function mounted(): Promise<Hand> {
  const hand = await adopted(async (before) => {
    before.server.serve(kind);
    await mountClass(before);
    for (const pod of ['a', 'b']) create(before, pod, '1');
  });
  await record(hand, undefined, false);
  await hand.clock.advance(10_000);
  return hand;
}

async function mountClass(hand: Hand): Promise<void> {
  const { volumes = [], volumeMounts = [] } = csiVolume('vault');
  await hand.write('dev', (object) => {
    const [container = {}] = arrayAt(object, 'spec', 'template', 'spec', 'containers');
    const containers = [{ ...objectAt(container), volumeMounts }];
    const spec = { ...objectAt(object, 'spec', 'template', 'spec'), containers, volumes };
    return withValueAt(object, ['spec', 'template', 'spec'], spec);
  });
}

function create(hand: Hand, pod: string, version: string): void {
  seed(hand.server, secretProviderClassPodStatus(pod, 'vault', { pw: version }));
}

/** The driver shows a pod another version. */
async function rotate(hand: Hand, pod: string, version: string): Promise<void> {
  const shown: JsonObject = { ...secretProviderClassPodStatus(pod, 'vault', { pw: version }) };
  const change = (object: JsonObject) => ({ object: withValueAt(object, ['status'], shown['status']) });
  await hand.server.registry.update(writeBy('csi', 'csi', 'update'), kind, 'default', `${pod}-default-vault`, change);
  await hand.clock.advance(3_000);
}

async function remove(hand: Hand, pod: string): Promise<void> {
  const options = { propagationPolicy: 'Background' } as const;
  await hand.server.registry.delete(writeBy('csi', 'csi', 'delete'), kind, 'default', `${pod}-default-vault`, options);
}

/** Deletes `web` and creates it again under the same name. */
async function comeAnew(hand: Hand): Promise<void> {
  const options = { propagationPolicy: 'Background' } as const;
  const deployments = hand.server.kindOf('Deployment');
  await hand.server.registry.delete(writeBy('dev', 'dev', 'delete'), deployments, 'default', 'web', options);
  const annotations = { 'reloader.stakater.com/auto': 'true' };
  seed(hand.server, deployment({ name: 'web', annotations, envFrom: [fromConfigMap('app')], ...csiVolume('vault') }));
  await hand.clock.advance(3_000);
}

/** The engine records a version of the class, or that it was never rotated. */
async function record(hand: Hand, version: string | undefined, restart: boolean): Promise<void> {
  const content = version === undefined ? undefined : new Map([['pw', version]]);
  const entry = digests.whole('SecretProviderClass default/vault', content);
  await hand.engine('value-1-', restart, (object) => {
    const at = ['metadata', 'annotations', 'reroll.dev/baseline'];
    const { annotations } = object['metadata'] as { readonly annotations: Readonly<Record<string, string>> };
    const baseline = JSON.parse(annotations['reroll.dev/baseline'] ?? '') as { readonly sources: JsonObject };
    return withValueAt(
      object,
      at,
      JSON.stringify({ ...baseline, sources: { ...baseline.sources, 'spc/vault': entry } }),
    );
  });
}

describe('the judge, for rotations of a SecretProviderClass', () => {
  it('reports nothing if one restart answers all pods that show a rotation', async () => {
    const hand = await mounted();
    await rotate(hand, 'a', '2');
    await record(hand, '2', true);
    await rotate(hand, 'b', '2');
    expect(hand.promises(true)).toEqual([]);
  });

  /**
   * To the judge, a class exists from its first rotation on, and that rotation counts as a change. The creation of a
   * ConfigMap does not.
   */
  it('reports nothing if a restart answers the first rotation since the workload mounted the class', async () => {
    const hand = await adopted((before) => {
      before.server.serve(kind);
      create(before, 'a', '1');
      return Promise.resolve();
    });
    await mountClass(hand);
    await hand.clock.advance(10_000);
    await rotate(hand, 'a', '2');
    await record(hand, '2', true);
    expect(hand.promises(false, { shownWithinMs: 5_000 })).toEqual([]);
  });

  it('expects a restart soon after the rotation was seen, and not since the class was last written', async () => {
    const hand = await mounted();
    await hand.clock.advance(100_000);
    await rotate(hand, 'a', '2');
    await record(hand, '2', true);
    expect(hand.promises(false, { gates: {}, shownWithinMs: 1_000, knownWithinMs: 1_000 })).toEqual([]);
  });

  it.each([
    ['demands no restart for a rotation that pods mounted before the restore', '2', []],
    ['demands a restart for a rotation that no pod mounted before the restore', '3', ['missed change']],
  ] as const)('after a restore of etcd, %s', async (_what, version, promises) => {
    const hand = await mounted();
    const { judge, restore } = backUp(hand);
    await rotate(hand, 'a', '2');
    await record(hand, '2', true);
    restore();
    await record(hand, version, false);
    await hand.clock.advance(20_000);
    await rotate(hand, 'b', version);
    expect(judge.owed.map(({ promise }) => promise)).toEqual(promises);
  });

  it.each([
    ['accepts a baseline of', '3', true],
    ['reports a baseline that differs from', '4', false],
  ] as const)(
    '%s the version that stays mounted after a restore of etcd undid its pod status',
    async (_what, version, isTaken) => {
      const hand = await mounted();
      await rotate(hand, 'a', '2');
      await record(hand, '2', true);
      const { judge, restore } = backUp(hand);
      await rotate(hand, 'a', '3');
      restore();
      await hand.clock.advance(20_000);
      await record(hand, version, false);
      const isOfRecord = ({ promise }: Violation): boolean => promise === 'baseline apart from template';
      expect([judge.violations.some(isOfRecord), judge.owed.length > 0]).toEqual([!isTaken, !isTaken]);
    },
  );

  it('accepts one restart for a rotation that a restore of etcd undid, and reports a second one', async () => {
    const hand = await mounted();
    const { judge, restore } = backUp(hand);
    await rotate(hand, 'a', '2');
    restore();
    await hand.clock.advance(20_000);
    await record(hand, '2', true);
    expect(judge.violations).toEqual([]);
    await record(hand, '2', true);
    expect(judge.violations.map(({ promise }) => promise)).toEqual(['restart without reason']);
  });

  it.each([
    ['demands nothing', '1', []],
    ['demands a restart', '3', ['missed change', 'missed change']],
  ])('%s if a pod is rotated twice without a restart, last to version %s', async (_what, version, promises) => {
    const hand = await mounted();
    await rotate(hand, 'a', '2');
    await rotate(hand, 'a', version);
    expect(hand.promises()).toEqual(promises);
  });

  it('reports a rotation without a restart, even if a baseline records it', async () => {
    const hand = await mounted();
    await rotate(hand, 'a', '2');
    expect(hand.promises()).toEqual(['missed change', 'missed change']);
    await record(hand, '2', false);
    expect(hand.promises()).toContain('missed change');
  });

  it('reports a second restart when a second pod shows the same rotation', async () => {
    const hand = await mounted();
    await rotate(hand, 'a', '2');
    await record(hand, '2', true);
    await rotate(hand, 'b', '2');
    await record(hand, '2', true);
    expect(hand.promises()).toEqual(['restart without reason']);
  });

  it.each([
    ['was added', async (hand: Hand) => create(hand, 'c', '2')],
    ['was deleted', async (hand: Hand) => await remove(hand, 'a')],
    [
      'was recreated under the same name',
      async (hand: Hand) => {
        await remove(hand, 'a');
        create(hand, 'a', '2');
      },
    ],
  ])('reports a restart for a pod that %s', async (_what, happens) => {
    const hand = await mounted();
    await happens(hand);
    expect(hand.promises()).toEqual([]);
    await record(hand, '2', true);
    expect(hand.promises()).not.toEqual([]);
  });

  it('demands no restart for a rotation that only deleted pods showed', async () => {
    const hand = await mounted();
    await rotate(hand, 'a', '2');
    await remove(hand, 'a');
    expect(hand.promises()).toEqual([]);
    await rotate(hand, 'b', '2');
    expect(hand.promises()).toEqual(['missed change', 'missed change']);
  });

  it.each([
    ['reports a restart if the pod that showed it still exists', [], ['restart without reason']],
    ['accepts a restart if the pod that showed it is gone', ['a'], []],
  ] as const)('for a rotation older than the workload, %s', async (_what, gone, promises) => {
    const hand = await mounted();
    await rotate(hand, 'a', '2');
    await comeAnew(hand);
    await rotate(hand, 'b', '2');
    for (const pod of gone) await remove(hand, pod);
    await record(hand, '2', true);
    expect(hand.promises()).toEqual(promises);
  });

  it('reports a baseline with a version to which no pod was rotated', async () => {
    const hand = await mounted();
    await rotate(hand, 'a', '2');
    await record(hand, '3', true);
    expect(hand.promises()).toEqual(['baseline apart from template']);
  });
});
