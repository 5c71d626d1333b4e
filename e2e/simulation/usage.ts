import { arrayAt, objectAt, stringAt, type JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { Keys, SourceName } from './contents';

const prefix = 'reloader.stakater.com/';

/**
 * What may restart a workload, told from the object alone: the judge's own reading of the annotations and references
 * that simulated users write.
 */
export function usageOf(object: KubeObject): ReadonlyMap<SourceName, Keys> {
  const known = read.get(object);
  if (known) return known;
  const usage = readUsage(object);
  read.set(object, usage);
  return usage;
}

/** Objects of the history never change, and are asked at every write of their life. */
const read = new WeakMap<KubeObject, ReadonlyMap<SourceName, Keys>>();

function readUsage(object: KubeObject): ReadonlyMap<SourceName, Keys> {
  const annotations = object.metadata.annotations ?? {};
  const referenced = referencesOf(object);
  const usage = new Map<SourceName, Keys>();
  if (annotations[`${prefix}auto`] === 'true') for (const [source, keys] of referenced) usage.set(source, keys);
  for (const [kind, list] of [
    ['ConfigMap', annotations[`configmap.${prefix}reload`]],
    ['Secret', annotations[`secret.${prefix}reload`]],
  ] as const) {
    for (const name of list?.split(',') ?? []) {
      const source = `${kind} ${object.metadata.namespace ?? ''}/${name}`;
      usage.set(source, referenced.get(source) ?? 'all');
    }
  }
  return usage;
}

const policyAnnotations = [`${prefix}auto`, `configmap.${prefix}reload`, `secret.${prefix}reload`];

/** What the workload asks for, as text that can be compared. */
export function policyOf({ metadata: { annotations = {} } }: KubeObject): string {
  return JSON.stringify(policyAnnotations.map((name) => annotations[name] ?? null));
}

/** Whether the workload asks for restarts at all; engines look at no other, and remember nothing of them. */
export function asksForRestarts({ metadata: { annotations = {} } }: KubeObject): boolean {
  const [auto, ...lists] = policyAnnotations.map((name) => annotations[name]);
  return auto === 'true' || lists.some((list) => list !== undefined);
}

export function podTemplateOf(object: KubeObject | undefined): JsonObject {
  const path = object?.kind === 'CronJob' ? ['spec', 'jobTemplate', 'spec', 'template'] : ['spec', 'template'];
  return objectAt(object, ...path);
}

/** The pod template as text that can be compared. */
export function templateOf(object: KubeObject | undefined): string {
  if (object === undefined) return '{}';
  const known = templates.get(object);
  if (known !== undefined) return known;
  const template = JSON.stringify(podTemplateOf(object));
  templates.set(object, template);
  return template;
}

const templates = new WeakMap<KubeObject, string>();

function referencesOf(object: KubeObject): ReadonlyMap<SourceName, Keys> {
  const namespace = object.metadata.namespace ?? '';
  const found = new Map<SourceName, Keys>();
  const template = podTemplateOf(object);
  for (const [source, keys] of volumesOf(template, namespace)) found.set(source, keys);
  for (const container of arrayAt(template, 'spec', 'containers')) {
    for (const entry of arrayAt(container, 'env')) {
      for (const [kind, field] of [
        ['ConfigMap', 'configMapKeyRef'],
        ['Secret', 'secretKeyRef'],
      ] as const) {
        const name = stringAt(entry, 'valueFrom', field, 'name');
        const key = stringAt(entry, 'valueFrom', field, 'key');
        if (name === undefined || key === undefined) continue;
        const source = `${kind} ${namespace}/${name}`;
        const known = found.get(source);
        if (known !== 'all') found.set(source, new Set([...(known ?? []), key]));
      }
    }
    for (const entry of arrayAt(container, 'envFrom')) {
      for (const [kind, field] of [
        ['ConfigMap', 'configMapRef'],
        ['Secret', 'secretRef'],
      ] as const) {
        const name = stringAt(entry, field, 'name');
        if (name !== undefined) found.set(`${kind} ${namespace}/${name}`, 'all');
      }
    }
  }
  return found;
}

/** Volumes of simulated users are all mounted, each source in one at most. */
function volumesOf(template: JsonObject, namespace: string): ReadonlyMap<SourceName, Keys> {
  const found = new Map<SourceName, Keys>();
  for (const volume of arrayAt(template, 'spec', 'volumes')) {
    const className = stringAt(volume, 'csi', 'volumeAttributes', 'secretProviderClass');
    if (className !== undefined) found.set(`SecretProviderClass ${namespace}/${className}`, 'all');
    for (const [kind, field, nameField] of [
      ['ConfigMap', 'configMap', 'name'],
      ['Secret', 'secret', 'secretName'],
    ] as const) {
      const name = stringAt(volume, field, nameField);
      if (name === undefined) continue;
      const keys = arrayAt(objectAt(volume, field), 'items').flatMap((item) => stringAt(item, 'key') ?? []);
      found.set(`${kind} ${namespace}/${name}`, keys.length === 0 ? 'all' : new Set(keys));
    }
  }
  return found;
}
