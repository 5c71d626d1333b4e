import { describe, expect, it } from '@jest/globals';
import type { PaceSettings } from '../../shared/domain/gate-settings/pace-settings';
import { parseRestartWindows } from '../../shared/domain/gate-settings/restart-windows';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { everything, parseSelector } from '../../shared/domain/kubernetes/selector';
import { claimsToBeOption, optionEnv, type OptionRow } from '../../shared/runtime/options/option-table';
import { UsageError, type Environment } from '../../shared/runtime/options/options';
import { parseReconcilerOptions, reconcilerOptionTable, type ReconcilerOptions } from './options';

const defaultPace: PaceSettings = {
  maxRolling: { count: 100, unit: 'workloads' },
  perNamespace: { count: 50, unit: 'workloads' },
  perNodePool: 'off',
  nodePoolLabel: undefined,
  rate: undefined,
};

const defaultStages = { fromUsers: 20, healthyForMs: 30_000, deadlineMs: 600_000 };

const defaults: ReconcilerOptions = {
  autoReloadAll: false,
  strategy: 'env-vars',
  gates: undefined,
  pace: defaultPace,
  stages: defaultStages,
  rollback: false,
  reloadOnCreate: false,
  reloadOnDelete: false,
  annotationKeys: defaultAnnotationKeys,
  ignoredWorkloadKinds: [],
  ignoredSourceKind: undefined,
  namespaces: [],
  namespacesToIgnore: [],
  namespaceSelector: everything,
  sourceSelector: everything,
  csi: false,
  logFormat: 'console',
  logLevel: 'info',
  kubeconfig: undefined,
  context: undefined,
  settleMs: 1_000,
  settleMaxMs: 10_000,
  foldRollouts: true,
  ownNamespace: undefined,
  podName: undefined,
  leaseName: 'reroll',
  channelListen: undefined,
  inspectionListen: { host: '127.0.0.1', port: 9095 },
  certsSecret: 'reroll-certs',
  channelTlsDir: undefined,
  webhookUrl: undefined,
  healthyUrls: false,
  prometheusUrl: undefined,
  alertOnReload: false,
  alertSink: 'raw',
  alertWebhookUrl: undefined,
  alertWebhookProxy: undefined,
  alertAdditionalInfo: undefined,
  metaInfoNamespace: undefined,
  metaInfoDeployment: undefined,
  otlpEndpoint: undefined,
  otlpTracesEndpoint: undefined,
  otlpHeaders: {},
  otlpCertificate: undefined,
  otelServiceName: undefined,
  otelResourceAttributes: new Map(),
  listen: { host: undefined, port: 9090 },
  dryRun: false,
  history: true,
  replicated: false,
  remarks: [],
};

function problems(args: readonly string[], env: Environment = {}): readonly string[] {
  try {
    parseReconcilerOptions(args, env);
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.problems;
    throw thrown;
  }
  return [];
}

function keys(changed: Partial<typeof defaultAnnotationKeys>): Partial<ReconcilerOptions> {
  return { annotationKeys: { ...defaultAnnotationKeys, ...changed } };
}

const accepted: readonly (readonly [string, Partial<ReconcilerOptions>])[] = [
  ['--auto-reload-all', { autoReloadAll: true }],
  ['--auto-reload-all=false', {}],
  ['--reload-strategy=annotations', { strategy: 'annotations' }],
  ['--reload-strategy=restarted-at', { strategy: 'restarted-at' }],
  ['--reload-strategy=default', { strategy: 'env-vars' }],
  ['--reload-on-create=true', { reloadOnCreate: true }],
  ['--reload-on-create=True', { reloadOnCreate: true }],
  ['--reload-on-delete=1', { reloadOnDelete: true }],
  ['--auto-annotation=example.com/auto', keys({ auto: 'example.com/auto' })],
  ['--configmap-auto-annotation=example.com/cm-auto', keys({ configMapAuto: 'example.com/cm-auto' })],
  ['--secret-auto-annotation=example.com/s-auto', keys({ secretAuto: 'example.com/s-auto' })],
  ['--configmap-annotation=example.com/cm', keys({ configMapReload: 'example.com/cm' })],
  ['--secret-annotation=example.com/s', keys({ secretReload: 'example.com/s' })],
  ['--auto-search-annotation=example.com/search', keys({ search: 'example.com/search' })],
  ['--search-match-annotation=match', keys({ match: 'match' })],
  ['--ignore-annotation=Example_1.x', keys({ ignore: 'Example_1.x' })],
  ['--pause-deployment-annotation=example.com/wait', keys({ pausePeriod: 'example.com/wait' })],
  ['--pause-deployment-time-annotation=example.com/since', keys({ pausedAt: 'example.com/since' })],
  ['--enable-csi-integration', { csi: true }],
  ['--enable-csi-integration=true', { csi: true }],
  ['--ignored-workload-types=jobs', { ignoredWorkloadKinds: ['Job'] }],
  ['--ignored-workload-types=cronjobs, jobs,jobs', { ignoredWorkloadKinds: ['CronJob', 'Job'] }],
  ['--resources-to-ignore=configMaps', { ignoredSourceKind: 'ConfigMap' }],
  ['--resources-to-ignore=secrets,Secrets', { ignoredSourceKind: 'Secret' }],
  ['--namespaces=shop, pay,shop', { namespaces: ['shop', 'pay'] }],
  ['--namespaces-to-ignore=kube-system,,shop,', { namespacesToIgnore: ['kube-system', 'shop'] }],
  [
    '--namespace-selector=env=prod,tier in (web,api)',
    { namespaceSelector: parseSelector('env=prod,tier in (web,api)') },
  ],
  ['--namespace-selector="env:prod,team:*"', { namespaceSelector: parseSelector('env=prod,team') }],
  ['--resource-label-selector=reload:*', { sourceSelector: parseSelector('reload') }],
  ['--resource-label-selector=', {}],
  ['--enable-ha', { leaseName: 'stakater-reloader-lock', replicated: true }],
  ['--enable-ha=0', {}],
  ['--is-Argo-Rollouts', {}],
  ['--is-Argo-Rollouts=true', {}],
  ['--is-Argo-Rollouts=false', { ignoredWorkloadKinds: ['Rollout'] }],
  ['--fold-rollouts=false', { foldRollouts: false }],
  ['--history=false', { history: false }],
  ['--sync-after-restart', { remarks: [expect.stringContaining('--sync-after-restart has no effect') as never] }],
  ['--enable-pprof', { remarks: [expect.stringContaining('--enable-pprof') as never] }],
  ['--dry-run', { dryRun: true }],
  ['--pprof-addr=:6060', { remarks: [expect.stringContaining('--pprof-addr') as never] }],
  ['--channel-listen=:8444', { channelListen: { host: undefined, port: 8444 } }],
  ['--inspection-listen=[::1]:0', { inspectionListen: { host: '::1', port: 0 } }],
  ['--inspection-listen=off', { inspectionListen: undefined }],
  ['--certs-secret=my.certs', { certsSecret: 'my.certs' }],
  ['--channel-tls-dir=/tls', { channelTlsDir: '/tls' }],
  ['--webhook-url=http://ci:8080/hook', { webhookUrl: new URL('http://ci:8080/hook') }],
  ['--alert-on-reload', { alertOnReload: true }],
  ['--alert-on-reload=true', { alertOnReload: true }],
  ['--alert-sink= Slack ', { alertSink: 'slack' }],
  ['--alert-sink=pager', { alertSink: 'pager' }],
  [
    '--alert-webhook-url= https://sink.example/T0/s3cret\n',
    { alertWebhookUrl: new URL('https://sink.example/T0/s3cret') },
  ],
  ['--alert-webhook-url= ', {}],
  ['--alert-webhook-proxy=http://proxy:3128', { alertWebhookProxy: new URL('http://proxy:3128') }],
  ['--alert-additional-info= prod ', { alertAdditionalInfo: 'prod' }],
  ['--otlp-endpoint=http://collector:4318', { otlpEndpoint: new URL('http://collector:4318') }],
  ['--otlp-traces-endpoint=https://apm/intake', { otlpTracesEndpoint: new URL('https://apm/intake') }],
  ['--otlp-headers=X-Api-Key=s3cret', { otlpHeaders: { 'x-api-key': 's3cret' } }],
  ['--otlp-certificate=/etc/ca.crt', { otlpCertificate: '/etc/ca.crt' }],
  ['--otel-service-name=restarts', { otelServiceName: 'restarts' }],
  ['--otel-resource-attributes=k8s.cluster.name=eu', { otelResourceAttributes: new Map([['k8s.cluster.name', 'eu']]) }],
  ['--meta-info-namespace=tools', { metaInfoNamespace: 'tools' }],
  ['--meta-info-deployment=reroll', { metaInfoDeployment: 'reroll' }],
  ['--log-format=json', { logFormat: 'json' }],
  ['--log-format=text', {}],
  ['--log-format=', {}],
  ['--log-level=panic', { logLevel: 'error' }],
  ['--log-level=fatal', { logLevel: 'error' }],
  ['--log-level=error', { logLevel: 'error' }],
  ['--log-level=warn', { logLevel: 'warn' }],
  ['--log-level=WARNING', { logLevel: 'warn' }],
  ['--log-level=debug', { logLevel: 'debug' }],
  ['--log-level=Trace', { logLevel: 'debug' }],
  ['--kubeconfig=/etc/kubeconfig', { kubeconfig: '/etc/kubeconfig' }],
  ['--context=staging', { context: 'staging' }],
  ['--settle=500ms', { settleMs: 500 }],
  ['--settle=0', { settleMs: 0 }],
  ['--settle=10s', { settleMs: 10_000 }],
  ['--settle=5m', { settleMs: 300_000, settleMaxMs: 300_000 }],
  [
    '--restart-windows=Mon-Fri 22:00-05:00 Europe/Berlin; Sat,Sun',
    { gates: { windows: parseRestartWindows('Mon-Fri 22:00-05:00 Europe/Berlin; Sat,Sun') } },
  ],
  ['--restart=next-rollout', { gates: { mode: 'next-rollout' } }],
  ['--restart=now', { gates: { mode: 'now' } }],
  ['--min-interval=24h', { gates: { minIntervalMs: 86_400_000 } }],
  ['--min-interval=0', { gates: { minIntervalMs: 0 } }],
  ['--max-rolling=7', { pace: { ...defaultPace, maxRolling: { count: 7, unit: 'workloads' } } }],
  ['--max-rolling=off', { pace: { ...defaultPace, maxRolling: 'off' } }],
  ['--max-rolling-per-namespace=20 pods', { pace: { ...defaultPace, perNamespace: { count: 20, unit: 'pods' } } }],
  [
    '--max-rolling-per-node-pool=5',
    {
      pace: { ...defaultPace, perNodePool: { count: 5, unit: 'workloads' } },
      remarks: ['--max-rolling-per-node-pool has no effect without --node-pool-label, which names the pools'],
    },
  ],
  ['--node-pool-label=example.com/pool', { pace: { ...defaultPace, nodePoolLabel: 'example.com/pool' } }],
  ['--rollback', { rollback: true }],
  ['--stages-from=0', { stages: { ...defaultStages, fromUsers: 0 } }],
  ['--healthy-for=2m', { stages: { ...defaultStages, healthyForMs: 120_000 } }],
  ['--stage-deadline=15m', { stages: { ...defaultStages, deadlineMs: 900_000 } }],
  ['--healthy-urls', { healthyUrls: true }],
  [
    '--prometheus-url=http://prometheus.monitoring:9090',
    { prometheusUrl: new URL('http://prometheus.monitoring:9090') },
  ],
  ['--restart-rate=30/m', { pace: { ...defaultPace, rate: { count: 30, perMs: 60_000, text: '30/m' } } }],
  ['--settle-max=1h', { settleMaxMs: 3_600_000 }],
  ['--settle-max=1m', { settleMaxMs: 60_000 }],
  ['--own-namespace=tools', { ownNamespace: 'tools' }],
  ['--pod-name=reroll-0', { podName: 'reroll-0' }],
  ['--lease-name=stakater-reloader-lock', { leaseName: 'stakater-reloader-lock' }],
  ['--listen=[::1]:0', { listen: { host: '::1', port: 0 } }],
];

describe('parseReconcilerOptions', () => {
  it('has a default for everything', () => {
    expect(parseReconcilerOptions([], {})).toEqual(defaults);
  });

  it.each(accepted)('%s', (arg, changed) => {
    expect(parseReconcilerOptions([arg], {})).toEqual({ ...defaults, ...changed });
  });

  it.each(accepted.filter(([arg]) => arg.includes('=')))('%s as a variable', (arg, changed) => {
    const [flag = ''] = arg.split('=', 1);
    const value = arg.slice(flag.length + 1);
    const row = Object.values<OptionRow>(reconcilerOptionTable).find((candidate) => `--${candidate.flag}` === flag)!;
    expect(parseReconcilerOptions([], { [optionEnv(row)]: value })).toEqual({ ...defaults, ...changed });
  });

  it('every flag has a case here that changes the result', () => {
    const changing = accepted
      .filter(([, changed]) => Object.keys(changed).length > 0)
      .map(([arg]) => arg.split('=')[0]);
    const flags = Object.values(reconcilerOptionTable).map(({ flag }) => `--${flag}`);
    expect(flags.filter((flag) => !changing.includes(flag))).toEqual([]);
  });

  it.each([
    ['POD_NAME', 'reroll-7', { podName: 'reroll-7' }],
    ['POD_NAMESPACE', 'tools', { ownNamespace: 'tools' }],
    ['KUBERNETES_NAMESPACE', 'shop', { namespaces: ['shop'] }],
    ['ALERT_ON_RELOAD', 'true', { alertOnReload: true }],
    ['ALERT_SINK', 'GChat', { alertSink: 'gchat' }],
    ['ALERT_WEBHOOK_URL', 'https://sink.example/x\n', { alertWebhookUrl: new URL('https://sink.example/x') }],
    ['ALERT_WEBHOOK_PROXY', 'http://proxy:3128', { alertWebhookProxy: new URL('http://proxy:3128') }],
    ['ALERT_ADDITIONAL_INFO', 'prod', { alertAdditionalInfo: 'prod' }],
    ['ALERT_ADDITIONAL_INFO', '', {}],
    ['ALERT_ADDITIONAL_INFO', ' \n', {}],
    ['ALERT_SINK', ' \n', {}],
    ['ALERT_ON_RELOAD', '\n', {}],
    ['RELOADER_NAMESPACE', 'tools', { metaInfoNamespace: 'tools' }],
    ['RELOADER_DEPLOYMENT_NAME', 'reloader', { metaInfoDeployment: 'reloader' }],
  ])('takes %s if the flag is not set', (variable, value, changed) => {
    expect(parseReconcilerOptions([], { [variable]: value })).toEqual({ ...defaults, ...changed });
  });

  it.each([
    ['--auto-reload-all=yes', 'not a boolean'],
    ['--reload-strategy=rolling', 'no such strategy'],
    ['--reload-strategy=toString', 'no such strategy'],
    ['--auto-annotation=', 'not an annotation key'],
    ['--ignore-annotation=a b', 'not an annotation key'],
    ['--match', 'unknown flag'],
    ['--secret-annotation=example.com/a/b', 'not an annotation key'],
    [`--secret-annotation=${'a'.repeat(64)}`, 'not an annotation key'],
    [`--secret-annotation=${'a.'.repeat(126)}bc/reload`, 'not an annotation key'],
    ['--node-pool-label=Example.com/pool', 'not a label key'],
    [
      '--ignored-workload-types=Jobs',
      'element "Jobs": not a type that can be ignored; accepted: a list of jobs, cronjobs',
    ],
    ['--ignored-workload-types=jobs,deployments', 'element "deployments"'],
    ['--resources-to-ignore=pods', 'element "pods": not a kind of source; accepted: configmaps or secrets'],
    ['--resources-to-ignore=configmaps,secrets', 'no kind would be left to watch'],
    ['--namespaces=shop,', 'element "": not a namespace'],
    ['--namespaces-to-ignore=kube-*', 'element "kube-*": not a namespace'],
    ['--namespace-selector=env!=*', '* is not a label value: to select any value write the key alone'],
    ['--namespace-selector=env=prod,', 'a label key is missing at the end'],
    ['--resource-label-selector=app=foo:bar', '"foo:bar" is not a label value'],
    ['--enable-ha=yes', 'not a boolean'],
    ['--is-Argo-Rollouts=yes', 'not a boolean'],
    ['--is-argo-rollouts=true', 'did you mean --is-Argo-Rollouts?'],
    ['--namespaces=Shop', 'element "Shop": not a namespace'],
    ['--log-format=xml', 'no such format'],
    ['--log-level=loud', 'no such level; accepted: panic, fatal, error, warn, warning, info, debug, trace'],
    ['--kubeconfig=', 'must not be empty'],
    ['--context=', 'must not be empty'],
    ['--pod-name=', 'must not be empty'],
    ['--settle=5', 'not a duration'],
    ['--restart-windows=banana', '"banana" is no day and no range of days'],
    ['--max-rolling=25%', 'is not a number of workloads such as 5, or of pods such as "20 pods"'],
    ['--stages-from=-1', 'not a number'],
    ['--healthy-for=25h', 'not between 0 and 24h'],
    ['--stage-deadline=0', 'not between 0 and 24h'],
    ['--restart-rate=30', 'is not a number of restarts in a time, such as 30/m, 5/10s or 600/h'],
    ['--restart=never', 'no such choice; accepted: now, next-rollout'],
    ['--min-interval=721h', 'longer than 720h; accepted: a Go duration such as 30m or 24h, at most 720h'],
    ['--settle=-1s', 'a duration below zero'],
    ['--settle-max=soon', 'not a duration'],
    ['--settle-max=1h1s', 'longer than 1h; accepted: a Go duration not below --settle, at most 1h'],
    ['--own-namespace=a.b', 'not a namespace'],
    ['--lease-name=Reroll', 'not a name'],
    ['--listen=9090', 'not a host and port'],
    ['--inspection-listen=9095', 'not a host and port'],
    [
      '--inspection-listen=:9095',
      'not a loopback address such as 127.0.0.1 or [::1]: whoever reaches the pod could ask',
    ],
    ['--inspection-listen=0.0.0.0:9095', 'not a loopback address'],
    ['--inspection-listen=[::]:9095', 'not a loopback address'],
    ['--inspection-listen=10.0.0.1:9095', 'not a loopback address'],
    ['--inspection-listen=localhost:9095', 'not a loopback address'],
    ['--alert-on-reload=on', 'not a boolean'],
    ['--webhook-url=ci:8080', 'neither http nor https'],
    ['--prometheus-url=prometheus:9090', 'neither http nor https'],
    ['--healthy-urls=all', 'not a boolean'],
    ['--alert-webhook-url=sink.example/T0', 'not a URL'],
    ['--alert-webhook-proxy=socks5://proxy:1080', 'neither http nor https'],
    ['--meta-info-namespace=a.b', 'not a namespace'],
    ['--meta-info-deployment=', 'must not be empty'],
  ])('refuses %s and names it', (arg, problem) => {
    const [found, ...others] = problems([arg]);
    expect(found).toContain(arg.split('=')[0]);
    expect(found).toContain(problem);
    expect(others).toEqual([]);
  });

  it.each([
    [['--alert-webhook-url=ftp://user:s3cret@sink'], {}],
    [['--alert-webhook-proxy', 'socks5://user:s3cret@proxy'], {}],
    [['--webhook-url=//s3cret'], {}],
    [['--alert-webhook-url=', 'https://sink.example/s3cret'], {}],
    [['--alert-webhook-ulr=https://sink.example/s3cret'], {}],
    [[], { ALERT_WEBHOOK_URL: 'sink.example/s3cret' }],
  ] as const)('shows nothing of an address, which may be a credential: %j %j', (args, env) => {
    const found = problems(args, env);
    expect(found).toHaveLength(1);
    expect(found.join()).not.toMatch(/s3cret|sink|proxy:/);
  });

  it.each([
    [['--namespaces=shop'], {}],
    [[], { KUBERNETES_NAMESPACE: 'shop' }],
  ])('§10.1 with %j %j, the filters of the whole cluster do not count, and a remark says so', (args, env) => {
    const filters = ['--namespaces-to-ignore=bank', '--namespace-selector=env=prod'];
    const options = parseReconcilerOptions([...args, ...filters], env);
    expect(options).toMatchObject({ namespaces: ['shop'], namespacesToIgnore: [], namespaceSelector: everything });
    expect(options.remarks).toEqual([
      expect.stringContaining('--namespaces-to-ignore has no effect: only shop is watched'),
      expect.stringContaining('--namespace-selector has no effect: only shop is watched'),
    ]);
  });

  it('--inspection-listen is switched off by an empty text, too', () => {
    expect(parseReconcilerOptions(['--inspection-listen='], {}).inspectionListen).toBeUndefined();
  });

  it('--dry-run does not listen to the webhook, and says so', () => {
    const { channelListen, remarks } = parseReconcilerOptions(['--dry-run', '--channel-listen=:8444'], {});
    expect(channelListen).toBeUndefined();
    expect(remarks).toEqual([expect.stringContaining('--channel-listen has no effect in a dry run')]);
  });

  it('§11 a name for the lease wins over --enable-ha', () => {
    expect(parseReconcilerOptions(['--enable-ha', '--lease-name=mine'], {}).leaseName).toBe('mine');
  });

  it('refuses a settle above settle-max and names both', () => {
    expect(problems(['--settle=20s', '--settle-max=10s'])).toEqual([
      '--settle (20000 ms) is longer than --settle-max (10000 ms): raise the one or lower the other',
    ]);
  });

  it('refuses more namespaces than are tested, and says what to do', () => {
    const listOf = (count: number): string => `--namespaces=${Array.from({ length: count }, (_, n) => `n${n}`).join()}`;
    expect(problems([listOf(100)])).toEqual([]);
    expect(problems([listOf(101)])).toEqual([
      '--namespaces has 101 entries, and 100 can be watched one by one: leave it out to watch the whole cluster, with ' +
        '--namespace-selector to choose from it, or divide them among several installs',
    ]);
  });

  it('refuses one key for two annotations and names both flags', () => {
    expect(problems(['--auto-annotation=example.com/a', '--secret-annotation=example.com/a'])).toEqual([
      '--auto-annotation and --secret-annotation are both example.com/a: give each a key of its own',
    ]);
    expect(problems([`--auto-annotation=${defaultAnnotationKeys.search}`])).toEqual([
      '--auto-annotation and --auto-search-annotation are both reloader.stakater.com/search: give each a key of its own',
    ]);
  });

  it('names all problems at once, including those across options', () => {
    expect(
      problems([
        '--settle=1h',
        '--settle-max=1s',
        '--log-level=loud',
        '--auto-annotation=x',
        '--ignore-annotation=x',
        '--nope',
      ]),
    ).toHaveLength(4);
  });

  it('none of our variables looks like one that Kubernetes sets for a Service', () => {
    const variables = Object.values<OptionRow>(reconcilerOptionTable).map(optionEnv);
    expect(variables.filter((variable) => !claimsToBeOption(variable))).toEqual([]);
  });
});
