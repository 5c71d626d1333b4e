import { auto, uses, usesConfigMap, usesSecret, workload, type DifferenceRow } from './difference-rows.fixture';

const optIn = { 'wave.pusher.com/update-on-config-change': 'true' } as const;
const configMaps = 'wave.pusher.com/extra-configmaps';
const secrets = 'wave.pusher.com/extra-secrets';
const hash = { 'wave.pusher.com/config-hash': 'a'.repeat(64) } as const;
const held = { schedulerName: 'wave.pusher.com/invalid' } as const;

/** What Wave does, and its leftovers. */
export const waveRows: readonly DifferenceRow[] = [
  {
    code: 'wave-opt-in',
    title: 'a workload that Wave restarts',
    manifests: [workload({ metadata: optIn })],
    says: `a.yaml:7: Deployment shop/web (wave-opt-in)
  today: Wave restarts it when a ConfigMap or Secret that it uses changes.
  here:  Reroll does not read Wave's annotations.
  fix:   Make these edits in one write, while Wave still runs: it then leaves the workload to Reroll.
    write under metadata.annotations:
      reloader.stakater.com/auto: "true"
    remove from metadata.annotations:
      wave.pusher.com/update-on-config-change`,
    not: [workload({ metadata: { 'wave.pusher.com/update-on-config-change': 'True' } })],
  },
  {
    code: 'wave-opt-in',
    title: 'extra sources and a hash',
    manifests: [
      workload({
        kind: 'StatefulSet',
        metadata: { ...optIn, [configMaps]: 'flags, shop/more', [secrets]: 'ca' },
        template: hash,
      }),
    ],
    says: `a.yaml:7: StatefulSet shop/web (wave-opt-in)
  today: Wave restarts it when a ConfigMap or Secret that it uses, or that it lists, changes.
  here:  Reroll does not read Wave's annotations.
  fix:   Make these edits in one write, while Wave still runs: it then leaves the workload to Reroll. The removal of the hash rolls the pods once.
    write under metadata.annotations:
      reloader.stakater.com/auto: "true"
      configmap.reloader.stakater.com/reload: "flags,more"
      secret.reloader.stakater.com/reload: "ca"
    remove from metadata.annotations:
      wave.pusher.com/update-on-config-change
      wave.pusher.com/extra-configmaps
      wave.pusher.com/extra-secrets
    remove from spec.template.metadata.annotations:
      wave.pusher.com/config-hash`,
    not: [workload({ kind: 'CronJob', metadata: { ...optIn, [configMaps]: 'flags' }, template: hash })],
  },
  {
    code: 'wave-opt-in',
    title: 'annotations of Reloader on the metadata, which ask for the same',
    manifests: [
      workload({
        metadata: { ...optIn, ...auto, 'secret.reloader.stakater.com/reload': 'ca', [secrets]: 'ca' },
        pod: uses(usesConfigMap('app'), usesSecret('db')),
      }),
    ],
    says: `a.yaml:7: Deployment shop/web (wave-opt-in)
  today: Wave restarts it when a ConfigMap or Secret that it uses, or that it lists, changes.
  here:  Reroll does not read Wave's annotations, but restarts it for the sources that it uses.
  fix:   Make these edits in one write, while Wave still runs: it then leaves the workload to Reroll.
    remove from metadata.annotations:
      wave.pusher.com/update-on-config-change
      wave.pusher.com/extra-secrets`,
    not: [workload({ metadata: auto })],
  },
  {
    code: 'wave-opt-in',
    title: 'a list of Reloader on the pod template, which a switch on the metadata would hide',
    manifests: [
      workload({ metadata: { ...optIn, [secrets]: 'ca' }, template: { 'secret.reloader.stakater.com/reload': 'db' } }),
    ],
    says: `a.yaml:7: Deployment shop/web (wave-opt-in)
  today: Wave restarts it when a ConfigMap or Secret that it uses, or that it lists, changes.
  here:  Reroll does not read Wave's annotations.
  fix:   Make these edits in one write, while Wave still runs: it then leaves the workload to Reroll.
    write under metadata.annotations:
      reloader.stakater.com/auto: "true"
      secret.reloader.stakater.com/reload: "db,ca"
    remove from spec.template.metadata.annotations:
      secret.reloader.stakater.com/reload
    remove from metadata.annotations:
      wave.pusher.com/update-on-config-change
      wave.pusher.com/extra-secrets`,
    not: [workload({ template: { ...optIn, 'secret.reloader.stakater.com/reload': 'db' } })],
  },
  {
    code: 'wave-other-namespace',
    title: 'a Secret of another namespace',
    manifests: [workload({ metadata: { ...optIn, [secrets]: 'infra/ca,shop/db' } })],
    says: `a.yaml:8: Deployment shop/web (wave-other-namespace)
  today: Wave restarts it when Secret infra/ca changes.
  here:  Reroll restarts it only for sources in its own namespace.
  fix:   Copy the Secret to namespace shop, and list the copy in secret.reloader.stakater.com/reload.`,
    not: [workload({ metadata: { ...optIn, [secrets]: 'shop/db,a/b/c' } })],
  },
  {
    code: 'wave-scheduling',
    title: 'pods that Wave holds back',
    manifests: [workload({ metadata: { ...optIn, 'wave.pusher.com/scheduling-disabled': 'volcano' }, pod: held })],
    says: `a.yaml:19: Deployment shop/web (wave-scheduling)
  today: Wave keeps the pods Pending until every required source is there, and then restores their scheduler.
  here:  Reroll does not touch the scheduler: without Wave the pods stay Pending.
  fix:   Restore the scheduler before you stop Wave.
    write under spec.template.spec:
      schedulerName: "volcano"
    remove from metadata.annotations:
      wave.pusher.com/scheduling-disabled`,
    not: [workload({ metadata: optIn, pod: { schedulerName: 'volcano' } })],
  },
  {
    code: 'wave-scheduling',
    title: 'pods that Wave holds back, without their scheduler',
    manifests: [workload({ pod: held })],
    says: `a.yaml:17: Deployment shop/web (wave-scheduling)
  today: Wave keeps the pods Pending until every required source is there, and then restores their scheduler.
  here:  Reroll does not touch the scheduler: without Wave the pods stay Pending.
  fix:   Restore the scheduler before you stop Wave.
    write under spec.template.spec:
      schedulerName: "default-scheduler"`,
    not: [workload({})],
  },
  {
    code: 'wave-scheduling',
    title: 'pods that Wave holds back, which had the default scheduler',
    manifests: [workload({ metadata: { 'wave.pusher.com/scheduling-disabled': '' }, pod: held })],
    says: `a.yaml:18: Deployment shop/web (wave-scheduling)
  today: Wave keeps the pods Pending until every required source is there, and then restores their scheduler.
  here:  Reroll does not touch the scheduler: without Wave the pods stay Pending.
  fix:   Restore the scheduler before you stop Wave.
    write under spec.template.spec:
      schedulerName: "default-scheduler"
    remove from metadata.annotations:
      wave.pusher.com/scheduling-disabled`,
    not: [workload({ pod: { schedulerName: 'default-scheduler' } })],
  },
  {
    code: 'wave-finalizer',
    title: 'the finalizer of an older Wave',
    manifests: [workload({ finalizers: ['wave.pusher.com/finalizer'] })],
    says: `a.yaml:7: Deployment shop/web (wave-finalizer)
  today: Before the workload is deleted, Wave removes this finalizer, and its owner references from ConfigMaps and Secrets.
  here:  Nobody removes them. Without Wave, the workload cannot be deleted; without the finalizer, its ConfigMaps and Secrets are deleted with it.
  fix:   While Wave still runs, remove wave.pusher.com/update-on-config-change and wait: Wave then removes both. Only then remove the finalizer from the manifest.
    remove from metadata.finalizers:
      - wave.pusher.com/finalizer`,
    not: [workload({ finalizers: ['example.com/finalizer'] })],
  },
  {
    code: 'wave-leftover',
    title: 'a switch that is not exactly true',
    manifests: [workload({ metadata: { 'wave.pusher.com/update-on-config-change': 'yes' }, template: hash })],
    says: `a.yaml:7: Deployment shop/web (wave-leftover)
  today: Wave does not restart it: its own metadata does not have wave.pusher.com/update-on-config-change: "true".
  here:  Reroll does not read Wave's annotations.
  fix:   Remove them. The removal of the hash rolls the pods once. To restart the workload for the sources that it uses, write reloader.stakater.com/auto: "true".
    remove from metadata.annotations:
      wave.pusher.com/update-on-config-change
    remove from spec.template.metadata.annotations:
      wave.pusher.com/config-hash`,
    not: [workload({ metadata: optIn, template: hash })],
  },
  {
    code: 'wave-leftover',
    title: 'a kind that Wave does not restart',
    manifests: [workload({ kind: 'CronJob', metadata: optIn })],
    says: `a.yaml:7: CronJob shop/web (wave-leftover)
  today: Wave does not restart a CronJob.
  here:  Reroll does not read Wave's annotations.
  fix:   Remove them. To restart the workload for the sources that it uses, write reloader.stakater.com/auto: "true".
    remove from metadata.annotations:
      wave.pusher.com/update-on-config-change`,
    not: [workload({ kind: 'DaemonSet', metadata: optIn })],
  },
  {
    code: 'wave-leftover',
    title: 'a list on a workload that annotations of Reloader restart',
    manifests: [workload({ metadata: { ...auto, [secrets]: 'ca' } })],
    says: `a.yaml:8: Deployment shop/web (wave-leftover)
  today: Wave does not restart it: its own metadata does not have wave.pusher.com/update-on-config-change: "true".
  here:  Reroll does not read Wave's annotations.
  fix:   Remove them.
    remove from metadata.annotations:
      wave.pusher.com/extra-secrets`,
    not: [workload({ metadata: { ...auto, ...optIn, [secrets]: 'ca' } })],
  },
];
