import { rollout } from '../apiserver/add-ons';
import {
  configMap,
  cronJob,
  daemonSet,
  deployment,
  job,
  secret,
  statefulSet,
  type SourceOptions,
  type WorkloadOptions,
} from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import type { ObjectInput } from '../apiserver/objects';
import { fieldAt, listOf, objectOf } from '../../shared/domain/kubernetes/json-value';
import type { Place } from './place';

export const auto = { 'reloader.stakater.com/auto': 'true' };

/** A ConfigMap with the content that `Place.edit` changes. */
export function settings(name = 'app', options: Partial<SourceOptions> = {}): ObjectInput {
  return configMap({ name, data: { key: 'first' }, ...options });
}

/** A Secret with the content that `Place.edit` changes. */
export function credentials(name = 'app', options: Partial<SourceOptions> = {}): ObjectInput {
  return secret({ name, data: { key: 'first' }, ...options });
}

/** Workloads without pods, so that hundreds of them cause no load. */
export const idle = {
  Deployment: (options: WorkloadOptions) => deployment({ replicas: 0, ...options }),
  StatefulSet: (options: WorkloadOptions) => statefulSet({ replicas: 0, ...options }),
  DaemonSet: (options: WorkloadOptions) => nowhere(daemonSet(options)),
  Rollout: (options: WorkloadOptions) => rollout({ replicas: 0, ...options }),
  CronJob: (options: WorkloadOptions) =>
    withTemplateSpec(cronJob({ schedule: '0 0 31 2 *', ...options }), { suspend: true }),
  Job: (options: WorkloadOptions) => job({ ...options, spec: { suspend: true, ...options.spec } }),
} as const;

export type IdleKind = keyof typeof idle;
export const idleKinds = Object.keys(idle) as readonly IdleKind[];

/** Gives the pods a node selector that no node matches. */
function nowhere(object: ObjectInput): ObjectInput {
  const spec = object['spec'] as JsonObject;
  const template = spec['template'] as JsonObject;
  const pod = { ...(template['spec'] as JsonObject), nodeSelector: { nowhere: 'true' } };
  return { ...object, spec: { ...spec, template: { ...template, spec: pod } } };
}

function withTemplateSpec(object: ObjectInput, jobSpec: JsonObject): ObjectInput {
  const spec = object['spec'] as JsonObject;
  const template = spec['jobTemplate'] as JsonObject;
  const merged = { ...(template['spec'] as JsonObject), ...jobSpec };
  return { ...object, spec: { ...spec, jobTemplate: { ...template, spec: merged } } };
}

/** Reloader's variables that a restart wrote, as `container NAME`; for a CronJob, those in the Jobs it was run as. */
export function markedBy(place: Place, workload: string): readonly string[] {
  const [kind = '', name = ''] = workload.split('/');
  const carriers = kind === 'CronJob' ? jobsOf(place, name) : [place.last(workload)];
  return carriers.flatMap(({ spec }) => {
    const pod = objectOf(fieldAt(spec, ['template', 'spec']));
    return [...listOf(pod['containers']), ...listOf(pod['initContainers'])].flatMap((container) =>
      listOf(fieldAt(container, ['env']))
        .map((variable) => String(fieldAt(variable, ['name'])))
        .filter((variable) => variable.startsWith('STAKATER_'))
        .map((variable) => `${String(fieldAt(container, ['name']))} ${variable}`),
    );
  });
}

/** The Jobs that a CronJob was run as. */
export function jobsOf(place: Place, cronJob: string): readonly JsonObject[] {
  return place.all('Job').filter(({ metadata }) => {
    const owners = listOf(fieldAt(metadata, ['ownerReferences']));
    return owners.some((owner) => fieldAt(owner, ['name']) === cronJob);
  });
}
