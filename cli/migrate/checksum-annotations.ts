import { AnnotationNames } from '../../shared/domain/annotations/annotation-names';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { typedKeysOf } from '../../shared/domain/policy/policy-annotations';
import { references, type Reference } from '../../shared/domain/sources/references';
import { sourceKinds } from '../../shared/domain/sources/source';
import { annotationsPath, remove, write, type Advice } from './advice';
import { isCovered, restartingSources, type MigrationSubject } from './migration-subject';
import { namesOf } from '../output/phrases';
import { isRestartedByWave } from './wave-annotations';

/** Hashes of configuration in pod templates, as charts render them: a new hash rolls the pods. */

/** A change of their template replaces their pods. */
const rolledKinds: readonly WorkloadKindName[] = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Rollout',
  'DeploymentConfig',
];

const checksumKey = /^checksum\/|(?:^|[/._-])(?:config|configmap|secret)s?[._-]?(?:hash|checksum|sha256|sha1|md5)$/i;
/** SHA-256 in hexadecimal; charts cut it to the length of a label. */
const sha256 = /^[0-9a-f]{63,64}$/i;

/** The keys of the checksums on the pod template. */
function checksumsOf({ kind, template, settings }: MigrationSubject): readonly string[] {
  if (!rolledKinds.includes(kind.kind)) return [];
  const names = AnnotationNames.of(settings.keys);
  return Object.entries(template)
    .filter(([key, value]) => checksumKey.test(key) || (typeof value === 'string' && sha256.test(value)))
    .map(([key]) => key)
    .filter((key) => !names.isKnown(key) && !key.startsWith('wave.pusher.com/'));
}

/** The sources that restart the workload, now or when Wave's annotations are replaced. */
function restarting(subject: MigrationSubject): readonly Reference[] {
  if (!isRestartedByWave(subject)) return restartingSources(subject).map(({ source }) => source);
  // Without Wave, only the checksum is left there.
  if (!isCovered(subject)) return [];
  return subject.used.filter(({ kind, name }) => {
    const { leftOut, excluded } = subject.spec.policy[kind];
    return kind !== 'SecretProviderClass' && !leftOut && !excluded.has(name);
  });
}

/** The sources that the pods use of the kind that the install does not watch. */
function ignoredSources({ podSpec, settings }: MigrationSubject): readonly Reference[] {
  return references(podSpec).filter(({ kind }) => settings.selection.ignoredSourceKinds.includes(kind));
}

/** A checksum beside annotations that restart the workload for the same sources. */
export function* checksumAndRestarts(subject: MigrationSubject): Generator<Advice> {
  const checksums = checksumsOf(subject);
  const restarts = restarting(subject);
  const [first] = checksums;
  if (first === undefined || restarts.length === 0 || isReplacedByHand(subject)) return;
  const uncovered = [...subject.used.filter((source) => !restarts.includes(source)), ...ignoredSources(subject)];
  const tool = isRestartedByWave(subject) ? 'Wave' : 'Reloader';
  yield {
    at: [...annotationsPath(subject, 'template'), first],
    today: `If a release changes a source that both cover, the checksum rolls the pods, and ${tool} restarts them once more.`,
    here: isCoalesced(subject)
      ? 'Reroll counts the rollout by the checksum as its restart, if it begins within the settle window: the pods roll once.'
      : 'Reroll restarts them once more too: it cannot count a rollout of this workload as its restart.',
    fix:
      uncovered.length === 0
        ? 'Keep the restarts: they cover every source that the pods use, whoever changes it. Remove the checksum if it covers nothing else. The removal rolls the pods once.'
        : `Keep both: of the sources that the pods use, only the checksum can cover ${namesOf(uncovered)}.`,
    edits: uncovered.length === 0 ? remove(subject, checksums, ['template']) : [],
  };
}

/** Whether a new template waits until somebody resumes the workload or deletes its pods, so that two roll them once. */
function isReplacedByHand({ kind, write: { object } }: MigrationSubject): boolean {
  if (kind.kind === 'Deployment') return fieldAt(object, ['spec', 'paused']) === true;
  return fieldAt(object, ['spec', 'updateStrategy', 'type']) === 'OnDelete';
}

/** Whether a rollout by a release counts as a restart: Reroll must be able to see that it reaches every pod. */
function isCoalesced({ kind, write: { object }, referringRollout }: MigrationSubject): boolean {
  if (kind.kind === 'Deployment') return referringRollout === undefined;
  if (kind.kind !== 'StatefulSet' && kind.kind !== 'DaemonSet') return false;
  const partition = fieldAt(object, ['spec', 'updateStrategy', 'rollingUpdate', 'partition']);
  return partition === undefined || partition === 0;
}

/** A checksum on a workload that nothing restarts, and that uses sources which are not among the manifests. */
export function* checksumAlone(subject: MigrationSubject): Generator<Advice> {
  const [first] = checksumsOf(subject);
  const { spec, sources, settings, write: review } = subject;
  if (first === undefined || subject.isRestarted || !isCovered(subject) || isRestartedByWave(subject)) return;
  if (sourceKinds.some((kind) => spec.policy[kind].auto === 'off')) return;
  const { namespace } = review;
  const others = subject.used.filter(({ kind, name }) => {
    const { leftOut, excluded } = spec.policy[kind];
    const isRendered = kind === 'SecretProviderClass' || sources.has({ kind, namespace, name });
    return !isRendered && !leftOut && !excluded.has(name);
  });
  const edits = sourceKinds.flatMap((kind) => {
    const names = others.filter((source) => source.kind === kind);
    if (names.length === 0) return [];
    return [write(subject, typedKeysOf(settings.keys)[kind].reload, names.map(({ name }) => name).join(','))];
  });
  if (edits.length === 0) return;
  yield {
    at: [...annotationsPath(subject, 'template'), first],
    today: `The checksum rolls the pods when a release changes what it renders. Nothing rolls them when somebody changes what is not among these manifests: ${namesOf(others)}.`,
    here: 'The same: without an annotation, Reroll does not restart the workload.',
    fix: 'Keep the checksum for what the release renders. List what others write, such as cert-manager or External Secrets.',
    edits,
  };
}
