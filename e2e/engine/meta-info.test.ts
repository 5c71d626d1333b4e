import { describe, expect, it } from '@jest/globals';
import { metaInfoData } from '../../reconciler/meta-info/meta-info';
import { MetaInfoPublisher } from '../../reconciler/meta-info/publisher';
import { parseReconcilerOptions } from '../../reconciler/options/options';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import type { KubeObject } from '../../shared/kube/client/objects';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { ApiServer } from '../apiserver/api-server';
import { configMap, seed, seedNamespace } from '../apiserver/cluster';
import { Faults } from '../apiserver/faults';
import { inProcessTransport } from '../apiserver/in-process-transport';
import { seededRandom } from '../apiserver/seeded-random';

const { pausePeriod, pausedAt } = defaultAnnotationKeys;

const data = { buildInfo: '{}', reloaderOptions: '{}', deploymentInfo: '{}' };

function world() {
  const clock = new FakeClock();
  const random = seededRandom(1);
  const logger = new RecordingLogger();
  const server = new ApiServer({ clock, random });
  const faults = new Faults(clock);
  seedNamespace(server, 'tools');
  const transport = inProcessTransport(server, 'reroll', faults);
  const client = new KubeClient({
    transport,
    credentials: staticCredentials({}),
    clock,
    logger,
    userAgent: 'reroll/test',
  });
  const publisher = (content: Readonly<Record<string, string>> = data): MetaInfoPublisher =>
    new MetaInfoPublisher({ client, clock, random, logger, namespace: 'tools', data: content });
  const stored = (): KubeObject | undefined =>
    [...server.store.list(server.kindOf('ConfigMap'))].find(({ metadata }) => metadata.name === 'reloader-meta-info');
  const writes = (): number => server.requests().filter(({ verb }) => verb === 'create' || verb === 'update').length;
  return { clock, logger, server, faults, publisher, stored, writes };
}

describe('§16 the meta-info ConfigMap', () => {
  it('is created at the start, with the label of Reloader', async () => {
    const { clock, publisher, stored } = world();
    publisher().start();
    await clock.settle();
    expect(stored()).toMatchObject({
      metadata: { namespace: 'tools', labels: { 'reloader.stakater.com/meta-info': 'reloader' } },
      data,
    });
  });

  it('replaces the data that Reloader published, and keeps the labels of others (Q63)', async () => {
    const { clock, server, publisher, stored } = world();
    const labels = { team: 'blue' };
    seed(
      server,
      configMap({ name: 'reloader-meta-info', namespace: 'tools', labels, data: { buildInfo: 'old', other: 'x' } }),
    );
    publisher().start();
    await clock.settle();
    expect(stored()).toMatchObject({
      metadata: { labels: { team: 'blue', 'reloader.stakater.com/meta-info': 'reloader' } },
      data,
    });
    expect(Object.keys(stored()!['data'] as object)).toEqual(Object.keys(data));
  });

  it('is not written again if it is up to date', async () => {
    const { clock, publisher, writes } = world();
    publisher().start();
    await clock.settle();
    publisher().start();
    await clock.settle();
    expect(writes()).toBe(1);
  });

  it('contains the data of the replica that writes last, however the replicas race', async () => {
    const { clock, logger, publisher, stored } = world();
    const versions = ['old', 'old', 'new'].map((buildInfo) => publisher({ ...data, buildInfo }));
    for (const replica of versions) replica.start();
    await clock.settle();
    expect(logger.lines).toEqual([]);
    expect(stored()).toMatchObject({ data: { buildInfo: 'new' } });
  });

  it("needs only the permissions of Reloader's chart", async () => {
    const { clock, server, logger, publisher, stored } = world();
    const verbs = ['list', 'get', 'watch', 'create', 'update'];
    server.rbac.restrict('reroll', [{ apiGroups: [''], resources: ['configmaps'], verbs, namespaces: ['tools'] }]);
    for (const buildInfo of ['old', 'new']) {
      publisher({ ...data, buildInfo }).start();
      await clock.settle();
    }
    expect([logger.lines, stored()?.['data']]).toEqual([[], { ...data, buildInfo: 'new' }]);
  });

  it('is retried, and logged once, while the permission for it is missing', async () => {
    const { clock, logger, server, publisher, stored } = world();
    server.rbac.restrict('reroll', []);
    publisher().start();
    await clock.advance(3_600_000);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({
        message: 'cannot publish version and options; trying again, everything else continues',
        fields: expect.objectContaining({ object: 'ConfigMap tools/reloader-meta-info' }),
      }),
    ]);
    server.rbac.unrestrict('reroll');
    await clock.advance(5 * 60_000);
    expect(stored()).toBeDefined();
  });

  it('is not retried after the process stops', async () => {
    const { clock, server, publisher } = world();
    server.rbac.restrict('reroll', []);
    const one = publisher();
    one.start();
    await clock.advance(10_000);
    await one.stop();
    await clock.settle();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('§16 the data of the meta-info ConfigMap', () => {
  const infoOf = (args: readonly string[]) => {
    const options = parseReconcilerOptions(args, {});
    const input = { options, namespace: 'tools', version: '1.2.3', runtime: 'node v20.20.2' };
    return Object.fromEntries(
      Object.entries(metaInfoData(input)).map(([key, text]) => [key, JSON.parse(text) as Record<string, unknown>]),
    ) as Record<'buildInfo' | 'reloaderOptions' | 'deploymentInfo', Record<string, unknown>>;
  };

  it('has the fields of Reloader in their order, and then the namespaces', () => {
    const { buildInfo, reloaderOptions, deploymentInfo } = infoOf(['--meta-info-deployment=reroll']);
    expect(Object.keys(buildInfo)).toEqual(['goVersion', 'releaseVersion', 'commitHash', 'commitTime', 'edition']);
    expect(deploymentInfo).toEqual({ name: 'reroll', namespace: 'tools' });
    expect(Object.keys(reloaderOptions).join(' ')).toBe(
      'autoReloadAll configmapUpdateOnChangeAnnotation secretUpdateOnChangeAnnotation ' +
        'secretProviderClassUpdateOnChangeAnnotation reloaderAutoAnnotation ignoreResourceAnnotation ' +
        'configmapReloaderAutoAnnotation secretReloaderAutoAnnotation secretProviderClassReloaderAutoAnnotation ' +
        'configmapExcludeReloaderAnnotation secretExcludeReloaderAnnotation ' +
        'secretProviderClassExcludeReloaderAnnotation autoSearchAnnotation searchMatchAnnotation ' +
        'rolloutStrategyAnnotation pauseDeploymentAnnotation pauseDeploymentTimeAnnotation logFormat logLevel ' +
        'isArgoRollouts reloadStrategy reloadOnCreate reloadOnDelete syncAfterRestart enableHA enableCSIIntegration ' +
        'webhookUrl resourcesToIgnore workloadTypesToIgnore namespaceSelectors resourceSelectors namespacesToIgnore ' +
        'enablePProf pprofAddr namespaces',
    );
  });

  it('is printable, and parses to the given values', () => {
    const options = parseReconcilerOptions(['--meta-info-deployment=a\u009b2J\u202e'], {});
    const input = { options, namespace: 'tools', version: '1.2.3', runtime: 'node v20.20.2' };
    const { deploymentInfo } = metaInfoData(input);
    expect(deploymentInfo).toBe(String.raw`{"name":"a\u009b2J\u202e","namespace":"tools"}`);
    expect(JSON.parse(deploymentInfo!)).toMatchObject({ name: 'a\u009b2J\u202e' });
  });

  it('omits the name of the Deployment if it is not given', () => {
    expect(infoOf([]).deploymentInfo).toEqual({ namespace: 'tools' });
  });

  it.each<[string, string, unknown, unknown]>([
    ['--auto-reload-all', 'autoReloadAll', false, true],
    [
      '--configmap-annotation=x.y/a',
      'configmapUpdateOnChangeAnnotation',
      'configmap.reloader.stakater.com/reload',
      'x.y/a',
    ],
    ['--secret-annotation=x.y/a', 'secretUpdateOnChangeAnnotation', 'secret.reloader.stakater.com/reload', 'x.y/a'],
    ['--auto-annotation=x.y/a', 'reloaderAutoAnnotation', 'reloader.stakater.com/auto', 'x.y/a'],
    ['--ignore-annotation=x.y/a', 'ignoreResourceAnnotation', 'reloader.stakater.com/ignore', 'x.y/a'],
    [
      '--configmap-auto-annotation=x.y/a',
      'configmapReloaderAutoAnnotation',
      'configmap.reloader.stakater.com/auto',
      'x.y/a',
    ],
    ['--secret-auto-annotation=x.y/a', 'secretReloaderAutoAnnotation', 'secret.reloader.stakater.com/auto', 'x.y/a'],
    ['--auto-search-annotation=x.y/a', 'autoSearchAnnotation', 'reloader.stakater.com/search', 'x.y/a'],
    ['--search-match-annotation=x.y/a', 'searchMatchAnnotation', 'reloader.stakater.com/match', 'x.y/a'],
    ['--log-format=json', 'logFormat', '', 'json'],
    ['--log-level=debug', 'logLevel', 'info', 'debug'],
    ['--reload-strategy=annotations', 'reloadStrategy', 'env-vars', 'annotations'],
    ['--reload-on-create=1', 'reloadOnCreate', false, true],
    ['--reload-on-delete=true', 'reloadOnDelete', false, true],
    ['--resources-to-ignore=configMaps', 'resourcesToIgnore', [], ['configmaps']],
    ['--ignored-workload-types=jobs,cronjobs', 'workloadTypesToIgnore', [], ['jobs', 'cronjobs']],
    ['--namespaces=a,b', 'namespaces', [], ['a', 'b']],
    ['--namespaces-to-ignore=a,,b', 'namespacesToIgnore', [], ['a', 'b']],
    ['--namespace-selector="env:prod,team:*"', 'namespaceSelectors', [], ['env=prod,team']],
    ['--resource-label-selector=tier=web', 'resourceSelectors', [], ['tier=web']],
    ['--is-Argo-Rollouts=false', 'isArgoRollouts', true, false],
    ['--enable-csi-integration', 'enableCSIIntegration', false, true],
    ['--pause-deployment-annotation=x.y/a', 'pauseDeploymentAnnotation', pausePeriod, 'x.y/a'],
    ['--pause-deployment-time-annotation=x.y/a', 'pauseDeploymentTimeAnnotation', pausedAt, 'x.y/a'],
  ])('shows %s as %s', (flag, field, before, after) => {
    expect(infoOf([]).reloaderOptions[field]).toEqual(before);
    expect(infoOf([flag]).reloaderOptions[field]).toEqual(after);
  });

  it('shows no address that may be a credential (Q63)', () => {
    const info = infoOf(['--webhook-url=https://user:s3cret@ci/hook', '--alert-webhook-url=https://s3cret.example/']);
    expect(info.reloaderOptions['webhookUrl']).toBe('(not shown)');
    expect(JSON.stringify(info)).not.toMatch(/s3cret|ci\/hook/);
    expect(infoOf([]).reloaderOptions['webhookUrl']).toBe('');
  });
});
