import { annotation } from '../../shared/domain/annotations/annotations';
import { fieldAt, textOf, type JsonObject, objectOf } from '../../shared/domain/kubernetes/json-value';
import { objectKey } from '../../shared/domain/kubernetes/object-key';
import {
  readLintSubject,
  requestingAnnotations,
  watchedSourceKinds,
  type WorkloadSubject,
} from '../../shared/domain/lint/lint-subject';
import { decide, optedIn, type DecisionReason } from '../../shared/domain/policy/policy';
import { references, type Reference } from '../../shared/domain/sources/references';
import type { ManifestSources } from '../manifests/manifest-sources';
import type { FoundObject } from '../manifests/manifests';
import type { MigrationSettings } from './migrate-options';
import type { RolloutRefs } from './rollout-refs';

/** What is known of the sources that workloads use. */
export type MigrationSources = Pick<ManifestSources, 'has' | 'flagsOf'>;

/** A workload, with what the other objects say about it. */
export interface MigrationSubject extends WorkloadSubject {
  readonly settings: MigrationSettings;
  readonly podSpec: JsonObject;
  /** The sources that its pod template uses and the install watches, whether it asks for restarts or not. */
  readonly used: readonly Reference[];
  /** Whether it asks for restarts, and Reroll does not leave it to its CronJob. */
  readonly isRestarted: boolean;
  readonly sources: MigrationSources;
  /** The Rollout among the manifests that uses its pod template. */
  readonly referringRollout: string | undefined;
}

/** Undefined for an object that is no workload. */
export function readMigrationSubject(
  manifest: FoundObject,
  settings: MigrationSettings,
  sources: MigrationSources,
  rolloutRefs: RolloutRefs,
): MigrationSubject | undefined {
  const subject = readLintSubject(manifest, settings);
  if (!('spec' in subject)) return undefined;
  const podSpec = objectOf(fieldAt(manifest.object, [...subject.kind.templatePath, 'spec']));
  const watched = watchedSourceKinds(settings);
  const name = textOf(fieldAt(manifest.object, ['metadata', 'name'])) ?? '';
  const isAsked = isCovered(subject) && optedIn(subject.spec.policy, settings.policy);
  return {
    ...subject,
    settings,
    podSpec,
    used: references(podSpec).filter(({ kind }) => watched.includes(kind)),
    isRestarted: isAsked && !isOfCronJob(subject),
    sources,
    referringRollout:
      subject.kind.kind === 'Deployment' ? rolloutRefs.get(objectKey(manifest.namespace, name)) : undefined,
  };
}

/** Whether the flags of the install leave a workload's kind and namespace in. */
export function isCovered({ kind, write: { namespace }, settings }: WorkloadSubject): boolean {
  const { namespaces, namespacesToIgnore } = settings.selection;
  const isWatched = namespaces.length === 0 || namespaces.includes(namespace);
  const isIgnored = settings.policy.ignoredWorkloadKinds.includes(kind.kind);
  return isWatched && !namespacesToIgnore.includes(namespace) && !isIgnored;
}

/** Whether a CronJob has made the Job. */
export function isOfCronJob({ kind, spec }: WorkloadSubject): boolean {
  return kind.kind === 'Job' && spec.controlledBy?.kind === 'CronJob';
}

/** Whether Reloader can restart the workload, if it is asked to. */
export function isKnownToReloader({ kind, spec }: WorkloadSubject): boolean {
  return kind.kind !== 'DeploymentConfig' && spec.rollout?.workloadRef === undefined;
}

/**
 * The sources that the pod template uses and whose changes restart the workload, with the reason. Reloader and Reroll
 * decide alike.
 */
export function restartingSources(
  subject: MigrationSubject,
): readonly { readonly source: Reference; readonly because: DecisionReason }[] {
  if (!subject.isRestarted || !isKnownToReloader(subject)) return [];
  const { spec, kind, settings, sources, write } = subject;
  return subject.used.flatMap((source) => {
    const flags = sources.flagsOf({ ...source, namespace: write.namespace }) ?? { ignore: false, match: false };
    const { kind: sourceKind, name } = source;
    const decision = decide(spec.policy, kind.kind, { kind: sourceKind, name, ...flags }, settings.policy);
    return decision.restart ? [{ source, because: decision.because }] : [];
  });
}

/** The first annotation that asks for restarts; undefined if only a flag does. */
export function askingKey(subject: WorkloadSubject): string | undefined {
  return requestingAnnotations(subject)[0]?.key;
}

/** Whether an annotation is on the metadata or the pod template. */
export function isPresent({ metadata, template }: WorkloadSubject, key: string): boolean {
  return annotation(metadata, key) !== undefined || annotation(template, key) !== undefined;
}
