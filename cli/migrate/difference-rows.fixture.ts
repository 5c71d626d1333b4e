import { stringify } from 'yaml';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { DifferenceCode } from './difference-codes';

type Texts = Readonly<Record<string, string>>;

/** A workload in a manifest: `shop/web`, which uses the ConfigMap `app`. */
export interface Written {
  readonly kind?: WorkloadKindName;
  readonly name?: string;
  readonly metadata?: Texts;
  readonly template?: Texts;
  /** On a CronJob, between its metadata and its pod template. */
  readonly jobTemplate?: Texts;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly object[];
  /** Overrides fields of the pod's spec. */
  readonly pod?: object;
  /** Adds fields to the workload's spec. */
  readonly spec?: object;
}

/** A difference: a workload to which it applies, and one that is nearly the same, to which it does not. */
export interface DifferenceRow {
  readonly code: DifferenceCode;
  readonly title: string;
  readonly flags?: readonly string[];
  readonly manifests: readonly string[];
  /** The text of the findings with the code. */
  readonly says: string;
  /** Each a text of its own. */
  readonly not: readonly string[];
}

export const auto = { 'reloader.stakater.com/auto': 'true' } as const;
export const usesConfigMap = (name: string): object => ({ configMapRef: { name } });
export const usesSecret = (name: string): object => ({ secretRef: { name } });
export const uses = (...envFrom: readonly object[]): object => ({ containers: [{ name: 'main', envFrom }] });

/** The manifest of a workload. */
export function workload(written: Written): string {
  const { kind = 'Deployment', name = 'web', metadata = {}, template = {}, jobTemplate = {}, pod = {} } = written;
  const { group, version } = workloadKind(kind).resource;
  const podTemplate = { metadata: { annotations: template }, spec: { ...uses(usesConfigMap('app')), ...pod } };
  const ofCronJob = { jobTemplate: { metadata: { annotations: jobTemplate }, spec: { template: podTemplate } } };
  const { finalizers, ownerReferences } = written;
  return stringify({
    ...{ apiVersion: `${group}/${version}`, kind },
    metadata: { name, namespace: 'shop', annotations: metadata, finalizers, ownerReferences },
    spec: { ...(kind === 'CronJob' ? ofCronJob : { template: podTemplate }), ...written.spec },
  });
}

/** Several manifests in one text. */
export function together(...manifests: readonly string[]): string {
  return manifests.join('---\n');
}

/** The manifest of a source. */
export function source(kind: 'ConfigMap' | 'Secret', name: string, annotations: Texts = {}): string {
  return stringify({ apiVersion: 'v1', kind, metadata: { name, namespace: 'shop', annotations } });
}
