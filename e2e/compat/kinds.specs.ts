import { expect } from '@jest/globals';
import { fieldAt, listOf } from '../../shared/domain/kubernetes/json-value';
import { rollout, rolloutOf } from '../apiserver/add-ons';
import {
  cronJob,
  daemonSet,
  deployment,
  fromConfigMap,
  job,
  statefulSet,
  type WorkloadOptions,
} from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import type { ObjectInput } from '../apiserver/objects';
import type { Kind } from './object-paths';
import type { Place } from './place';
import type { Group, Spec } from './spec';
import { auto, idle, jobsOf, markedBy, settings } from './workloads';

const uses = { name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] };
const edit = async (place: Place): Promise<void> => await place.edit('ConfigMap', 'app');

interface Story extends Pick<Spec, 'judge' | 'isNoted'> {
  readonly title: string;
  readonly workload: ObjectInput;
  readonly times?: number;
  readonly act?: Spec['act'];
}

function specOf({ workload, times = 1, act = edit, ...rest }: Story): Spec {
  const restarts = { [`${workload.kind}/${workload.metadata.name}`]: times };
  return { ...rest, objects: [settings(), workload], act, restarts };
}

/** Rolled kinds, also in each state that holds a rollout back: the change is written anyway. */
const rolled: readonly Story[] = [
  { title: '§6 a Deployment with pods is rolled', workload: deployment(uses) },
  { title: '§6 a StatefulSet with pods is rolled', workload: statefulSet(uses) },
  { title: '§6 a DaemonSet with pods is rolled', workload: daemonSet(uses) },
  { title: '§6 a Deployment without replicas', workload: idle.Deployment(uses) },
  { title: '§6 a Deployment that somebody paused', workload: deployment({ ...uses, spec: { paused: true } }) },
  {
    title: '§6 a StatefulSet with OnDelete',
    workload: statefulSet({ ...uses, spec: { updateStrategy: { type: 'OnDelete' } } }),
  },
  {
    title: '§6 a DaemonSet with OnDelete',
    workload: daemonSet({ ...uses, spec: { updateStrategy: { type: 'OnDelete' } } }),
  },
];

/** §6.1: a CronJob with these fields in its Job template. */
function cronJobWith(options: Partial<WorkloadOptions>, template: JsonObject = {}): ObjectInput {
  const made = cronJob({ schedule: '0 0 31 2 *', ...uses, ...options });
  const spec = made['spec'] as JsonObject & { readonly jobTemplate: JsonObject };
  return { ...made, spec: { ...spec, jobTemplate: { ...spec.jobTemplate, ...template } } };
}

const cronJobs: readonly Story[] = [
  {
    title: '§6.1 the Job of a CronJob is owned by it, marked as manual, and carries the variable',
    workload: cronJobWith({}, { metadata: { labels: { team: 'blue' }, annotations: { note: 'kept' } } }),
    judge: (place) => {
      const jobs = jobsOf(place, 'web');
      expect(jobs).toHaveLength(1);
      expect(jobs[0]?.['metadata']).toMatchObject({
        name: expect.stringMatching(/^web-/),
        labels: { team: 'blue' },
        annotations: { 'cronjob.kubernetes.io/instantiate': 'manual', note: 'kept' },
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'web', controller: true }],
      });
      expect(markedBy(place, 'CronJob/web')).toEqual(['app STAKATER_APP_CONFIGMAP']);
      // The CronJob's own template never gets the variable.
      expect(JSON.stringify(place.last('CronJob/web')['spec'])).not.toContain('STAKATER_');
    },
  },
  {
    title: '§6.1 an annotation of the template wins over ours',
    workload: cronJobWith({}, { metadata: { annotations: { 'cronjob.kubernetes.io/instantiate': 'theirs' } } }),
    judge: (place) =>
      expect(fieldAt(jobsOf(place, 'web')[0], ['metadata', 'annotations', 'cronjob.kubernetes.io/instantiate'])).toBe(
        'theirs',
      ),
  },
  { title: '§6.1 a suspended CronJob is run all the same', workload: cronJobWith({ spec: { suspend: true } }) },
  {
    title: '§6.1 a CronJob that forbids concurrency is run all the same',
    workload: cronJobWith({ spec: { concurrencyPolicy: 'Forbid' } }),
  },
  {
    title: '§6.1 Q15 annotations of the Job template do not opt in',
    workload: cronJobWith({ annotations: {} }, { metadata: { annotations: auto } }),
    times: 0,
  },
  {
    title: '§6.1 Q24 the Job that was made of a CronJob is not created anew for the same change',
    workload: cronJobWith({ annotations: {}, podAnnotations: auto }, { metadata: { annotations: auto } }),
    judge: (place) => {
      expect(jobsOf(place, 'web')).toHaveLength(1);
      for (const { metadata } of jobsOf(place, 'web')) {
        expect(place.restarts(`Job/${String(fieldAt(metadata, ['name']))}`)).toBe(0);
      }
    },
  },
  {
    title: '§6.1 with cronjob-policy next-run it is left to its schedule',
    workload: cronJobWith({ annotations: { ...auto, 'reroll.dev/cronjob-policy': 'next-run' } }),
    times: 0,
    isNoted: true,
  },
];

/** §6.2: what a Job keeps when it is recreated. */
const jobs: readonly Story[] = [
  {
    title: '§6.2 a completed Job is run again',
    workload: job(uses),
    act: async (place) => {
      await place.until('the Job to complete', () => fieldAt(place.last('Job/web'), ['status', 'succeeded']) === 1);
      await edit(place);
      await place.restarted('Job/web', 1);
      await place.until('it to complete again', () => fieldAt(place.last('Job/web'), ['status', 'succeeded']) === 1);
    },
    judge: (place) => expect(markedBy(place, 'Job/web')).toEqual(['app STAKATER_APP_CONFIGMAP']),
  },
  {
    title: '§6.2 a running Job is created anew',
    workload: job({ ...uses, podLabels: { 'control-plane.e2e/pod': 'keeps-running' } }),
  },
  {
    title: '§6.2 labels, annotations and fields stay, and what the server had given does not',
    workload: job({
      ...uses,
      labels: { team: 'blue' },
      annotations: { ...auto, note: 'kept' },
      spec: { backoffLimit: 3, suspend: true },
    }),
    judge: (place) => {
      const [first, second] = place.values('Job/web', ['metadata', 'uid']);
      expect(second).not.toBe(first);
      expect(place.last('Job/web')).toMatchObject({
        metadata: { labels: { team: 'blue' }, annotations: { note: 'kept' } },
        spec: { backoffLimit: 3, suspend: true },
      });
      expect(JSON.stringify(place.last('Job/web')['spec'])).not.toContain(String(first));
    },
  },
  {
    title: '§6.2 Q22 a Job with a selector of its own is created anew, where Reloader loses it',
    workload: job({
      ...{ ...uses, podLabels: { mine: 'web' } },
      spec: { manualSelector: true, selector: { matchLabels: { mine: 'web' } }, suspend: true },
    }),
  },
  {
    title: '§6.2 Q22 a Job that a finalizer holds is created anew when it is let go',
    workload: {
      ...idle.Job(uses),
      metadata: { name: 'web', annotations: auto, finalizers: ['compat.reroll.dev/hold'] },
    },
    act: async (place) => {
      await edit(place);
      await place.until(
        'the deletion',
        () => fieldAt(place.last('Job/web'), ['metadata', 'deletionTimestamp']) !== undefined,
      );
      await place.patch('Job', 'web', { metadata: { finalizers: null } });
    },
    judge: async (place) => await place.patch('Job', 'web', { metadata: { finalizers: null } }),
  },
  {
    title: '§6.2 with job-policy next-run it is left alone',
    workload: idle.Job({ ...uses, annotations: { ...auto, 'reroll.dev/job-policy': 'next-run' } }),
    times: 0,
    isNoted: true,
  },
];

const restartAt = (place: Place): readonly unknown[] => place.values('Rollout/web', ['spec', 'restartAt']);
const inPlace = { ...auto, 'reloader.stakater.com/rollout-strategy': 'restart' };

/** §6.3, with the CustomResourceDefinition of Argo Rollouts. */
const rollouts: readonly Story[] = [
  {
    title: '§6.3 a Rollout gets another template, and no restartAt',
    workload: idle.Rollout(uses),
    judge: (place) => {
      expect(restartAt(place)).toEqual([undefined]);
      expect(markedBy(place, 'Rollout/web')).toEqual(['app STAKATER_APP_CONFIGMAP']);
    },
  },
  {
    title: '§6.3 rollout-strategy restart sets restartAt, and no template',
    workload: idle.Rollout({ ...uses, annotations: inPlace }),
    judge: (place) => {
      expect(restartAt(place)).toEqual([undefined, expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)]);
      expect(markedBy(place, 'Rollout/web')).toEqual([]);
    },
  },
  ...['rollout', 'Restart', ''].map((value) => ({
    title: `§6.3 rollout-strategy "${value}" is a rollout`,
    workload: idle.Rollout({ ...uses, annotations: { ...auto, 'reloader.stakater.com/rollout-strategy': value } }),
    judge: (place: Place) => expect(restartAt(place)).toEqual([undefined]),
  })),
  {
    title: '§6.3 Q25 what else stands in a Rollout stays',
    workload: rollout({ ...uses, replicas: 0, spec: { revisionHistoryLimit: 7, minReadySeconds: 3 } }),
    judge: (place) => {
      const spec = {
        revisionHistoryLimit: 7,
        minReadySeconds: 3,
        strategy: { canary: { steps: [{ setWeight: 20 }, {}] } },
      };
      expect(place.last('Rollout/web')).toMatchObject({ spec });
    },
  },
];

/** Rollouts that take their template from a Deployment. */
const workloadRefs: readonly Spec[] = (
  [
    ['the Rollout asks: its Deployment is changed', auto, {}, 0, 1],
    ['the Deployment asks: it is changed', {}, auto, 0, 1],
    ['both ask: one restart', auto, auto, 0, 1],
    ['the Rollout asks for restart: itself', inPlace, {}, 1, 0],
    ['nobody asks', {}, {}, 0, 0],
  ] as const
).map(([what, ofRollout, ofDeployment, rolloutTimes, deploymentTimes]) => ({
  title: `§6.3 Q14 workloadRef, ${what}`,
  objects: [settings(), idle.Deployment({ ...uses, annotations: ofDeployment }), rolloutOf('web', ofRollout)],
  act: edit,
  restarts: { 'Rollout/web': rolloutTimes, 'Deployment/web': deploymentTimes },
  unrecorded: true,
}));

const kinds: readonly Kind[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job'];

/** Objects that another controller owns are left to it. */
const owned: readonly Spec[] = [
  {
    title: '§6 ReplicaSets and pods of a workload are left to it',
    objects: [settings(), deployment({ ...uses, podAnnotations: auto })],
    act: edit,
    restarts: { 'Deployment/web': 1 },
    judge: (place) => {
      const told = kinds
        .flatMap((kind) => place.all(kind))
        .filter((object) => listOf(fieldAt(object, ['metadata', 'ownerReferences'])).length > 0);
      expect(told).toEqual([]);
    },
  },
];

/** §6: how each kind is restarted. */
export const workloadKinds: readonly Group[] = [
  {
    name: 'kinds',
    flags: [],
    specs: [...[...rolled, ...cronJobs, ...jobs, ...rollouts].map(specOf), ...workloadRefs, ...owned],
  },
  {
    name: 'no-rollouts',
    flags: ['--is-Argo-Rollouts=false'],
    specs: [
      specOf({ title: '§6 --is-Argo-Rollouts=false: a Rollout is left alone', workload: idle.Rollout(uses), times: 0 }),
      specOf({
        title: '§6.3 --is-Argo-Rollouts=false: nor is one restarted in place',
        workload: idle.Rollout({ ...uses, annotations: inPlace }),
        times: 0,
      }),
    ],
  },
];
