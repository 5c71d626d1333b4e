import { defaultAnnotationKeys as keys, lastReloadedFrom } from '../annotations/annotations';
import { parseSelector } from '../kubernetes/selector';
import type { LintRow } from './lint.fixture';
import { source } from './lint.fixture';

/** Annotations in places where they have no effect, and workloads that are excluded. */
export const placeRows: readonly LintRow[] = [
  {
    title: 'ignore, which belongs on the source',
    applied: { metadata: { [keys.auto]: 'true', [keys.ignore]: 'true' } },
    says: [
      [
        'wrong-place',
        'Deployment shop/web: annotation reloader.stakater.com/ignore="true" counts on a source only and has no effect on a workload; to switch restarts off, remove what switches them on, or list sources in configmaps.exclude.reloader.stakater.com/reload',
      ],
    ],
  },
  {
    title: 'ignore on the pod template',
    applied: { metadata: { [keys.auto]: 'true' }, template: { [keys.ignore]: 'true' } },
    says: [
      [
        'wrong-place',
        'Deployment shop/web: annotation reloader.stakater.com/ignore="true" counts on a source only and has no effect on a workload; to switch restarts off, remove what switches them on, or list sources in configmaps.exclude.reloader.stakater.com/reload',
      ],
    ],
  },
  {
    title: 'an exclude list on the pod template',
    applied: { template: { [keys.auto]: 'true', [keys.configMapExclude]: 'app' } },
    says: [
      [
        'wrong-place',
        `Deployment shop/web: annotation configmaps.exclude.reloader.stakater.com/reload="app" has no effect on a pod template; move it to the workload's own metadata`,
      ],
    ],
  },
  {
    title: 'a pause on the pod template',
    applied: { metadata: { [keys.auto]: 'true' }, template: { [keys.pausePeriod]: '5m' } },
    says: [
      [
        'wrong-place',
        `Deployment shop/web: annotation deployment.reloader.stakater.com/pause-period="5m" has no effect on a pod template; move it to the workload's own metadata`,
      ],
    ],
  },
  {
    title: 'a strategy of Reroll on the pod template',
    applied: { metadata: { [keys.auto]: 'true' }, template: { 'reroll.dev/strategy': 'annotations' } },
    says: [
      [
        'wrong-place',
        `Deployment shop/web: annotation reroll.dev/strategy="annotations" has no effect on a pod template; move it to the workload's own metadata`,
      ],
    ],
  },
  {
    title: 'a Rollout’s strategy on the pod template',
    applied: { kind: 'Rollout', metadata: { [keys.auto]: 'true' }, template: { [keys.rolloutStrategy]: 'restart' } },
    says: [
      [
        'wrong-place',
        `Rollout shop/web: annotation reloader.stakater.com/rollout-strategy="restart" has no effect on a pod template; move it to the workload's own metadata`,
      ],
    ],
  },
  {
    title: 'Reloader’s marker on the metadata',
    applied: { metadata: { [keys.auto]: 'true', [lastReloadedFrom]: '{}' } },
    says: [
      [
        'wrong-place',
        'Deployment shop/web: annotation reloader.stakater.com/last-reloaded-from="{}" is what a restart writes on the pod template, and has no effect here; remove it',
      ],
    ],
  },
  {
    title: 'a CronJob’s jobTemplate',
    applied: { kind: 'CronJob', jobTemplate: { [keys.auto]: 'true' } },
    says: [
      [
        'wrong-place',
        `CronJob shop/web: annotation reloader.stakater.com/auto="true" has no effect on a jobTemplate; move it to the CronJob's own metadata`,
      ],
    ],
  },
  {
    title: 'a label',
    applied: { labels: { [keys.auto]: 'true' } },
    says: [
      [
        'wrong-place',
        'Deployment shop/web: annotation reloader.stakater.com/auto="true" is written as a label and has no effect; write it under metadata.annotations',
      ],
    ],
  },
  {
    title: 'a pause of a StatefulSet',
    applied: { kind: 'StatefulSet', metadata: { [keys.auto]: 'true', [keys.pausePeriod]: '5m' } },
    says: [
      [
        'wrong-kind',
        'StatefulSet shop/web: annotation deployment.reloader.stakater.com/pause-period="5m" counts on a Deployment only; remove it',
      ],
    ],
  },
  {
    title: 'a Job’s policy on a Deployment',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/job-policy': 'never' } },
    says: [
      ['wrong-kind', 'Deployment shop/web: annotation reroll.dev/job-policy="never" counts on a Job only; remove it'],
    ],
  },
  {
    title: 'a CronJob’s policy on a Job',
    applied: { kind: 'Job', metadata: { [keys.auto]: 'true', 'reroll.dev/cronjob-policy': 'never' } },
    says: [
      ['wrong-kind', 'Job shop/web: annotation reroll.dev/cronjob-policy="never" counts on a CronJob only; remove it'],
    ],
  },
  {
    title: 'a Rollout’s strategy on a Deployment',
    applied: { metadata: { [keys.auto]: 'true', [keys.rolloutStrategy]: 'restart' } },
    says: [
      [
        'wrong-kind',
        'Deployment shop/web: annotation reloader.stakater.com/rollout-strategy="restart" counts on a Rollout only; remove it',
      ],
    ],
  },
  {
    title: 'settings of a workload that asks for nothing',
    applied: { metadata: { 'reroll.dev/strategy': 'annotations' } },
    says: [
      [
        'nothing-asked',
        'Deployment shop/web: annotation reroll.dev/strategy="annotations" has no effect: nothing here asks for restarts; add reloader.stakater.com/auto: "true"',
      ],
    ],
  },
  {
    title: 'an exclude list that excludes from nothing',
    applied: { metadata: { [keys.configMapExclude]: 'app' } },
    says: [
      [
        'nothing-asked',
        'Deployment shop/web: annotation configmaps.exclude.reloader.stakater.com/reload="app" has no effect: nothing here asks for restarts; add reloader.stakater.com/auto: "true"',
      ],
    ],
  },
  {
    title: 'narrowed kinds without any switch',
    applied: { metadata: { [keys.match]: 'configmap' } },
    says: [
      [
        'nothing-asked',
        'Deployment shop/web: annotation reloader.stakater.com/match="configmap" has no effect: nothing here asks for restarts; add reloader.stakater.com/auto: "true"',
      ],
    ],
  },
  {
    title: 'a kind that is not restarted',
    applied: { as: { group: 'apps', kind: 'ReplicaSet' }, metadata: { [keys.auto]: 'true' } },
    says: [
      [
        'kind-not-covered',
        'ReplicaSet shop/web: annotation reloader.stakater.com/auto="true" has no effect: a ReplicaSet of apps is not restarted; put it on a Deployment, StatefulSet, DaemonSet, CronJob, Job, Rollout or DeploymentConfig',
      ],
    ],
  },
  {
    title: 'a kind with the same name in another group',
    applied: { as: { group: 'apps.kruise.io', kind: 'StatefulSet' }, template: { [keys.search]: 'true' } },
    says: [
      [
        'kind-not-covered',
        'StatefulSet shop/web: annotation reloader.stakater.com/search="true" has no effect: a StatefulSet of apps.kruise.io is not restarted; put it on a Deployment, StatefulSet, DaemonSet, CronJob, Job, Rollout or DeploymentConfig',
      ],
    ],
  },
  {
    title: 'a kind of the core API',
    applied: { as: { group: '', kind: 'Pod' }, metadata: { [keys.configMapReload]: 'app' } },
    says: [
      [
        'kind-not-covered',
        'Pod shop/web: annotation configmap.reloader.stakater.com/reload="app" has no effect: a Pod is not restarted; put it on a Deployment, StatefulSet, DaemonSet, CronJob, Job, Rollout or DeploymentConfig',
      ],
    ],
  },
  {
    title: 'a kind that a flag ignores',
    applied: { kind: 'CronJob', metadata: { [keys.auto]: 'true' } },
    flags: { policy: { ignoredWorkloadKinds: ['CronJob'] } },
    says: [
      [
        'kind-not-covered',
        'CronJob shop/web: annotation reloader.stakater.com/auto="true" has no effect: --ignored-workload-types leaves CronJobs alone; change the flag, or remove the annotation',
      ],
    ],
  },
  {
    title: 'Rollouts that a flag leaves alone',
    applied: { kind: 'Rollout', metadata: { [keys.search]: 'true' } },
    flags: { policy: { ignoredWorkloadKinds: ['Rollout'] } },
    sources: [source('Secret', 'db', { match: true })],
    says: [
      [
        'kind-not-covered',
        'Rollout shop/web: annotation reloader.stakater.com/search="true" has no effect: --is-Argo-Rollouts=false leaves Rollouts alone; change the flag, or remove the annotation',
      ],
    ],
  },
  {
    title: 'a namespace that is not named',
    applied: { metadata: { [keys.auto]: 'true' } },
    flags: { selection: { namespaces: ['prod', 'test'] } },
    says: [
      [
        'namespace-not-watched',
        'Deployment shop/web: annotation reloader.stakater.com/auto="true" has no effect: --namespaces does not name shop; add it there',
      ],
    ],
  },
  {
    title: 'a namespace that is ignored',
    applied: { metadata: { [keys.configMapReload]: 'app' } },
    flags: { selection: { namespacesToIgnore: ['shop'] } },
    says: [
      [
        'namespace-not-watched',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="app" has no effect: --namespaces-to-ignore names shop; take it out there',
      ],
    ],
  },
  {
    title: 'a namespace that is not selected',
    applied: { metadata: { [keys.auto]: 'true' } },
    flags: { selection: { namespaceSelector: parseSelector('env in (prod,test)') } },
    isNamespaceSelected: false,
    says: [
      [
        'namespace-not-watched',
        'Deployment shop/web: annotation reloader.stakater.com/auto="true" has no effect: --namespace-selector does not select shop; label the namespace to fit env in (prod,test)',
      ],
    ],
  },
  {
    title: 'Secrets that a flag leaves out, listed',
    applied: { metadata: { [keys.secretReload]: 'db' } },
    flags: { selection: { ignoredSourceKinds: ['Secret'] } },
    says: [
      [
        'source-kind-ignored',
        'Deployment shop/web: annotation secret.reloader.stakater.com/reload="db" has no effect: --resources-to-ignore leaves out Secrets; change the flag, or remove the annotation',
      ],
    ],
  },
  {
    title: 'ConfigMaps that a flag leaves out, switched on',
    applied: { metadata: { [keys.configMapAuto]: 'true' } },
    flags: { selection: { ignoredSourceKinds: ['ConfigMap'] } },
    says: [
      [
        'source-kind-ignored',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/auto="true" has no effect: --resources-to-ignore leaves out ConfigMaps; change the flag, or remove the annotation',
      ],
    ],
  },
  {
    title: 'SecretProviderClasses without their flag',
    applied: { metadata: { [keys.secretProviderClassAuto]: 'true' } },
    says: [
      [
        'source-kind-ignored',
        'Deployment shop/web: annotation secretproviderclass.reloader.stakater.com/auto="true" has no effect: --enable-csi-integration is off; change the flag, or remove the annotation',
      ],
    ],
  },
];
