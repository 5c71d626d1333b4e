import {
  auto,
  source,
  together,
  uses,
  usesConfigMap,
  usesSecret,
  workload,
  type DifferenceRow,
} from './difference-rows.fixture';

const checksum = { 'checksum/config': 'f'.repeat(64) } as const;
const listsApp = { 'configmap.reloader.stakater.com/reload': 'app' } as const;
const both = uses(usesConfigMap('app'), usesSecret('db-tls'));

/** Checksums beside restarts, and alone. */
export const checksumRows: readonly DifferenceRow[] = [
  {
    code: 'checksum-and-restarts',
    title: 'a checksum beside a switch',
    manifests: [workload({ metadata: auto, template: { ...checksum, 'checksum/secret': 'x' } })],
    says: `a.yaml:12: Deployment shop/web (checksum-and-restarts)
  today: If a release changes a source that both cover, the checksum rolls the pods, and Reloader restarts them once more.
  here:  Reroll counts the rollout by the checksum as its restart, if it begins within the settle window: the pods roll once.
  fix:   Keep the restarts: they cover every source that the pods use, whoever changes it. Remove the checksum if it covers nothing else. The removal rolls the pods once.
    remove from spec.template.metadata.annotations:
      checksum/config
      checksum/secret`,
    not: [workload({ metadata: auto, template: { 'example.com/revision': '7' } })],
  },
  {
    code: 'checksum-and-restarts',
    title: 'a hash under another name, beside Wave',
    manifests: [
      workload({
        metadata: { 'wave.pusher.com/update-on-config-change': 'true' },
        template: { 'example.com/rendered': 'a'.repeat(63), 'app.example.com/config-hash': '1' },
      }),
    ],
    says: `a.yaml:12: Deployment shop/web (checksum-and-restarts)
  today: If a release changes a source that both cover, the checksum rolls the pods, and Wave restarts them once more.
  here:  Reroll counts the rollout by the checksum as its restart, if it begins within the settle window: the pods roll once.
  fix:   Keep the restarts: they cover every source that the pods use, whoever changes it. Remove the checksum if it covers nothing else. The removal rolls the pods once.
    remove from spec.template.metadata.annotations:
      example.com/rendered
      app.example.com/config-hash`,
    not: [
      workload({
        metadata: { 'wave.pusher.com/update-on-config-change': 'true' },
        template: { 'wave.pusher.com/config-hash': 'a'.repeat(64) },
      }),
    ],
  },
  {
    code: 'checksum-and-restarts',
    title: 'a workload whose rollouts are not counted',
    manifests: [
      workload({
        ...{ kind: 'StatefulSet', metadata: auto, template: checksum },
        spec: { updateStrategy: { rollingUpdate: { partition: 2 } } },
      }),
    ],
    says: `a.yaml:12: StatefulSet shop/web (checksum-and-restarts)
  today: If a release changes a source that both cover, the checksum rolls the pods, and Reloader restarts them once more.
  here:  Reroll restarts them once more too: it cannot count a rollout of this workload as its restart.
  fix:   Keep the restarts: they cover every source that the pods use, whoever changes it. Remove the checksum if it covers nothing else. The removal rolls the pods once.
    remove from spec.template.metadata.annotations:
      checksum/config`,
    not: [
      workload({
        ...{ kind: 'StatefulSet', metadata: auto, template: checksum },
        spec: { updateStrategy: { type: 'OnDelete' } },
      }),
      workload({ kind: 'Deployment', metadata: auto, template: checksum, spec: { paused: true } }),
      workload({ kind: 'CronJob', metadata: auto, template: checksum }),
    ],
  },
  {
    code: 'checksum-and-restarts',
    title: 'a Rollout, whose rollouts Argo steps through',
    manifests: [workload({ kind: 'Rollout', metadata: auto, template: checksum })],
    says: `a.yaml:12: Rollout shop/web (checksum-and-restarts)
  today: If a release changes a source that both cover, the checksum rolls the pods, and Reloader restarts them once more.
  here:  Reroll restarts them once more too: it cannot count a rollout of this workload as its restart.
  fix:   Keep the restarts: they cover every source that the pods use, whoever changes it. Remove the checksum if it covers nothing else. The removal rolls the pods once.
    remove from spec.template.metadata.annotations:
      checksum/config`,
    not: [
      workload({ kind: 'Rollout', template: checksum }),
      workload({ kind: 'DeploymentConfig', metadata: auto, template: checksum }),
    ],
  },
  {
    code: 'checksum-and-restarts',
    title: 'a Deployment whose template a Rollout uses',
    manifests: [
      workload({ metadata: auto, template: checksum }),
      workload({ kind: 'Rollout', name: 'canary', spec: { workloadRef: { kind: 'Deployment', name: 'web' } } }),
    ],
    says: `a.yaml:12: Deployment shop/web (checksum-and-restarts)
  today: If a release changes a source that both cover, the checksum rolls the pods, and Reloader restarts them once more.
  here:  Reroll restarts them once more too: it cannot count a rollout of this workload as its restart.
  fix:   Keep the restarts: they cover every source that the pods use, whoever changes it. Remove the checksum if it covers nothing else. The removal rolls the pods once.
    remove from spec.template.metadata.annotations:
      checksum/config`,
    not: [workload({ template: checksum })],
  },
  {
    code: 'checksum-and-restarts',
    title: 'a list of one of the two sources',
    manifests: [workload({ metadata: listsApp, template: checksum, pod: both })],
    says: `a.yaml:12: Deployment shop/web (checksum-and-restarts)
  today: If a release changes a source that both cover, the checksum rolls the pods, and Reloader restarts them once more.
  here:  Reroll counts the rollout by the checksum as its restart, if it begins within the settle window: the pods roll once.
  fix:   Keep both: of the sources that the pods use, only the checksum can cover Secret db-tls.`,
    not: [workload({ metadata: listsApp, template: checksum, pod: uses(usesSecret('db-tls')) })],
  },
  {
    code: 'checksum-alone',
    title: 'a Secret that is not rendered with the workload',
    manifests: [source('ConfigMap', 'app'), workload({ template: checksum, pod: both })],
    says: `a.yaml:18: Deployment shop/web (checksum-alone)
  today: The checksum rolls the pods when a release changes what it renders. Nothing rolls them when somebody changes what is not among these manifests: Secret db-tls.
  here:  The same: without an annotation, Reroll does not restart the workload.
  fix:   Keep the checksum for what the release renders. List what others write, such as cert-manager or External Secrets.
    write under metadata.annotations:
      secret.reloader.stakater.com/reload: "db-tls"`,
    not: [
      together(source('ConfigMap', 'app'), source('Secret', 'db-tls'), workload({ template: checksum, pod: both })),
      together(
        source('ConfigMap', 'app'),
        workload({
          ...{ template: checksum, pod: both },
          metadata: { 'secrets.exclude.reloader.stakater.com/reload': 'db-tls' },
        }),
      ),
      together(
        source('ConfigMap', 'app'),
        workload({ template: checksum, pod: both, metadata: { 'reloader.stakater.com/kind': 'configmap' } }),
      ),
      workload({
        ...{ template: checksum, pod: both },
        metadata: { 'wave.pusher.com/update-on-config-change': 'true' },
      }),
    ],
  },
  {
    code: 'checksum-alone',
    title: 'a ConfigMap and a Secret that are not rendered with the workload',
    manifests: [workload({ kind: 'DaemonSet', template: checksum, pod: both })],
    says: `a.yaml:11: DaemonSet shop/web (checksum-alone)
  today: The checksum rolls the pods when a release changes what it renders. Nothing rolls them when somebody changes what is not among these manifests: ConfigMap app and Secret db-tls.
  here:  The same: without an annotation, Reroll does not restart the workload.
  fix:   Keep the checksum for what the release renders. List what others write, such as cert-manager or External Secrets.
    write under metadata.annotations:
      configmap.reloader.stakater.com/reload: "app"
      secret.reloader.stakater.com/reload: "db-tls"`,
    not: [
      workload({
        ...{ kind: 'DaemonSet', template: checksum, pod: both },
        metadata: { 'reloader.stakater.com/auto': 'false' },
      }),
    ],
  },
];
