import { auto, together, workload, type DifferenceRow } from './difference-rows.fixture';

const secrets = 'secret.reloader.stakater.com/reload';
const pausePeriod = 'deployment.reloader.stakater.com/pause-period';
const ofDeployment = { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } };
const ofReplicaSet = { workloadRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' } };
const restart = { 'reloader.stakater.com/rollout-strategy': 'restart' };
const off = { 'reloader.stakater.com/auto': 'false' } as const;
const ownedBy = (kind: string) => [{ kind, name: 'nightly', controller: true }];

/** Differences in how a kind of workload is restarted. */
export const reloaderKindRows: readonly DifferenceRow[] = [
  {
    code: 'reloader-pause',
    title: 'a pause period that is no duration',
    manifests: [workload({ metadata: { ...auto, [pausePeriod]: '1d' } })],
    says: `a.yaml:8: Deployment shop/web (reloader-pause)
  today: Reloader never restarts this Deployment, nor the workloads that it would handle after it.
  here:  Reroll restarts it without a pause.
  fix:   Write a duration such as 30s, 5m or 1h30m, or remove the annotation.
    remove from metadata.annotations:
      deployment.reloader.stakater.com/pause-period`,
    not: [workload({ metadata: { ...auto, [pausePeriod]: '5m' } })],
  },
  {
    code: 'reloader-pause',
    title: 'a pause period of nothing',
    manifests: [workload({ metadata: { ...auto, [pausePeriod]: '0s' } })],
    says: `a.yaml:8: Deployment shop/web (reloader-pause)
  today: Reloader pauses the Deployment and resumes it at once.
  here:  Reroll restarts it without a pause.
  fix:   Write a duration such as 30s, 5m or 1h30m, or remove the annotation.
    remove from metadata.annotations:
      deployment.reloader.stakater.com/pause-period`,
    not: [workload({ metadata: { [pausePeriod]: '0s' } })],
  },
  {
    code: 'reloader-pause-borrowed',
    title: 'a pause period where a Rollout uses the template',
    manifests: [
      workload({ metadata: { ...auto, [pausePeriod]: '5m' } }),
      workload({ kind: 'Rollout', name: 'canary', spec: ofDeployment }),
    ],
    says: `a.yaml:8: Deployment shop/web (reloader-pause-borrowed)
  today: Reloader pauses the Deployment at a change.
  here:  Reroll does not pause it: Rollout canary uses its template, and Argo uses that of a paused Deployment too.
  fix:   Remove the annotation.
    remove from metadata.annotations:
      deployment.reloader.stakater.com/pause-period`,
    not: [
      together(
        workload({ metadata: { ...auto, [pausePeriod]: '5m' } }),
        workload({ kind: 'Rollout', name: 'canary', spec: ofReplicaSet }),
      ),
      together(
        workload({ metadata: { ...auto, [pausePeriod]: '5m' } }),
        workload({ kind: 'Rollout', name: 'canary', spec: ofDeployment }).replace('argoproj.io', 'example.com'),
      ),
    ],
  },
  {
    code: 'reloader-job',
    title: 'a Job',
    manifests: [workload({ kind: 'Job', metadata: auto })],
    says: `a.yaml:7: Job shop/web (reloader-job)
  today: Reloader deletes it and creates it again at each edit of a source. If the creation fails, the Job is lost.
  here:  Reroll does so once for edits within the settle window, and keeps the manifest until the Job exists. A finished Job runs again, as today.
  fix:   Write "run-now" to keep that, "next-run" to leave a change to the next run, or "never" to leave the Job alone.
    write under metadata.annotations:
      reroll.dev/job-policy: "run-now"`,
    not: [
      workload({ kind: 'Job', metadata: { ...auto, 'reroll.dev/job-policy': 'next-run' } }),
      workload({ kind: 'Job', metadata: auto, ownerReferences: ownedBy('CronJob') }),
    ],
  },
  {
    code: 'reloader-manual-selector',
    title: 'a Job with a selector of its own',
    manifests: [workload({ kind: 'Job', metadata: auto, spec: { manualSelector: true } })],
    says: `a.yaml:18: Job shop/web (reloader-manual-selector)
  today: Reloader deletes it at a change and cannot create it again: the Job is lost.
  here:  Reroll creates it again with its selector. A finished Job runs again.
  fix:   Write "run-now" to keep that, "next-run" to leave a change to the next run, or "never" to leave the Job alone.
    write under metadata.annotations:
      reroll.dev/job-policy: "run-now"`,
    not: [workload({ kind: 'Job', metadata: auto, spec: { manualSelector: false } })],
  },
  {
    code: 'reloader-cronjob',
    title: 'a CronJob',
    manifests: [workload({ kind: 'CronJob', metadata: auto })],
    says: `a.yaml:7: CronJob shop/web (reloader-cronjob)
  today: Reloader creates a Job from it at each edit of a source and at each retry, also while it is suspended.
  here:  Reroll creates one Job for edits within the settle window, also while it is suspended.
  fix:   Write "run-now" to keep that, "next-run" to leave a change to the next run, or "never" to leave the CronJob alone.
    write under metadata.annotations:
      reroll.dev/cronjob-policy: "run-now"`,
    not: [workload({ kind: 'CronJob', metadata: { ...auto, 'reroll.dev/cronjob-policy': 'never' } })],
  },
  {
    code: 'reloader-job-template',
    title: 'annotations between a CronJob and its pods',
    manifests: [workload({ kind: 'CronJob', jobTemplate: auto })],
    says: `a.yaml:11: CronJob shop/web (reloader-job-template)
  today: The Jobs of this CronJob get the annotation: Reloader deletes them and creates them again, so old ones run again.
  here:  Nothing happens at a change: Reroll leaves the Jobs of a CronJob alone.
  fix:   Move the annotation to the CronJob's own metadata, to run the CronJob at a change.
    write under metadata.annotations:
      reloader.stakater.com/auto: "true"
    remove from spec.jobTemplate.metadata.annotations:
      reloader.stakater.com/auto`,
    not: [
      workload({ kind: 'CronJob', jobTemplate: off }),
      workload({ kind: 'CronJob', jobTemplate: off, template: auto }),
    ],
  },
  {
    code: 'reloader-job-template',
    title: 'annotations between a CronJob and its pods, which say the opposite',
    manifests: [workload({ kind: 'CronJob', jobTemplate: auto, template: off })],
    says: `a.yaml:11: CronJob shop/web (reloader-job-template)
  today: The Jobs of this CronJob get the annotation: Reloader deletes them and creates them again, so old ones run again.
  here:  Nothing happens at a change: Reroll leaves the Jobs of a CronJob alone.
  fix:   Move the annotation to the CronJob's own metadata, to run the CronJob at a change.
    write under metadata.annotations:
      reloader.stakater.com/auto: "true"
    remove from spec.jobTemplate.metadata.annotations:
      reloader.stakater.com/auto
    remove from spec.jobTemplate.spec.template.metadata.annotations:
      reloader.stakater.com/auto`,
    not: [workload({ kind: 'CronJob', jobTemplate: off, template: off })],
  },
  {
    code: 'reloader-job-template',
    title: 'annotations on the pods of a CronJob',
    manifests: [workload({ kind: 'CronJob', template: { ...auto, [secrets]: 'db' } })],
    says: `a.yaml:15: CronJob shop/web (reloader-job-template)
  today: The Jobs of this CronJob get the annotation: Reloader deletes them and creates them again, so old ones run again.
  here:  Reroll leaves the Jobs of a CronJob alone: only the CronJob itself counts.
  fix:   Move the annotation to the CronJob's own metadata, to run the CronJob at a change.
    write under metadata.annotations:
      reloader.stakater.com/auto: "true"
      secret.reloader.stakater.com/reload: "db"
    remove from spec.jobTemplate.spec.template.metadata.annotations:
      reloader.stakater.com/auto
      secret.reloader.stakater.com/reload`,
    not: [workload({ kind: 'CronJob', metadata: { ...auto, [secrets]: 'db' } })],
  },
  {
    code: 'reloader-job-template',
    title: 'annotations on the pods of a CronJob that is switched off itself',
    manifests: [workload({ kind: 'CronJob', metadata: off, template: auto })],
    says: `a.yaml:16: CronJob shop/web (reloader-job-template)
  today: The Jobs of this CronJob get the annotation: Reloader deletes them and creates them again, so old ones run again.
  here:  Nothing happens at a change: Reroll leaves the Jobs of a CronJob alone.
  fix:   Remove the annotation from the templates: the CronJob's own metadata decides.
    remove from spec.jobTemplate.spec.template.metadata.annotations:
      reloader.stakater.com/auto`,
    not: [workload({ kind: 'Deployment', metadata: off, template: auto })],
  },
  {
    code: 'reloader-job-template',
    title: 'annotations on the pods of a CronJob that decides for one kind of source itself',
    manifests: [workload({ kind: 'CronJob', metadata: { [secrets]: 'db' }, template: auto })],
    says: `a.yaml:16: CronJob shop/web (reloader-job-template)
  today: The Jobs of this CronJob get the annotation: Reloader deletes them and creates them again, so old ones run again.
  here:  Reroll leaves the Jobs of a CronJob alone: only the CronJob itself counts.
  fix:   Write on the CronJob's own metadata for which ConfigMaps it is to run. Then remove the annotation from the templates.`,
    not: [workload({ kind: 'CronJob', metadata: { [secrets]: 'db' } })],
  },
  {
    code: 'reloader-job-of-cronjob',
    title: 'a Job that a CronJob made',
    manifests: [workload({ kind: 'Job', template: auto, ownerReferences: ownedBy('CronJob') })],
    says: `a.yaml:15: Job shop/web (reloader-job-of-cronjob)
  today: Reloader deletes it at a change and creates it again.
  here:  Reroll leaves it to CronJob nightly, which made it.
  fix:   Write nothing here: annotate the CronJob, on its own metadata.`,
    not: [workload({ kind: 'Job', template: auto, ownerReferences: ownedBy('Workflow') })],
  },
  {
    code: 'reloader-rollout',
    title: 'a Rollout',
    manifests: [workload({ kind: 'Rollout', metadata: auto })],
    says: `a.yaml:7: Rollout shop/web (reloader-rollout)
  today: Reloader restarts it only with --is-Argo-Rollouts=true.
  here:  Reroll restarts it, unless it has --is-Argo-Rollouts=false.
  fix:   Write nothing if Reloader has the flag. If it does not, give Reroll --is-Argo-Rollouts=false to leave all Rollouts alone.`,
    not: [workload({ kind: 'Rollout' })],
  },
  {
    code: 'reloader-workload-ref',
    title: 'a Rollout with a workloadRef',
    manifests: [workload({ kind: 'Rollout', metadata: auto, spec: ofDeployment })],
    says: `a.yaml:7: Rollout shop/web (reloader-workload-ref)
  today: Reloader skips a Rollout with a workloadRef.
  here:  Reroll changes the pod template of Deployment web, which Argo then rolls out.
  fix:   To keep what it does today, switch restarts off.
    write under metadata.annotations:
      reloader.stakater.com/auto: "false"`,
    not: [workload({ kind: 'Rollout', metadata: auto })],
  },
  {
    code: 'reloader-workload-ref',
    title: 'a Rollout that is restarted for names, with a workloadRef to what nobody watches',
    manifests: [workload({ kind: 'Rollout', metadata: { ...restart, [secrets]: 'db' }, spec: ofReplicaSet })],
    says: `a.yaml:8: Rollout shop/web (reloader-workload-ref)
  today: Reloader skips a Rollout with a workloadRef.
  here:  Reroll restarts its pods.
  fix:   To keep what it does today, switch restarts off.
    write under metadata.annotations:
      reloader.stakater.com/auto: "false"
    remove from metadata.annotations:
      secret.reloader.stakater.com/reload`,
    not: [workload({ kind: 'Rollout', metadata: { ...restart, ...auto }, spec: ofReplicaSet })],
  },
  {
    code: 'reloader-workload-ref',
    title: 'the same where every workload is restarted',
    flags: ['--auto-reload-all'],
    manifests: [workload({ kind: 'Rollout', metadata: auto, spec: ofDeployment })],
    says: `a.yaml:7: Rollout shop/web (reloader-workload-ref)
  today: Reloader skips a Rollout with a workloadRef.
  here:  Reroll changes the pod template of Deployment web, which Argo then rolls out.
  fix:   To keep what it does today, switch restarts off.
    write under metadata.annotations:
      reloader.stakater.com/auto: "false"`,
    not: [
      workload({ kind: 'Rollout', metadata: off, spec: ofDeployment }),
      workload({ kind: 'Rollout', spec: ofDeployment }),
    ],
  },
  {
    code: 'reloader-deployment-config',
    title: 'a DeploymentConfig',
    manifests: [workload({ kind: 'DeploymentConfig', metadata: auto, template: { ...auto, [secrets]: 'db' } })],
    says: `a.yaml:7: DeploymentConfig shop/web (reloader-deployment-config)
  today: Reloader has not restarted DeploymentConfigs since version 1.4.5.
  here:  Reroll changes its pod template. A ConfigChange trigger, if it has one, rolls it out.
  fix:   To keep what it does today, switch restarts off.
    write under metadata.annotations:
      reloader.stakater.com/auto: "false"
    remove from spec.template.metadata.annotations:
      reloader.stakater.com/auto
      secret.reloader.stakater.com/reload`,
    not: [workload({ kind: 'Deployment', metadata: auto })],
  },
];
