import { auto, usesConfigMap, workload, type DifferenceRow } from './difference-rows.fixture';

const configMaps = 'configmap.reloader.stakater.com/reload';
const secrets = 'secret.reloader.stakater.com/reload';
const match = 'reloader.stakater.com/match';
const oneKey = {
  containers: [
    {
      name: 'main',
      env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }],
    },
  ],
};
const envFrom = [usesConfigMap('app')];
const mounting = (name: string): object => ({ name: 'main', volumeMounts: [{ name, mountPath: '/etc/app' }] });
const twoVolumes = (mounted: string): object => ({
  volumes: ['first', 'second'].map((name) => ({ name, configMap: { name: 'app' } })),
  containers: [mounting(mounted)],
});
const hash = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3';
const withVariable = (name: string, value = hash): object => ({
  containers: [{ name: 'main', envFrom: [usesConfigMap('app')], env: [{ name, value }] }],
});
const lastReloadedFrom = { 'reloader.stakater.com/last-reloaded-from': `{"type":"CONFIGMAP","hash":"${hash}"}` };
const rollout = { kind: 'Rollout', spec: { workloadRef: { kind: 'Deployment', name: 'web' } } } as const;
const ofCronJob = { kind: 'Job', ownerReferences: [{ kind: 'CronJob', name: 'nightly', controller: true }] } as const;

/** Differences in what restarts a workload. */
export const reloaderSourceRows: readonly DifferenceRow[] = [
  {
    code: 'reloader-narrowed',
    title: 'match on a workload',
    manifests: [workload({ metadata: { ...auto, [match]: 'configmap' } })],
    says: `a.yaml:8: Deployment shop/web (reloader-narrowed)
  today: Reloader does not read this annotation on a workload: Secrets restart it too.
  here:  Only ConfigMaps restart it.
  fix:   To keep what it does today, remove the annotation.
    remove from metadata.annotations:
      reloader.stakater.com/match`,
    not: [
      workload({ metadata: { ...auto, [match]: 'true' } }),
      workload({ kind: 'DeploymentConfig', metadata: { ...auto, [match]: 'configmap' } }),
      workload({ ...rollout, metadata: { ...auto, [match]: 'configmap' } }),
      workload({ ...ofCronJob, metadata: { ...auto, [match]: 'configmap' } }),
    ],
  },
  {
    code: 'reloader-narrowed',
    title: 'match and kind that leave nothing',
    manifests: [workload({ template: { ...auto, [match]: 'configmap', 'reloader.stakater.com/kind': 'secret' } })],
    says: `a.yaml:12: Deployment shop/web (reloader-narrowed)
  today: Reloader does not read this annotation on a workload: ConfigMaps and Secrets restart it too.
  here:  Nothing restarts it.
  fix:   To keep what it does today, remove the annotation.
    remove from spec.template.metadata.annotations:
      reloader.stakater.com/match
      reloader.stakater.com/kind`,
    not: [workload({ template: { [match]: 'configmap', 'reloader.stakater.com/kind': 'secret' } })],
  },
  {
    code: 'reloader-bad-pattern',
    title: 'an invalid pattern among others',
    manifests: [workload({ metadata: { [configMaps]: 'app, app[,b.*', [secrets]: 'db' } })],
    says: `a.yaml:7: Deployment shop/web (reloader-bad-pattern)
  today: Reloader 1.4.21 crashes when it compiles the pattern, after a change of a ConfigMap in namespace shop.
  here:  Reroll ignores "app[" and uses the other elements.
  fix:   Correct the pattern, or leave it out.
    write under metadata.annotations:
      configmap.reloader.stakater.com/reload: "app,b.*"`,
    not: [
      workload({ metadata: { [configMaps]: 'app,a{1,b.*,app|web' } }),
      workload({ kind: 'DeploymentConfig', metadata: { [configMaps]: 'app[' } }),
    ],
  },
  {
    code: 'reloader-bad-pattern',
    title: 'an invalid pattern alone, on the pod template',
    manifests: [workload({ template: { [secrets]: '(?=db)' } })],
    says: `a.yaml:11: Deployment shop/web (reloader-bad-pattern)
  today: Reloader 1.4.21 crashes when it compiles the pattern, after a change of a Secret in namespace shop.
  here:  Reroll ignores "(?=db)", so the list is empty.
  fix:   Correct the pattern, or leave it out.
    remove from spec.template.metadata.annotations:
      secret.reloader.stakater.com/reload`,
    not: [workload({ metadata: { [secrets]: 'db' }, template: { [secrets]: '(?=db)' } })],
  },
  {
    code: 'reloader-limit',
    title: 'a list that is too long',
    manifests: [workload({ metadata: { [configMaps]: 'app,'.repeat(501) } })],
    says: `a.yaml:7: Deployment shop/web (reloader-limit)
  today: Reloader has no such limit.
  here:  The annotation configmap.reloader.stakater.com/reload="app,app,app,app,app,app,app,app,app,app,app,app,app,app,a…" has more than 500 names and is ignored as a whole.
  fix:   List fewer names.`,
    not: [
      workload({ metadata: { [configMaps]: 'app,'.repeat(500) } }),
      workload({ metadata: { ...auto, 'reroll.dev/baseline': 'x'.repeat(300_000) } }),
    ],
  },
  {
    code: 'reloader-limit',
    title: 'a pattern that is too large',
    manifests: [workload({ metadata: { [secrets]: 'db,((d{90}b){90}c){90}' } })],
    says: `a.yaml:7: Deployment shop/web (reloader-limit)
  today: Reloader has no such limit.
  here:  The annotation secret.reloader.stakater.com/reload="((d{90}b){90}c){90}" is ignored, since it is too large.
  fix:   Repeat less in the pattern, or list names instead.`,
    not: [workload({ metadata: { [secrets]: 'db,d{90}' } })],
  },
  {
    code: 'reloader-keys',
    title: 'a single key of a Secret',
    manifests: [workload({ metadata: auto, pod: oneKey })],
    says: `a.yaml:7: Deployment shop/web (reloader-keys)
  today: Reloader restarts it for a change of any key of the sources that it uses.
  here:  Only the keys that its pods use count: Secret db (password).
  fix:   Write nothing if the pods do not need the other keys. If they do, use the whole source: envFrom, or a volume without items and subPath.`,
    not: [
      workload({ metadata: { [configMaps]: 'app' }, pod: oneKey }),
      workload({ kind: 'DeploymentConfig', metadata: auto, pod: oneKey }),
      workload({ ...ofCronJob, metadata: auto, pod: oneKey }),
    ],
  },
  {
    code: 'reloader-second-volume',
    title: 'a source whose second volume is mounted',
    manifests: [workload({ metadata: auto, pod: twoVolumes('second') })],
    says: `a.yaml:7: Deployment shop/web (reloader-second-volume)
  today: Reloader looks only at the first volume of a source. No container mounts the first volume of ConfigMap app, so a change restarts nothing.
  here:  Reroll counts every volume that is mounted: a change restarts the workload.
  fix:   To keep what it does today, exclude the source.
    write under metadata.annotations:
      configmaps.exclude.reloader.stakater.com/reload: "app"`,
    not: [
      workload({ metadata: auto, pod: twoVolumes('first') }),
      workload({ metadata: auto, pod: { ...twoVolumes('second'), initContainers: [mounting('first')] } }),
      workload({ metadata: auto, pod: { ...twoVolumes('second'), containers: [{ ...mounting('second'), envFrom }] } }),
    ],
  },
  {
    code: 'reloader-second-volume',
    title: 'the same beside an exclude list',
    manifests: [
      workload({
        metadata: { ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'other' },
        pod: twoVolumes('second'),
      }),
    ],
    says: `a.yaml:7: Deployment shop/web (reloader-second-volume)
  today: Reloader looks only at the first volume of a source. No container mounts the first volume of ConfigMap app, so a change restarts nothing.
  here:  Reroll counts every volume that is mounted: a change restarts the workload.
  fix:   To keep what it does today, exclude the source.
    write under metadata.annotations:
      configmaps.exclude.reloader.stakater.com/reload: "other,app"`,
    not: [workload({ metadata: { [configMaps]: 'app' }, pod: twoVolumes('second') })],
  },
  {
    code: 'reloader-marker',
    title: 'a variable that Reloader wrote',
    manifests: [workload({ metadata: auto, pod: withVariable('STAKATER_APP_CONFIGMAP') })],
    says: `a.yaml:13: Deployment shop/web (reloader-marker)
  today: The manifest holds what an earlier restart by Reloader wrote: a plain hash, with which the content can be guessed. After the next restart, an apply of this manifest puts it back, which rolls the pods.
  here:  What Reroll writes tells nothing of the content. The manifest still holds the hash.
  fix:   Remove the variable STAKATER_APP_CONFIGMAP from the manifest. This rolls the pods once.`,
    not: [
      workload({ metadata: auto, pod: withVariable('STAKATER_APP_URL') }),
      workload({ metadata: auto, pod: withVariable('STAKATER_APP_CONFIGMAP', 'AbCdEfGhIjKlMnOpQrStUv.3f') }),
      workload({ pod: withVariable('STAKATER_APP_CONFIGMAP') }),
      workload({ kind: 'Job', metadata: auto, pod: withVariable('STAKATER_APP_CONFIGMAP') }),
    ],
  },
  {
    code: 'reloader-marker',
    title: 'an annotation that Reloader wrote',
    manifests: [workload({ metadata: auto, template: lastReloadedFrom })],
    says: `a.yaml:12: Deployment shop/web (reloader-marker)
  today: The manifest holds what an earlier restart by Reloader wrote: a plain hash, with which the content can be guessed. After the next restart, an apply of this manifest puts it back, which rolls the pods.
  here:  What Reroll writes tells nothing of the content. The manifest still holds the hash.
  fix:   Remove the annotation from the manifest. This rolls the pods once.
    remove from spec.template.metadata.annotations:
      reloader.stakater.com/last-reloaded-from`,
    not: [
      workload({ template: lastReloadedFrom }),
      workload({ metadata: auto, template: { 'reloader.stakater.com/last-reloaded-from': '{"hash":"-","id":"3f"}' } }),
    ],
  },
];
