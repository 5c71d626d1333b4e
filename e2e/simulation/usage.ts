import { arrayAt, objectAt, stringAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { Keys, SourceName } from './contents';

const prefix = 'reloader.stakater.com/';

/**
 * What may restart a workload, told from the object alone: the judge's own reading of the annotations and references
 * that simulated users write.
 */
export function usageOf(object: KubeObject): ReadonlyMap<SourceName, Keys> {
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

export function templateOf(object: KubeObject | undefined): string {
  return JSON.stringify(objectAt(object, 'spec')['template'] ?? null);
}

function referencesOf(object: KubeObject): ReadonlyMap<SourceName, Keys> {
  const namespace = object.metadata.namespace ?? '';
  const found = new Map<SourceName, Keys>();
  for (const container of arrayAt(object, 'spec', 'template', 'spec', 'containers')) {
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
