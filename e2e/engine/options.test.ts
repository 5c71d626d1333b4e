import { describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import {
  configMap,
  cronJob,
  deployment,
  fromConfigMap,
  fromSecret,
  job,
  secret,
  seedNamespace,
} from '../apiserver/cluster';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const uses = { envFrom: [fromConfigMap('app')] };

/** Counts restarts of Deployment `web` for one change of the ConfigMap it uses. */
async function restartsOf(harness: Harness, settings: Partial<EngineSettings>, namespace = 'default'): Promise<number> {
  await harness.start(settings);
  await harness.edit('ConfigMap', 'app', { color: 'blue' }, namespace);
  await harness.clock.advance(30_000);
  return harness.restarts('Deployment', 'web', namespace);
}

describe('each setting of the engine changes what it does', () => {
  it.each([
    [false, 0],
    [true, 1],
  ])('autoReloadAll %s restarts a workload without annotations %i times', async (autoReloadAll, restarts) => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', ...uses }));
    expect(await restartsOf(harness, { policy: { autoReloadAll, ignoredWorkloadKinds: [] } })).toBe(restarts);
  });

  it.each(['env-vars', 'annotations', 'restarted-at'] as const)(
    'strategy %s is used for the restart',
    async (strategy) => {
      const harness = new Harness();
      harness.seed(app, deployment({ name: 'web', annotations: auto, ...uses }));
      const engine = await harness.start({ strategy });
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.clock.advance(30_000);
      expect(engine.lines.find(({ message }) => message === 'Deployment default/web restarted')?.fields).toMatchObject({
        strategy,
      });
    },
  );

  it.each([
    ['default', 1],
    ['shop', 0],
  ])('namespaces [%s] restarts in the namespace default %i times', async (namespace, restarts) => {
    const harness = new Harness();
    seedNamespace(harness.server, 'shop');
    harness.seed(app, deployment({ name: 'web', annotations: auto, ...uses }));
    expect(await restartsOf(harness, { namespaces: [namespace] })).toBe(restarts);
  });

  it('namespaces limits lists and watches to these namespaces', async () => {
    const harness = new Harness();
    seedNamespace(harness.server, 'shop');
    await harness.start({ namespaces: ['default', 'shop'] });
    const watched = harness.server
      .requests()
      .filter(({ user, verb }) => user === 'reroll' && (verb === 'watch' || verb === 'list'));
    expect(watched.length).toBeGreaterThan(0);
    // `reroll` is the engine's own namespace, where it lists the journal of Jobs.
    expect(new Set(watched.map(({ namespace }) => namespace))).toEqual(new Set(['default', 'shop', 'reroll']));
  });

  it.each([
    ['ConfigMap', 0, 1],
    ['Secret', 1, 0],
    [undefined, 1, 1],
  ] as const)(
    'with ignoredSourceKind %s a ConfigMap restarts %i times, and a Secret %i times',
    async (ignoredSourceKind, forConfigMap, forSecret) => {
      const harness = new Harness();
      harness.seed(
        app,
        secret({ name: 'db', data: { password: 'a' } }),
        deployment({ name: 'web', annotations: auto, ...uses }),
        deployment({ name: 'api', annotations: auto, envFrom: [fromSecret('db')] }),
      );
      await harness.start({ ignoredSourceKind });
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.edit('Secret', 'db', { password: 'b' });
      await harness.clock.advance(30_000);
      expect([harness.restarts('Deployment', 'web'), harness.restarts('Deployment', 'api')]).toEqual([
        forConfigMap,
        forSecret,
      ]);
    },
  );

  it.each([
    [[], 2, 1],
    [['Job'], 1, 1],
    [['CronJob'], 2, 0],
  ] as const)(
    'with ignoredWorkloadKinds %j a Job is created %i times in all, and a CronJob is run %i times',
    async (ignoredWorkloadKinds, births, runs) => {
      const harness = new Harness();
      harness.seed(
        app,
        job({ name: 'migrate', annotations: auto, ...uses }),
        cronJob({ name: 'report', annotations: auto, ...uses }),
      );
      await harness.start({ policy: { autoReloadAll: false, ignoredWorkloadKinds } });
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.clock.advance(30_000);
      expect(harness.writesOf('Job', 'migrate').filter(({ type }) => type === 'ADDED')).toHaveLength(births);
      expect(harness.objects('Job').filter(({ metadata }) => metadata.name.startsWith('report-'))).toHaveLength(runs);
    },
  );

  it.each([
    ['reloader.stakater.com/auto', 0],
    ['example.com/restart', 1],
  ])('annotationKeys: with auto renamed to example.com/restart, %s restarts %i times', async (key, restarts) => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', annotations: { [key]: 'true' }, ...uses }));
    const annotationKeys = { ...defaultAnnotationKeys, auto: 'example.com/restart' };
    expect(await restartsOf(harness, { annotationKeys })).toBe(restarts);
  });

  it('ownNamespace and leaseName locate the Lease and the keys, and identity is the holder', async () => {
    const harness = new Harness();
    seedNamespace(harness.server, 'tools');
    await harness.start({ ownNamespace: 'tools', leaseName: 'lock', identity: 'me' });
    const names = (kind: string): readonly unknown[] =>
      harness.objects(kind).map(({ metadata }) => [metadata.namespace, metadata.name]);
    expect(names('Lease')).toEqual([['tools', 'lock']]);
    expect(names('Secret')).toEqual([
      ['tools', 'reroll-digest-key'],
      ['tools', 'reroll-journal-key'],
    ]);
    expect(harness.objects('Lease')[0]).toMatchObject({ spec: { holderIdentity: 'me' } });
  });
});
