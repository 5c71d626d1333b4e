import type { AnnotationKeys, Annotations } from '../annotations/annotations';
import { annotation, annotationsOf } from '../annotations/annotations';
import { parseGoBool } from '../text/go-bool';
import { fieldAt, textOf } from '../kubernetes/json-value';
import type { AskedChecks } from '../gate-settings/health-check';
import type { GateBearer } from '../gate-settings/bearer-gates';
import { objectKey } from '../kubernetes/object-key';
import { namesIn } from '../text/pattern';
import type { PolicySettings } from '../policy/policy';
import { effectiveKey, typedKeysOf } from '../policy/policy-annotations';
import type { Selection } from '../sources/selection';
import type { SourceKind } from '../sources/source';
import { findSourceKind, sourceKinds } from '../sources/source';
import type { WorkloadSpec } from '../workloads/workload';
import { readWorkloadSpec } from '../workloads/workload';
import type { WorkloadKind } from '../kubernetes/workload-kinds';
import { defaultTemplatePath, findWorkloadKind } from '../kubernetes/workload-kinds';

/** The flags of the install that decide what an annotation does. */
export interface LintSettings {
  readonly keys: AnnotationKeys;
  readonly policy: PolicySettings;
  readonly selection: Selection;
  /** Whether SecretProviderClasses are sources. */
  readonly csi: boolean;
  /** Undefined: not known. */
  readonly askedChecks?: AskedChecks;
}

/** A write of an object that may be a workload, as admission sees it. */
export interface WorkloadWrite {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly object: unknown;
  /** Undefined or null where the object is new. */
  readonly oldObject?: unknown;
}

/** The object to lint. */
export interface LintSubject {
  readonly write: WorkloadWrite;
  readonly settings: LintSettings;
  readonly metadata: Annotations;
  readonly template: Annotations;
}

/** A subject of a kind that Reroll restarts. */
export interface WorkloadSubject extends LintSubject {
  readonly kind: WorkloadKind;
  readonly spec: WorkloadSpec;
}

/** An annotation that is present. */
export interface PresentAnnotation {
  readonly key: string;
  readonly value: string;
}

/** Reads the object in a write. */
export function readLintSubject(write: WorkloadWrite, settings: LintSettings): LintSubject | WorkloadSubject {
  const kind = findWorkloadKind(write.group, write.kind);
  const subject = {
    ...{ write, settings },
    metadata: annotationsOf(write.object),
    template: annotationsOf(fieldAt(write.object, kind?.templatePath ?? defaultTemplatePath)),
  };
  return kind
    ? { ...subject, kind, spec: readWorkloadSpec(kind, write.object, settings.keys, settings.policy) }
    : subject;
}

/** The name of the object in messages. */
export function titleOf({ write }: LintSubject): string {
  const { kind, namespace, object } = write;
  // The API server has not generated the name yet, or there is none.
  const name = textOf(fieldAt(object, ['metadata', 'name'])) ?? '(not named yet)';
  return bearerOf(write) === 'namespace' ? `${kind} ${name}` : `${kind} ${objectKey(namespace, name)}`;
}

/** What the object is, if it is no workload and may say when restarts may begin. */
export function bearerOf({ group, kind }: Pick<WorkloadWrite, 'group' | 'kind'>): GateBearer | undefined {
  if (findSourceKind(group, kind)) return 'source';
  return group === '' && kind === 'Namespace' ? 'namespace' : undefined;
}

/** The annotations that ask for restarts. A finding is reported on one of them. */
export function requestingAnnotations({
  settings: { keys },
  metadata,
  template,
}: LintSubject): readonly PresentAnnotation[] {
  const typed = Object.values(typedKeysOf(keys));
  const asking = [
    ...[keys.auto, ...typed.map(({ auto }) => auto)].map((key) => [key, isOn] as const),
    ...typed.map(({ reload }) => [reload, listsSomething] as const),
    [keys.search, isTrue] as const,
  ];
  return asking.flatMap(([key, asks]) => {
    const values = [annotation(metadata, key), annotation(template, key)];
    return values.flatMap((value) => (value !== undefined && asks(value) ? [{ key, value }] : [])).slice(0, 1);
  });
}

const isOn = (value: string): boolean => parseGoBool(value) === true;
const listsSomething = (value: string): boolean => namesIn(value).length > 0;
const isTrue = (value: string): boolean => value === 'true';

/** Where the switches and lists for one kind of source are read from: the metadata, or else the pod template. */
export function annotationsFor({ settings: { keys }, metadata, template }: LintSubject, kind: SourceKind): Annotations {
  return effectiveKey(metadata, keys, typedKeysOf(keys)[kind]) === undefined ? template : metadata;
}

/** The kinds of sources that this install watches. */
export function watchedSourceKinds({ csi, selection }: LintSettings): readonly SourceKind[] {
  return sourceKinds.filter((kind) =>
    kind === 'SecretProviderClass' ? csi : !selection.ignoredSourceKinds.includes(kind),
  );
}

/** For messages. */
export function plural(kind: SourceKind): string {
  return kind === 'SecretProviderClass' ? 'SecretProviderClasses' : `${kind}s`;
}
