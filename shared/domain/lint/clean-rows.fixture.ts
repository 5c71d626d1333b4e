import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import { parseSelector } from '../kubernetes/selector';
import type { LintRow } from './lint.fixture';
import { source } from './lint.fixture';

/** Workloads without findings. */
export const cleanRows: readonly LintRow[] = [
  { title: 'no annotations', applied: {}, says: [] },
  {
    title: 'annotations of others',
    applied: {
      metadata: {
        'helm.sh/chart': 'web-1',
        'example.com/auto': 'maybe',
        'forecastle.stakater.com/expose': 'x',
        'kubectl.kubernetes.io/restartedAt': 'x',
      },
    },
    says: [],
  },
  { title: 'everything that is used', applied: { metadata: { [keys.auto]: 'true' } }, says: [] },
  {
    title: 'the same on both places',
    applied: { metadata: { [keys.auto]: 'true' }, template: { [keys.auto]: 'true' } },
    says: [],
  },
  {
    title: 'the same list on both places',
    applied: { metadata: { [keys.configMapReload]: 'app' }, template: { [keys.configMapReload]: 'app' } },
    says: [],
  },
  {
    title: 'for one kind on the pod template, and for all on the metadata',
    applied: { metadata: { [keys.auto]: 'true' }, template: { [keys.configMapAuto]: 'true' } },
    says: [],
  },
  {
    title: 'a list of all that is used, beside everything',
    applied: { metadata: { [keys.auto]: 'true', [keys.configMapReload]: 'app' } },
    says: [],
  },
  {
    title: 'a list of what is there, beside everything of nothing',
    applied: { metadata: { [keys.auto]: 'true', [keys.configMapReload]: 'common' }, envFrom: [] },
    says: [],
  },
  { title: 'on the pod template alone', applied: { template: { [keys.auto]: 'true' } }, says: [] },
  { title: 'off', applied: { metadata: { [keys.auto]: 'false' } }, says: [] },
  {
    title: 'off but for a list, where every workload is restarted',
    applied: { metadata: { [keys.auto]: 'false', [keys.configMapReload]: 'app' } },
    flags: { policy: { autoReloadAll: true } },
    says: [],
  },
  {
    title: 'names that are there',
    applied: { metadata: { [keys.configMapReload]: 'app, common', [keys.secretReload]: 'd.' } },
    says: [],
  },
  {
    title: 'patterns, whether anything fits them or not',
    applied: { metadata: { [keys.configMapReload]: 'ap.*,my.conf', [keys.secretReload]: 'db,tls-.*,d.' } },
    sources: [source('Secret', 'd1', { ignore: true })],
    says: [],
  },
  {
    title: 'a list of what the template does not use, beside everything',
    applied: { metadata: { [keys.auto]: 'true', [keys.configMapReload]: 'common' } },
    says: [],
  },
  {
    title: 'a search with a match',
    applied: { metadata: { [keys.search]: 'true' } },
    sources: [source('Secret', 'db', { match: true })],
    says: [],
  },
  {
    title: 'narrowed to ConfigMaps',
    applied: { metadata: { [keys.auto]: 'true', [keys.match]: 'configmap' } },
    says: [],
  },
  {
    title: 'every setting of ours',
    applied: {
      metadata: {
        [keys.auto]: 'true',
        'reroll.dev/strategy': 'annotations',
        'reroll.dev/settle': '5s',
        'reroll.dev/settle-max': '1m',
        'reroll.dev/baseline': '{}',
        'reroll.dev/last-restart': '{}',
      },
    },
    says: [],
  },
  {
    title: 'a Job’s policy on a Job',
    applied: { kind: 'Job', metadata: { [keys.auto]: 'true', 'reroll.dev/job-policy': 'never' } },
    says: [],
  },
  {
    title: 'a paused Deployment',
    applied: { metadata: { [keys.auto]: 'true', [keys.pausePeriod]: '5m', [keys.pausedAt]: '2026-01-01T00:00:00Z' } },
    says: [],
  },
  {
    title: 'the keys that flags have set',
    applied: { metadata: { 'example.com/restart': 'true', [keys.auto]: 'yes' } },
    flags: { keys: { auto: 'example.com/restart' } },
    says: [],
  },
  {
    title: 'a Rollout with a workloadRef',
    applied: {
      kind: 'Rollout',
      metadata: { [keys.auto]: 'true' },
      envFrom: [],
      spec: { workloadRef: { kind: 'Deployment', name: 'web' } },
    },
    says: [],
  },
  {
    title: 'a ReplicaSet that a Deployment has made',
    applied: {
      as: {
        group: 'apps',
        kind: 'ReplicaSet',
        ownerReferences: [{ kind: 'Deployment', name: 'web', controller: true }],
      },
      metadata: { [keys.auto]: 'true' },
    },
    says: [],
  },
  {
    title: 'a kind that is not restarted and does not ask',
    applied: { as: { group: '', kind: 'Pod' }, metadata: { 'reroll.dev/settle': '5s' } },
    says: [],
  },
  {
    title: 'a namespace that is left out, and nothing that asks',
    applied: { metadata: { 'reroll.dev/baseline': '{}' } },
    flags: { selection: { namespacesToIgnore: ['shop'] } },
    says: [],
  },
  {
    title: 'a namespace that is selected',
    applied: { metadata: { [keys.auto]: 'true' } },
    flags: { selection: { namespaceSelector: parseSelector('env=prod') } },
    isNamespaceSelected: true,
    says: [],
  },
  {
    title: 'SecretProviderClasses with their flag',
    applied: { metadata: { [keys.secretProviderClassReload]: 'vault' } },
    flags: { csi: true },
    sources: [source('SecretProviderClass', 'vault')],
    says: [],
  },
];
