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
import { fieldAt } from '../../shared/domain/json-value';

export const auto = { 'reloader.stakater.com/auto': 'true' };

/** A ConfigMap with the content that `Place.edit` changes. */
export function settings(name = 'app', options: Partial<SourceOptions> = {}): ObjectInput {
  return configMap({ name, data: { key: 'first' }, ...options });
}

/** A Secret with the content that `Place.edit` changes. */
export function credentials(name = 'app', options: Partial<SourceOptions> = {}): ObjectInput {
  return secret({ name, data: { key: 'first' }, ...options });
}

/** Workloads whose pods do not matter: they have none, so that hundreds of them are no load. */
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

/** On no node. */
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

/** The environment of a container of a workload, `name=value`, or by name alone where it is no plain value. */
export function environmentOf(object: JsonObject, container: string): readonly string[] {
  const template =
    fieldAt(object, ['spec', 'jobTemplate', 'spec', 'template']) ?? fieldAt(object, ['spec', 'template']);
  const containers = fieldAt(template, ['spec', 'containers']) as readonly { name: string; env?: { name: string }[] }[];
  return containers.find(({ name }) => name === container)?.env?.map(({ name }) => name) ?? [];
}
