import type { AnnotationProblemCode } from '../annotations/annotation-problem';
import { defaultAnnotationKeys } from '../annotations/annotations';
import type { AnnotationKeys } from '../annotations/annotations';
import type { PolicySettings, PolicySource } from '../policy/policy';
import type { AskedChecks } from '../gate-settings/health-check';
import type { LocalWorkloadName } from '../gate-settings/restart-order';
import { everything } from '../kubernetes/selector';
import type { Selection } from '../sources/selection';
import type { SourceKind } from '../sources/source';
import { sourceId, sourceKinds } from '../sources/source';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';
import { workloadKind } from '../kubernetes/workload-kinds';
import { readWorkloadSpec } from '../workloads/workload';
import type { KnownSources, OtherWorkload } from './known-sources';
import type { LintSettings, WorkloadWrite } from './lint-subject';

type Texts = Readonly<Record<string, string>>;

/** A workload that somebody applies: `shop/web`, which uses the ConfigMap `app` and the Secret `db`. */
export interface Applied {
  readonly kind?: WorkloadKindName;
  readonly name?: string;
  readonly metadata?: Texts;
  readonly template?: Texts;
  readonly labels?: Texts;
  /** Instead of `app` and `db`. */
  readonly envFrom?: readonly object[];
  /** On a CronJob, between its metadata and its pod template. */
  readonly jobTemplate?: Texts;
  readonly spec?: object;
  /** Overrides group and kind. */
  readonly as?: { readonly group: string; readonly kind: string; readonly ownerReferences?: readonly object[] };
}

/** Flags of the install; a missing one has its default. */
export interface InstallFlags {
  readonly keys?: Partial<AnnotationKeys>;
  readonly policy?: Partial<PolicySettings>;
  readonly selection?: Partial<Selection>;
  readonly csi?: boolean;
  readonly askedChecks?: AskedChecks;
}

/** One case of the lint. */
export interface LintRow {
  readonly title: string;
  readonly applied: Applied;
  readonly flags?: InstallFlags;
  readonly sources?: readonly PolicySource[];
  readonly isNamespaceSelected?: boolean;
  /** Other workloads of the namespace. */
  readonly others?: readonly Applied[];
  /** Code and message of each finding. */
  readonly says: readonly (readonly [AnnotationProblemCode, string])[];
}

export const usesConfigMap = (name: string): object => ({ configMapRef: { name } });
export const usesSecret = (name: string): object => ({ secretRef: { name } });

export function written(applied: Applied): WorkloadWrite {
  const { kind = 'Deployment', name = 'web', metadata = {}, template = {}, labels = {} } = applied;
  const envFrom = applied.envFrom ?? [usesConfigMap('app'), usesSecret('db')];
  const podTemplate = { metadata: { annotations: template }, spec: { containers: [{ name: 'main', envFrom }] } };
  const jobTemplate = { metadata: { annotations: applied.jobTemplate ?? {} }, spec: { template: podTemplate } };
  const spec = { ...(kind === 'CronJob' ? { jobTemplate } : { template: podTemplate }), ...applied.spec };
  const { ownerReferences, ...as } = applied.as ?? { kind, group: workloadKind(kind).resource.group };
  const identity = { name, namespace: 'shop', labels, annotations: metadata, ownerReferences };
  return { ...as, namespace: 'shop', object: { kind: as.kind, metadata: identity, spec } };
}

export function lintSettings(flags: InstallFlags = {}): LintSettings {
  const { keys, policy, selection, csi = false, askedChecks } = flags;
  return {
    keys: { ...defaultAnnotationKeys, ...keys },
    policy: { autoReloadAll: false, ignoredWorkloadKinds: [], ...policy },
    selection: {
      ...{ namespaces: [], namespacesToIgnore: [], namespaceSelector: everything },
      ...{ sourceSelector: everything, ignoredSourceKinds: [], ...selection },
    },
    csi,
    ...(askedChecks && { askedChecks }),
  };
}

export function source(kind: SourceKind, name: string, flags: Partial<PolicySource> = {}): PolicySource {
  return { kind, name, ignore: false, match: false, ...flags };
}

/** A namespace with the ConfigMaps `app` and `common` and the Secret `db`, and these workloads. */
export function known(
  more: readonly PolicySource[] = [],
  isNamespaceSelected?: boolean,
  workloads: readonly Applied[] = [],
): KnownSources {
  const all = [source('ConfigMap', 'common'), source('ConfigMap', 'app'), source('Secret', 'db'), ...more];
  const named = new Map(all.map((each) => [sourceId(each), each]));
  return { isNamespaceSelected, kinds: new Set(sourceKinds), named, workload: (name) => otherOf(workloads, name) };
}

function otherOf(workloads: readonly Applied[], { kind, name }: LocalWorkloadName): OtherWorkload | undefined {
  const applied = workloads.find((each) => (each.kind ?? 'Deployment') === kind && each.name === name);
  const { keys, policy } = lintSettings();
  return applied && readWorkloadSpec(workloadKind(kind), written(applied).object, keys, policy);
}
