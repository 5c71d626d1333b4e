import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { everything, parseSelector } from '../../shared/domain/kubernetes/selector';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { createObject } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import { configMap, deployment, fromConfigMap, fromSecret, job, secret } from '../apiserver/cluster';
import type { FaultTarget } from '../apiserver/faults';
import type { JsonObject } from '../apiserver/json';
import { Harness, type Engine, handoverLease } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const selecting: Partial<EngineSettings> = { sourceSelector: parseSelector('reload=yes') };
const labelled = { reload: 'yes' };

let harness: Harness;
let engine: Engine;

beforeEach(() => {
  harness = new Harness();
});

async function start(labels: Record<string, string>, settings = selecting): Promise<void> {
  harness.seed(
    configMap({ name: 'app', labels, data: { color: 'red' } }),
    secret({ name: 'db', labels, data: { password: 'a' } }),
    configMap({ name: 'still', labels, data: { color: 'red' } }),
    deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }),
    deployment({ name: 'still', annotations: auto, envFrom: [fromConfigMap('still')] }),
    deployment({ name: 'api', annotations: auto, envFrom: [fromSecret('db')] }),
  );
  await harness.clock.advance(3_600_000);
  engine = await harness.start(settings);
  await settled();
}

async function settled(): Promise<void> {
  await harness.clock.advance(30_000);
}

async function editAll(value: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color: value });
  await harness.edit('Secret', 'db', { password: value });
  await settled();
}

async function labelAll(reload: string | null): Promise<void> {
  for (const [kind, name] of [
    ['ConfigMap', 'app'],
    ['Secret', 'db'],
  ] as const) {
    await harness.label(kind, name, { reload } as Record<string, string>);
  }
  await settled();
}

function restarts(): readonly number[] {
  return ['web', 'api'].map((name) => harness.restarts('Deployment', name));
}

describe('§10.3 --resource-label-selector', () => {
  it.each([
    ['with the label restarts', labelled, selecting, [1, 1]],
    ['without the label restarts nothing', {}, selecting, [0, 0]],
    ['with another value restarts nothing', { reload: 'no' }, selecting, [0, 0]],
    ['without the label restarts if there is no selector', {}, { sourceSelector: everything }, [1, 1]],
  ])('a source %s', async (_name, labels, settings, expected) => {
    await start(labels, settings);
    await editAll('blue');
    expect(restarts()).toEqual(expected);
  });

  it('is applied by the API server, which sends no other sources', async () => {
    await start({});
    const text = await engine.metrics.registry.text();
    expect(text).toContain('reroll_sources{kind="ConfigMap"} 0');
    expect(text).toContain('reroll_sources{kind="Secret"} 0');
  });

  it.each([
    [false, [0, 0]],
    [true, [1, 1]],
  ])(
    'Q35 with reload-on-create %j, a source that gains the label restarts %j times',
    async (reloadOnCreate, expected) => {
      await start({}, { ...selecting, reloadOnCreate });
      await editAll('blue');
      await labelAll('yes');
      expect(restarts()).toEqual(expected);
      await editAll('green');
      expect(restarts()).toEqual(expected.map((times) => times + 1));
    },
  );

  it.each([
    [false, [0, 0]],
    [true, [1, 1]],
  ])(
    'Q35 with reload-on-delete %j, a source that loses the label restarts %j times',
    async (reloadOnDelete, expected) => {
      await start(labelled, { ...selecting, reloadOnDelete });
      await labelAll(null);
      expect(restarts()).toEqual(expected);
      await editAll('blue');
      expect(restarts()).toEqual(expected);
    },
  );

  it.each([
    ['changed content restarts', 'blue', [1, 1]],
    ['unchanged content restarts nothing', 'red', [0, 0]],
  ])('a source that gets its label back is compared with its former content: %s', async (_name, color, expected) => {
    await start(labelled);
    await labelAll(null);
    await harness.edit('ConfigMap', 'app', { color });
    await harness.edit('Secret', 'db', { password: color === 'red' ? 'a' : 'b' });
    await labelAll('yes');
    expect(restarts()).toEqual(expected);
  });

  it.each([
    ['at once', {}, 100],
    ['in the next settle window', {}, 5_000],
    [
      'in a long settle window, when its former states are forgotten',
      { settleMs: 1_800_000, settleMaxMs: 2_400_000 },
      900_000,
    ],
  ])(
    'if a source is labelled and then edited %s, the edit restarts once and the label does not',
    async (_when, times, editMs) => {
      await start({}, { ...selecting, ...times });
      for (const name of ['app', 'still']) await harness.label('ConfigMap', name, labelled);
      await harness.clock.advance(editMs);
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.clock.advance(900_000);
      await harness.edit('Secret', 'db', { password: 'b' });
      await harness.label('Secret', 'db', labelled);
      await harness.clock.advance(2_700_000);
      expect(restarts()).toEqual([1, 0]);
      expect(harness.restarts('Deployment', 'still')).toBe(0);
    },
  );

  it('a label that was added while no process watched restarts nothing', async () => {
    harness.leaseTimings = handoverLease;
    await start({});
    engine.kill();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await labelAll('yes');
    await harness.start({ ...selecting, identity: 'reroll-1' });
    await harness.clock.advance(90_000);
    expect(restarts()).toEqual([0, 0]);
    await editAll('green');
    expect(restarts()).toEqual([1, 1]);
  });
});

describe('a source whose label left it out, with --reload-on-create', () => {
  const frozen = configMap({ name: 'app', labels: { frozen: 'yes' }, data: { color: 'red' } });
  const settings = { sourceSelector: parseSelector('!frozen'), reloadOnCreate: true };
  const create = async (object: JsonObject): Promise<unknown> => {
    const resource = object['kind'] === 'ConfigMap' ? configMaps : workloadKind('Deployment').resource;
    return await createObject(harness.admin, resource, 'default', object);
  };
  /** Refuses the lists by which Reroll finds out whether versions of two kinds come from one counter. */
  const refuseToTell = (code: number): void => {
    const match = ({ query, isWatch }: FaultTarget) =>
      !isWatch && query.get('limit') === '1' && !query.has('fieldSelector');
    harness.faults.add({ match, fault: { kind: 'status', code } });
  };
  const using = (...sources: readonly string[]) =>
    deployment({ name: 'web', annotations: auto, envFrom: sources.map((name) => fromConfigMap(name)) });
  const web = using('app');
  const thaw = async (): Promise<void> => await harness.label('ConfigMap', 'app', { frozen: null } as never);
  const restartsOfWeb = async (): Promise<number> => {
    await settled();
    return harness.restarts('Deployment', 'web');
  };

  beforeEach(async () => {
    await create(frozen);
    await harness.clock.advance(60_000);
  });

  it.each([
    ['restarts a workload that is recorded without it', 60_000, settings, 1],
    ['restarts a workload that is not recorded yet', 500, settings, 1],
    ['restarts nothing without that option', 60_000, { ...settings, reloadOnCreate: false }, 0],
  ])('%s, once the label is removed', async (_what, waitMs, chosen, expected) => {
    await harness.start(chosen);
    await create(web);
    await harness.clock.advance(waitMs);
    await thaw();
    expect(await restartsOfWeb()).toBe(expected);
  });

  it.each([
    ['has not been written since', false],
    ['was written since', true],
  ])('restarts a workload if the label is removed while no process watches, and it %s', async (_which, isWritten) => {
    harness.leaseTimings = handoverLease;
    engine = await harness.start(settings);
    await create(web);
    await settled();
    engine.kill();
    await thaw();
    if (isWritten) await harness.patch('Deployment', 'web', { metadata: { annotations: { note: 'scaled' } } });
    await harness.start({ ...settings, identity: 'reroll-1' });
    await harness.clock.advance(60_000);
    expect(await restartsOfWeb()).toBe(1);
  });

  it('runs a Job again that was run again for another source before', async () => {
    const other = configMap({ name: 'other', data: { color: 'red' } });
    await create(other);
    const envFrom = [fromConfigMap('app'), fromConfigMap('other')];
    await harness.start(settings);
    harness.seed(job({ name: 'migrate', annotations: auto, envFrom }));
    await settled();
    await harness.edit('ConfigMap', 'other', { color: 'blue' });
    await settled();
    const uidOf = async () => (await harness.get('Job', 'migrate')).metadata.uid;
    const before = await uidOf();
    await thaw();
    await settled();
    expect(await uidOf()).not.toBe(before);
  });

  it('restarts nothing when an annotation lets it match later: that is no creation', async () => {
    await harness.start(settings);
    const search = { 'reloader.stakater.com/search': 'true' };
    const searching = deployment({ name: 'web', annotations: search, envFrom: [fromConfigMap('app')] });
    await create(searching);
    await settled();
    await thaw();
    await settled();
    await harness.annotate('ConfigMap', 'app', { 'reloader.stakater.com/match': 'true' });
    expect(await restartsOfWeb()).toBe(0);
  });

  it('keeps no other restart waiting while the API server does not tell whose versions are newer', async () => {
    await thaw();
    await create(configMap({ name: 'other', data: { color: 'red' } }));
    await harness.clock.advance(60_000);
    refuseToTell(500);
    await harness.start(settings);
    await create(using('app', 'other'));
    await settled();
    await harness.edit('ConfigMap', 'other', { color: 'blue' });
    expect(await restartsOfWeb()).toBe(1);
  });

  it.each([
    ['whose label selects it', { tier: 'web' }, 'tier=web'],
    ['that was never left out', {}, ''],
  ])(
    'restarts nothing if a source %s is shown after the workload, and versions tell nothing',
    async (_which, labels, selector) => {
      refuseToTell(403);
      const lagging = ({ isWatch, pathname }: FaultTarget) => isWatch && pathname.endsWith('/configmaps');
      harness.faults.add({ match: lagging, fault: { kind: 'lag', lagMs: 3_000 } });
      await harness.start({ ...settings, sourceSelector: parseSelector(selector) });
      await harness.clock.advance(600_000);
      await create(configMap({ name: 'late', labels, data: { color: 'red' } }));
      await harness.clock.advance(1_500);
      await create(using('late'));
      await harness.clock.advance(60_000);
      expect(await restartsOfWeb()).toBe(0);
    },
  );

  it('restarts nothing if the label is removed before the workload is created, and the watch shows it later', async () => {
    await harness.start(settings);
    const match = ({ isWatch, pathname }: FaultTarget) => isWatch && pathname.endsWith('/configmaps');
    harness.faults.add({ match, fault: { kind: 'lag', lagMs: 700 } });
    await harness.clock.advance(600_000);
    await thaw();
    await create(web);
    expect(await restartsOfWeb()).toBe(0);
  });
});

describe('a change record, with --resource-label-selector', () => {
  const change = (name: string) => ({
    ...{ v: 1, id: `review-${name}`, kind: 'ConfigMap', namespace: 'default', name, uid: 'u' },
    ...{ digest: 'x'.repeat(22), keyId: 'x'.repeat(8), user: 'alice' },
    changed: { added: [], changed: ['color'], removed: [] },
    observedAtMs: harness.clock.nowMs(),
  });

  // The record has a foreign digest key. The key is checked after the filters, so `foreign_key` means: not filtered.
  it.each([
    ['of a source that is not selected is dropped without a read', {}, selecting, 'filtered'],
    ['of a selected source is accepted', labelled, selecting, 'foreign_key'],
    ['of any source is accepted if there is no selector', {}, { sourceSelector: everything }, 'foreign_key'],
  ])('%s', async (_name, labels, settings, result) => {
    await start(labels, settings);
    harness.requestsSinceLast();
    expect(engine.reconciler.accept([change('app')])).toMatchObject({ accepted: 1 });
    await settled();
    expect(await engine.metrics.registry.text()).toContain(`reroll_hints_total{result="${result}"} 1`);
    expect(harness.requestsSinceLast().filter((request) => request.startsWith('get'))).toEqual([]);
  });

  it.each([
    [{ namespaceSelector: parseSelector('env=prod') }, 'filtered'],
    [{ namespacesToIgnore: ['default'] }, 'filtered'],
    [{ namespaces: ['reroll'] }, 'filtered'],
    [{ ignoredSourceKind: 'ConfigMap' }, 'filtered'],
    [{}, 'foreign_key'],
  ] as const)('§10.2 with the settings %j is counted as %s', async (settings, result) => {
    await start({}, settings);
    engine.reconciler.accept([change('app')]);
    expect(await engine.metrics.registry.text()).toContain(`reroll_hints_total{result="${result}"} 1`);
  });
});

describe('§10.4 --resources-to-ignore', () => {
  it('Q33 create and delete of the other kind still restart', async () => {
    await start({}, { ignoredSourceKind: 'Secret', reloadOnCreate: true, reloadOnDelete: true });
    await harness.delete('ConfigMap', 'app');
    await settled();
    expect(restarts()).toEqual([1, 0]);
    harness.seed(configMap({ name: 'app', data: { color: 'red' } }));
    await settled();
    expect(restarts()).toEqual([2, 0]);
  });
});
