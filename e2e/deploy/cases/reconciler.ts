import { expect } from '@jest/globals';
import type { ChartCase } from '../chart-case';
import type { Values } from '../rendered-chart';

const deployment = (values: Values): Values => ({ reloader: { deployment: values } });

/** Values of `reloader` that must render each of these flags. */
const flags = (reloader: Values, ...expected: readonly string[]): ChartCase => ({
  what: `${JSON.stringify(reloader)}: ${expected.join(' ')}`,
  values: { reloader },
  check: (rendered) => expect(rendered.args()).toEqual(expect.arrayContaining([...expected])),
});

/** A value that is passed on unchanged to the pod or its container. */
const passedOn = (where: 'pod' | 'container', values: Values): ChartCase => ({
  what: `deployment: ${JSON.stringify(values)}`,
  values: deployment(values),
  check: (rendered) => expect(rendered[where]()).toMatchObject(values),
});

/** The arguments of the reconciler that no value asks for. */
const always = [
  'reconciler',
  '--own-namespace=reroll',
  '--log-format=json',
  '--log-level=info',
  '--channel-listen=:8444',
];

/** The reconciler's flags and Deployment. */
export const reconcilerCases: readonly ChartCase[] = [
  {
    what: 'labels that tell of a release of Reloader are dropped, and others are kept',
    values: {
      reloader: {
        deployment: {
          labels: { provider: 'stakater', group: 'com.stakater.platform', version: 'v1.4.21', team: 'platform' },
        },
      },
    },
    check: (rendered) => {
      for (const { labels = {} } of [rendered.one('Deployment', 'reroll').metadata, rendered.template().metadata]) {
        expect(labels).toMatchObject({ team: 'platform' });
        for (const name of ['provider', 'group', 'version']) expect(labels).not.toHaveProperty(name);
      }
    },
  },
  {
    what: 'pods run on Linux, besides what is asked for',
    values: { reloader: { deployment: { nodeSelector: { pool: 'system' } } } },
    check: (rendered) => {
      expect(rendered.pod()['nodeSelector']).toEqual({ 'kubernetes.io/os': 'linux', pool: 'system' });
      expect(rendered.pod('reroll-certs')['nodeSelector']).toEqual({ 'kubernetes.io/os': 'linux' });
    },
  },
  {
    what: 'no flag that no value asks for',
    values: {},
    check: (rendered) => expect(rendered.args()).toEqual(always),
  },
  flags({ autoReloadAll: true }, '--auto-reload-all=true'),
  flags({ reloadOnCreate: true, reloadOnDelete: true }, '--reload-on-create=true', '--reload-on-delete=true'),
  flags({ syncAfterRestart: true }, '--sync-after-restart=true'),
  flags({ enablePProf: true, pprofAddr: ':6060' }, '--enable-pprof=true', '--pprof-addr=:6060'),
  flags({ enableHA: true }, '--enable-ha=true'),
  flags({ dryRun: true }, '--dry-run=true'),
  flags({ foldRollouts: false }, '--fold-rollouts=false'),
  flags({ history: false }, '--history=false'),
  {
    what: 'the ConfigMaps of the history are its own, and need no right without one',
    values: { reloader: { history: false } },
    check: (rendered) =>
      expect(rendered.rules('Role', 'reroll-own').filter((each) => each.includes('configmaps'))).toEqual([
        'list watch configmaps/reroll-hold',
      ]),
  },
  flags({ reloadStrategy: 'annotations' }, '--reload-strategy=annotations'),
  flags({ resourceLabelSelector: 'app in (a,b)' }, '--resource-label-selector=app in (a,b)'),
  flags({ settle: '2s', settleMax: '1m' }, '--settle=2s', '--settle-max=1m'),
  flags({ logFormat: 'text', logLevel: 'debug' }, '--log-format=text', '--log-level=debug'),
  flags({ webhookUrl: 'https://hooks.example/x' }, '--webhook-url=https://hooks.example/x'),
  flags({ ignoreNamespaces: 'a,b', namespaceSelector: 'env=prod' }, '--namespaces-to-ignore=a,b', '--namespace-selector=env=prod'), // prettier-ignore
  flags({ custom_annotations: { auto: 'my.io/auto', pauseTime: 'my.io/since' } }, '--auto-annotation=my.io/auto', '--pause-deployment-time-annotation=my.io/since'), // prettier-ignore
  ...[
    'Mon-Fri 22:00-05:00 Europe/Berlin; Sat,Sun',
    'fri-mon',
    '02:00-04:00;22:00-24:00 ;',
    '0 22 * * 1-5 +7h Europe/Berlin',
    '*/15 1-3 1,15 * * +10m UTC',
  ].map((restartWindows) => flags({ restartWindows }, `--restart-windows=${restartWindows}`)),
  flags({ restart: 'next-rollout' }, '--restart=next-rollout'),
  flags({ minInterval: '720h' }, '--min-interval=720h'),
  flags({ maxRolling: 0, maxRollingPerNamespace: '20 pods' }, '--max-rolling=0', '--max-rolling-per-namespace=20 pods'),
  flags(
    { maxRollingPerNodePool: 5, nodePoolLabel: 'example.com/pool', restartRate: '30/m' },
    '--max-rolling-per-node-pool=5',
    '--node-pool-label=example.com/pool',
    '--restart-rate=30/m',
  ),
  flags({ stagesFrom: 0 }, '--stages-from=0'),
  ...['0', '1/s', '10000/24h', '030/60m'].map((restartRate) => flags({ restartRate }, `--restart-rate=${restartRate}`)), // prettier-ignore
  flags({ healthyFor: '0s', stageDeadline: '1ns' }, '--healthy-for=0s', '--stage-deadline=1ns'),
  flags({ healthyFor: '24h', stageDeadline: '23h60m' }, '--healthy-for=24h', '--stage-deadline=23h60m'),
  flags({ prometheusUrl: 'HTTP://p', webhookUrl: ' https://h ' }, '--prometheus-url=HTTP://p', '--webhook-url= https://h '), // prettier-ignore
  {
    // `ignoreNamespaces:` with nothing behind it is null, which Reloader's chart takes for no value.
    what: 'values without anything are those that are left out',
    values: {
      reloader: {
        ...{ ignoreNamespaces: null, namespaceSelector: null, resourceLabelSelector: null, reloadStrategy: null },
        ...{ restartWindows: null, maxRolling: null, maxRollingPerNamespace: null, maxRollingPerNodePool: null },
        stagesFrom: null,
      },
    },
    check: (rendered) => expect(rendered.args()).toEqual(always),
  },
  {
    what: 'custom annotations without a key have no flag, and stay as they are',
    values: { reloader: { custom_annotations: { configmap: '', secret: null, auto: ' ' } } },
    check: (rendered) => expect(rendered.args()).toEqual(always),
  },
  flags({ custom_annotations: { match: 'yes: #1' } }, '--search-match-annotation=yes: #1'),
  flags(
    { stagesFrom: '50', healthyFor: '2m', stageDeadline: '15m' },
    '--healthy-for=2m',
    '--stage-deadline=15m',
    '--stages-from=50',
  ),
  flags({ prometheusUrl: 'http://prometheus.monitoring:9090' }, '--prometheus-url=http://prometheus.monitoring:9090'),
  {
    what: 'health checks at URLs: the flag, the right to read Services, and the way to their pods',
    values: { reloader: { healthyUrls: true, netpol: { enabled: true } } },
    check: (rendered) => {
      expect(rendered.args()).toContain('--healthy-urls=true');
      expect(rendered.rules('ClusterRole')).toContain('get services');
      const toPods = { to: [{ namespaceSelector: {} }] };
      expect(rendered.spec('NetworkPolicy', 'reroll')['egress']).toContainEqual(toPods);
      expect(rendered.spec('NetworkPolicy', 'reroll-webhook')['egress']).not.toContainEqual(toPods);
    },
  },
  flags({ rollback: true }, '--rollback=true'),
  {
    what: 'sources are written only with a rollback',
    values: { reloader: { rollback: true } },
    check: (rendered) => expect(rendered.rules('ClusterRole')).toContain('create patch delete configmaps,secrets'),
  },
  ...[{}, { rollback: true, dryRun: true }].map((reloader): ChartCase => ({
    what: `${JSON.stringify(reloader)}: no right to write a source`,
    values: { reloader },
    check: (rendered) =>
      expect(JSON.stringify(rendered.rules('ClusterRole'))).not.toMatch(/(create|patch|delete) (configmaps|secrets)/),
  })),
  {
    what: 'what is ignored is not put back either',
    values: { reloader: { rollback: true, ignoreSecrets: true } },
    check: (rendered) => expect(rendered.rules('ClusterRole')).toContain('create patch delete configmaps'),
  },
  flags({ settle: '1h', settleMax: '60m' }, '--settle=1h', '--settle-max=60m'),
  flags({ settle: '5m' }, '--settle=5m'),
  flags({ extraArgs: ['--alert-sink=slack'] }, '--alert-sink=slack'),
  {
    what: 'what is ignored is neither watched nor called for, and needs no right',
    values: { reloader: { ignoreSecrets: true, ignoreJobs: true, ignoreCronJobs: true, isArgoRollouts: false } },
    check: (rendered) => {
      const flagsOfIgnored = ['--resources-to-ignore=secrets', '--ignored-workload-types=jobs,cronjobs'];
      expect(rendered.args()).toEqual(expect.arrayContaining([...flagsOfIgnored, '--is-Argo-Rollouts=false']));
      expect(rendered.rules('ClusterRole')).toEqual([
        'get list watch configmaps',
        'get list watch patch deployments,statefulsets,daemonsets',
        'create events',
        'list watch namespaces',
      ]);
      expect(rendered.hooked('MutatingWebhookConfiguration')).not.toContain('secrets');
    },
  },
  {
    what: 'ConfigMaps ignored',
    values: { reloader: { ignoreConfigMaps: true } },
    check: (rendered) => {
      expect(rendered.args()).toContain('--resources-to-ignore=configmaps');
      expect(rendered.rules('ClusterRole')[0]).toBe('get list watch secrets');
    },
  },
  {
    what: 'add-ons bring their rights with them',
    values: { reloader: { isOpenshift: true, enableCSIIntegration: true } },
    check: (rendered) =>
      expect(rendered.rules('ClusterRole')).toEqual(
        expect.arrayContaining([
          'get list watch patch rollouts',
          'get list watch patch deploymentconfigs',
          'list watch secretproviderclasses,secretproviderclasspodstatuses',
        ]),
      ),
  },
  passedOn('pod', { hostUsers: false }),
  passedOn('pod', { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'a', operator: 'Exists' }] }),
  passedOn('pod', { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } } }),
  passedOn('pod', { topologySpreadConstraints: [{ maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }] }), // prettier-ignore
  passedOn('pod', { priorityClassName: 'high', runtimeClassName: 'gvisor', schedulerName: 'mine' }),
  passedOn('pod', { dnsConfig: { options: [{ name: 'ndots', value: '2' }] } }),
  passedOn('pod', { automountServiceAccountToken: false }),
  passedOn('container', { resources: { limits: { cpu: '1' }, requests: { cpu: '50m' } } }),
  passedOn('container', { livenessProbe: { periodSeconds: 7 }, readinessProbe: { failureThreshold: 9 } }),
  {
    what: 'volumes',
    values: deployment({
      volumes: [{ name: 'ca', configMap: { name: 'ca' } }],
      volumeMounts: [{ name: 'ca', mountPath: '/ca' }],
    }),
    check: (rendered) => {
      expect(rendered.pod().volumes).toEqual([{ name: 'ca', configMap: { name: 'ca' } }]);
      expect(rendered.container()['volumeMounts']).toEqual([{ name: 'ca', mountPath: '/ca' }]);
    },
  },
  {
    what: 'volumes beside those of certificates',
    values: {
      certificates: { mode: 'certManager' },
      ...deployment({ volumes: [{ name: 'x', emptyDir: {} }], volumeMounts: [{ name: 'x', mountPath: '/x' }] }),
    },
    check: (rendered) => expect(rendered.pod().volumes).toHaveLength(2),
  },
  {
    what: 'security contexts: the cluster gives the user, the rest stays',
    values: deployment({
      securityContext: { runAsUser: null, runAsGroup: null, fsGroup: 5 },
      containerSecurityContext: { privileged: false },
    }),
    check: (rendered) => {
      const seccompProfile = { type: 'RuntimeDefault' };
      expect(rendered.pod()['securityContext']).toEqual({ runAsNonRoot: true, fsGroup: 5, seccompProfile });
      expect(rendered.container()['securityContext']).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        privileged: false,
      });
    },
  },
  {
    what: 'a root file system that may be written',
    values: { reloader: { readOnlyRootFileSystem: false } },
    check: (rendered) =>
      expect(rendered.container()['securityContext']).toMatchObject({ readOnlyRootFilesystem: false }),
  },
  {
    what: 'variables: open, from a Secret of the release, from others, from the pod',
    values: deployment({
      env: {
        open: { A: '1', EMPTY: '' },
        secret: { ALERT_WEBHOOK_URL: 'https://x.example' },
        existing: { mine: { B: 'b-key' } },
        field: { NODE: 'spec.nodeName' },
      },
    }),
    check: (rendered) => {
      expect(rendered.env()).toMatchObject({
        A: '1',
        ALERT_WEBHOOK_URL: { secretKeyRef: { name: 'reroll', key: 'ALERT_WEBHOOK_URL' } },
        B: { secretKeyRef: { name: 'mine', key: 'b-key' } },
        NODE: { fieldRef: { fieldPath: 'spec.nodeName' } },
      });
      expect(Object.keys(rendered.env())).not.toContain('EMPTY');
      expect(rendered.one('Secret', 'reroll')['stringData']).toEqual({ ALERT_WEBHOOK_URL: 'https://x.example' });
      // Too short to test guesses of the value.
      expect(rendered.template().metadata.annotations?.['reroll.dev/env']).toMatch(/^[0-9a-f]{4}$/);
    },
  },
  {
    what: 'variables that the chart sets too: none is there twice, and that of the values counts',
    values: {
      reloader: {
        metaInfo: true,
        deployment: {
          env: {
            open: { NODE_OPTIONS: '--dns-result-order=ipv6first', RELOADER_NAMESPACE: 'tools' },
            field: { POD_NAME: 'metadata.uid' },
          },
        },
      },
    },
    check: (rendered) => {
      expect(rendered.container().env?.map(({ name }) => name)).toEqual([
        ...['RELOADER_DEPLOYMENT_NAME', 'NODE_OPTIONS', 'RELOADER_NAMESPACE', 'POD_NAME'],
      ]);
      expect(rendered.env()).toMatchObject({
        NODE_OPTIONS: '--dns-result-order=ipv6first',
        RELOADER_NAMESPACE: 'tools',
      });
    },
  },
  {
    what: 'metrics by namespace, and what is told of the install',
    values: { reloader: { enableMetricsByNamespace: true, metaInfo: true } },
    check: (rendered) => {
      expect(rendered.env()).toMatchObject({
        METRICS_COUNT_BY_NAMESPACE: 'enabled',
        RELOADER_DEPLOYMENT_NAME: 'reroll',
      });
      expect(rendered.rules('Role', 'reroll-own')).toContain('get update configmaps/reloader-meta-info');
    },
  },
  {
    what: 'labels and annotations, with templates in them',
    values: {
      commonLabels: { team: 'a' },
      reloader: {
        matchLabels: { tier: 'infra' },
        deployment: {
          labels: { provider: '{{ .Release.Name }}' },
          annotations: { 'a.io/b': '{{ .Release.Namespace }}' },
          pod: { annotations: { 'a.io/c': 'd' } },
        },
      },
    },
    check: (rendered) => {
      const { metadata } = rendered.one('Deployment', 'reroll');
      expect(metadata.labels).toMatchObject({ team: 'a', provider: 'reroll', tier: 'infra' });
      expect(metadata.annotations).toEqual({ 'a.io/b': 'reroll' });
      expect(rendered.template().metadata.annotations).toEqual({ 'a.io/c': 'd' });
      const selector = rendered.spec('Deployment', 'reroll')['selector'] as { matchLabels: object };
      expect(selector.matchLabels).toMatchObject({ tier: 'infra' });
      expect(rendered.spec('Service', 'reroll-channel')['selector']).toMatchObject({ tier: 'infra' });
    },
  },
  {
    what: 'labels by which pods are selected, repeated in other values',
    values: {
      commonLabels: { 'app.kubernetes.io/instance': 'reroll', tier: 'infra' },
      reloader: {
        matchLabels: { tier: 'infra' },
        deployment: { labels: { 'app.kubernetes.io/component': 'reconciler', tier: 'infra' } },
      },
    },
    check: (rendered) => {
      expect(rendered.template().metadata.labels).toMatchObject({ tier: 'infra' });
      expect(rendered.template('reroll-certs').metadata.labels).toMatchObject({ tier: 'infra' });
    },
  },
  {
    what: 'common labels that other values set too: none is there twice, and that of the object counts',
    values: {
      commonLabels: { team: 'all', 'app.kubernetes.io/version': 'v9' },
      reloader: {
        deployment: { labels: { team: 'pods' } },
        serviceAccount: { labels: { team: 'account' } },
        rbac: { labels: { team: '{{ .Release.Name }}' } },
        service: { labels: { team: 'service' } },
        serviceMonitor: { enabled: true, labels: { team: 'monitor', 'app.kubernetes.io/name': 'prometheus' } },
      },
      prometheusRule: { enabled: true, labels: { team: 'rule' } },
      dashboard: { enabled: true, labels: { team: 'dashboard' } },
    },
    check: (rendered) => {
      expect(rendered.template().metadata.labels).toMatchObject({ team: 'pods', 'app.kubernetes.io/version': 'v9' });
      const teamOf = (kind: string, name: string) => rendered.one(kind, name).metadata.labels?.['team'];
      expect(teamOf('Deployment', 'reroll-webhook')).toBe('all');
      expect(teamOf('ServiceAccount', 'reroll')).toBe('account');
      expect(teamOf('ServiceAccount', 'reroll-webhook')).toBe('all');
      expect(teamOf('ClusterRole', 'reroll')).toBe('reroll');
      expect(teamOf('Service', 'reroll')).toBe('service');
      expect(teamOf('PrometheusRule', 'reroll')).toBe('rule');
      expect(teamOf('ConfigMap', 'reroll-dashboard')).toBe('dashboard');
      const { labels } = rendered.one('ServiceMonitor', 'reroll').metadata;
      expect(labels).toMatchObject({ team: 'monitor', 'app.kubernetes.io/name': 'prometheus' });
    },
  },
  {
    what: 'replicas and what is kept of former ones',
    values: deployment({ replicas: 3, revisionHistoryLimit: 5 }),
    check: (rendered) =>
      expect(rendered.spec('Deployment', 'reroll')).toMatchObject({ replicas: 3, revisionHistoryLimit: 5 }),
  },
  {
    what: 'no resources, as a key with nothing below it says',
    values: deployment({ resources: null }),
    check: (rendered) => expect(rendered.container()).not.toHaveProperty('resources'),
  },
  {
    what: 'three quarters of the memory limit are told to V8, and nothing where there is no limit',
    values: { ...deployment({ resources: { limits: null } }) },
    check: (rendered) => {
      expect(rendered.env()['NODE_OPTIONS']).toBeUndefined();
      expect(rendered.env('reroll-webhook')['NODE_OPTIONS']).toContain('--max-old-space-size-percentage=75');
    },
  },
];
