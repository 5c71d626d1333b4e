import { maxNamespaces } from '../../../reconciler/options/options';
import type { Refusal } from '../chart-case';

/** Values that the chart or its schema rejects, and the message. */
export const refusals: readonly Refusal[] = [
  { values: { kubernetes: { host: 'https://x' } }, says: 'kubernetes.host has no effect' },
  { values: { reloader: { legacy: { rbac: true } } }, says: 'reloader.legacy.rbac has no effect' },
  {
    values: { reloader: { deployment: { gomaxprocsOverride: '2' } } },
    says: 'gomaxprocsOverride is for the Go runtime, and Reroll is not a Go program. Set reloader.deployment.resources.limits.cpu',
  },
  {
    values: { reloader: { deployment: { gomemlimitOverride: '512MiB' } } },
    says: 'gomemlimitOverride is for the Go runtime, and Reroll is not a Go program. Set reloader.deployment.resources.limits.memory',
  },
  {
    values: { reloader: { ignoreSecrets: true, ignoreConfigMaps: true } },
    says: 'reloader.ignoreSecrets and reloader.ignoreConfigMaps together leave nothing to watch',
  },
  {
    values: { reloader: { namespaces: ['shop'] } },
    says: 'reloader.watchGlobally watches all namespaces, reloader.namespaces only some',
  },
  {
    values: {
      reloader: { watchGlobally: false, namespaces: Array.from({ length: maxNamespaces }, (_, n) => `team-${n}`) },
    },
    says: `are ${maxNamespaces + 1} together, and at most ${maxNamespaces} can be watched one by one: set reloader.watchGlobally=true`,
  },
  {
    values: { reloader: { custom_annotations: { atuo: 'x/y' } } },
    says: /custom_annotations\.atuo is unknown; known are auto,/,
  },
  ...[
    { commonLabels: { 'app.kubernetes.io/component': 'reconciler' } },
    { commonLabels: { 'app.kubernetes.io/name': 'platform' } },
    { commonLabels: { tier: 'a' }, reloader: { matchLabels: { tier: 'b' } } },
  ].map((values) => ({ values, says: /commonLabels must not set \S+, by which pods are selected, to another value/ })),
  {
    values: { reloader: { deployment: { labels: { 'app.kubernetes.io/instance': 'other' } } } },
    says: 'reloader.deployment.labels must not set app.kubernetes.io/instance, by which pods are selected, to another value: remove it there',
  },
  {
    values: { reloader: { matchLabels: { tier: 'a' }, deployment: { labels: { tier: '{{ .Release.Name }}' } } } },
    says: 'reloader.deployment.labels must not set tier',
  },
  {
    values: { reloader: { matchLabels: { 'app.kubernetes.io/name': 'reloader' } } },
    says: 'reloader.matchLabels must not set app.kubernetes.io/name',
  },
  {
    values: { reloader: { serviceMonitor: { enabled: true }, podMonitor: { enabled: true } } },
    says: 'together would scrape every pod twice: choose one',
  },
  {
    values: { reloader: { deployment: { replicas: 2 }, podDisruptionBudget: { enabled: true, minAvailable: 2 } } },
    says: 'minAvailable=2 of 2 replicas blocks every node drain: use maxUnavailable',
  },
  ...[0, '0%'].map((maxUnavailable) => ({
    values: { reloader: { podDisruptionBudget: { enabled: true, maxUnavailable } } },
    says: `reloader.podDisruptionBudget.maxUnavailable=${maxUnavailable} blocks every node drain: use 1, or no budget`,
  })),
  {
    values: { reloader: { podDisruptionBudget: { enabled: true, minAvailable: 2 } } },
    says: 'minAvailable=2 of 1 replicas blocks every node drain: use maxUnavailable',
  },
  {
    values: { reloader: { deployment: { replicas: 2 }, podDisruptionBudget: { enabled: true, minAvailable: '51%' } } },
    says: 'minAvailable=51% of 2 replicas blocks every node drain: use maxUnavailable',
  },
  {
    values: { reloader: { settle: '5m', settleMax: '90.5s' } },
    says: 'reloader.settle (5m) is longer than reloader.settleMax (90.5s)',
  },
  {
    values: { reloader: { settleMax: '500ms' } },
    says: 'reloader.settle (1s) is longer than reloader.settleMax (500ms), the longest that a restart waits: raise settleMax',
  },
  {
    values: { reloader: { maxRollingPerNodePool: 5 } },
    says: 'reloader.maxRollingPerNodePool has no effect without reloader.nodePoolLabel',
  },
  { values: { reloader: { minInterval: '720h1s' } }, says: 'reloader.minInterval (720h1s) is longer than 720h' },
  ...['22-05', 'Mon-Fri 9:00-17:00', 'Mo 22:00-23:00', '0 22 * * 1-5', 'Mon 25:00-26:00', 'Sat CET'].map((window) => ({
    values: { reloader: { restartWindows: `Sun; ${window}` } },
    says: `reloader.restartWindows: ${JSON.stringify(window)} is not a window. Accepted are Mon-Fri 22:00-05:00, `,
  })),
  { values: { reloader: { settle: '2h' } }, says: 'reloader.settle (2h) is longer than 1h, the maximum' },
  { values: { reloader: { settleMax: '60m1ns' } }, says: 'reloader.settleMax (60m1ns) is longer than 1h, the maximum' },
  { values: { reloader: { healthyFor: '25h' } }, says: 'reloader.healthyFor (25h) is longer than 24h, the maximum' },
  { values: { reloader: { stageDeadline: '24h1ns' } }, says: 'reloader.stageDeadline (24h1ns) is longer than 24h' },
  ...['0', '0s', '0h0.0m'].map((stageDeadline) => ({
    values: { reloader: { stageDeadline } },
    says: `reloader.stageDeadline (${stageDeadline}) gives no workload the time to become healthy: set a longer one`,
  })),
  ...['0/m', '00/10s', '10001/s', '5/0s', '5/25h'].map((restartRate) => ({
    values: { reloader: { restartRate } },
    says: `reloader.restartRate (${restartRate}): set 1 to 10000 restarts in 1s to 24h, such as 30/m, or nothing for no limit`,
  })),
  {
    values: { reloader: { extraArgs: ['--log-level=debug', '--atuo-reload-all'] } },
    says: 'reloader.extraArgs: --atuo-reload-all is not a flag of reroll reconciler: docs/reference/flags.md',
  },
  {
    values: { reloader: { extraArgs: ['nonsense'] } },
    says: 'reloader.extraArgs: nonsense is not a flag of reroll reconciler: docs/reference/flags.md',
  },
  { values: { reloader: { extraArgs: ['-x'] } }, says: 'reloader.extraArgs: -x is not a flag of reroll reconciler' },
  {
    values: { reloader: { extraArgs: ['--log-level', 'debug', 'nonsense'] } },
    says: 'nonsense is not a flag of reroll reconciler',
  },
  {
    values: { reloader: { extraArgs: ['--log-level=debug', 'nonsense'] } },
    says: 'nonsense is not a flag of reroll reconciler',
  },
  { values: { webhook: { extraArgs: ['--settle=1s'] } }, says: '--settle is not a flag of reroll webhook' },
  { values: { certificates: { extraArgs: ['--preview'] } }, says: '--preview is not a flag of reroll certs' },
  {
    values: { reloader: { namespaceSelector: 'a=(' } },
    says: 'reloader.namespaceSelector="a=(" is not a label selector. Accepted are env=prod, env!=prod, env in (prod,test), env notin (test), env, !env, size>1 and size<9, separated by commas, and Reloader\'s older env:prod and env:*',
  },
  {
    values: { reloader: { resourceLabelSelector: 'reload=yes,' }, webhook: { enabled: false } },
    says: 'reloader.resourceLabelSelector="reload=yes," is not a label selector. Accepted are',
  },
  { values: { enabled: false }, says: 'enabled=false is for charts that have this one as a dependency' },
  { values: { webhook: { validating: false, mutating: false } }, says: 'set webhook.enabled=false' },
  {
    values: { webhook: { enabled: false }, certificates: { mode: 'certManager' } },
    says: 'certificates.mode=certManager is for the webhook',
  },
  { values: { webhook: { hostNetwork: true } }, says: "webhook.port=10250 is the kubelet's own port" },
  {
    values: { webhook: { hostNetwork: true, port: 10260 }, reloader: { netpol: { enabled: true } } },
    says: /no label selects, so the policy would drop every change record\. Set reloader\.netpol\.channelFrom to the networks of the nodes/,
  },
  { values: { webhook: { port: 9090 } }, says: 'webhook.port=9090 is the port of metrics and probes' },
  { values: { certificates: { mode: 'existingSecrets' } }, says: /certificates\.existingSecrets\.\w+ / },
  {
    values: { image: { repository: 'ghcr.io/stakater/reloader', tag: 'v1.4.21' } },
    says: "image is Reloader's, ghcr.io/stakater/reloader:v1.4.21, which does not have Reroll's commands: remove image",
  },
  {
    values: { global: { imageRegistry: 'mirror.example' }, image: { name: 'stakater/reloader' } },
    says: "image is Reloader's, mirror.example/stakater/reloader:",
  },
  // Rejected by the schema.
  { values: { reloder: {} }, says: /additional properties 'reloder' not allowed/ },
  { values: { reloader: { autoReloadAl: true } }, says: /'autoReloadAl' not allowed/ },
  { values: { reloader: { autoReloadAll: 'maybe' } }, says: /autoReloadAll.*want boolean/s },
  { values: { commonLabels: { team: 5 } }, says: /commonLabels\/team.*got number, want null or string/s },
  { values: { reloader: { service: { labels: { a: true } } } }, says: /labels\/a.*got boolean, want null or string/s },
  { values: { reloader: { reloadStrategy: 'env' } }, says: /reloadStrategy.*must be one of 'default', 'env-vars'/s },
  { values: { reloader: { settle: 'banana' } }, says: /settle.*does not match pattern/s },
  { values: { reloader: { settle: '1.' } }, says: /settle.*does not match pattern/s },
  { values: { reloader: { settleMax: '10' } }, says: /settleMax.*does not match pattern/s },
  ...['foo', 'ftp://x', 'prometheus:9090'].flatMap((url) => [
    { values: { reloader: { prometheusUrl: url } }, says: /prometheusUrl.*does not match pattern/s },
    { values: { reloader: { webhookUrl: url } }, says: /webhookUrl.*does not match pattern/s },
    { values: { tracing: { endpoint: url } }, says: /tracing\/endpoint.*does not match pattern/s },
  ]),
  { values: { reloader: { logLevel: 'loud' } }, says: /logLevel.*must be one of/s },
  { values: { reloader: { service: { prot: 80 } } }, says: /'prot' not allowed/ },
  {
    values: { reloader: { podDisruptionBudget: { minAvailable: '150%' } } },
    says: /minAvailable.*does not match pattern/s,
  },
  { values: { certificates: { mode: 'letsEncrypt' } }, says: /certificates\/mode.*must be one of/s },
  { values: { webhook: { timeoutSeconds: 60 } }, says: /timeoutSeconds.*maximum/s },
  {
    values: { webhook: { validateNamespaces: { shop: 'no' } } },
    says: /validateNamespaces\/shop.*must be one of 'warn', 'deny'/s,
  },
  { values: { image: { digest: 'abc' } }, says: /digest.*does not match pattern/s },
];
