import { annotation } from '../../shared/domain/annotations/annotations';
import { fieldAt, listOf } from '../../shared/domain/kubernetes/json-value';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { annotationsFor } from '../../shared/domain/lint/lint-subject';
import { countsAllUsed } from '../../shared/domain/lint/overrides';
import { typedKeysOf } from '../../shared/domain/policy/policy-annotations';
import { sourceKinds, type LocalSourceRef, type SourceKind } from '../../shared/domain/sources/source';
import { namesIn } from '../../shared/domain/text/pattern';
import { pathOf, remove, write, type Advice, type Edit } from './advice';
import { isCovered, isPresent, type MigrationSubject } from './migration-subject';
import { enumerated, namesOf } from '../output/phrases';

/** The annotations of Wave (https://github.com/wave-k8s/wave), and what takes their place. */

const optIn = 'wave.pusher.com/update-on-config-change';
const extras = { ConfigMap: 'wave.pusher.com/extra-configmaps', Secret: 'wave.pusher.com/extra-secrets' } as const;
const configHash = 'wave.pusher.com/config-hash';
const schedulingDisabled = 'wave.pusher.com/scheduling-disabled';
const invalidScheduler = 'wave.pusher.com/invalid';
const finalizer = 'wave.pusher.com/finalizer';

const read = [optIn, extras.ConfigMap, extras.Secret];
const kindsOfSource = ['ConfigMap', 'Secret'] as const;
const kindsOfWave: readonly WorkloadKindName[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

/** Whether Wave restarts the workload. */
export function isRestartedByWave({ kind, metadata }: MigrationSubject): boolean {
  return kindsOfWave.includes(kind.kind) && annotation(metadata, optIn) === 'true';
}

/** The names in a list of Wave's: of sources in the workload's namespace, and in others. */
function extrasOf({ metadata, write: { namespace } }: MigrationSubject, kind: 'ConfigMap' | 'Secret') {
  const list = annotation(metadata, extras[kind]) ?? '';
  const elements = list.split(',').map((element) => element.trim().split('/'));
  const sources = elements
    .map((parts) => (parts.length === 1 ? [namespace, ...parts] : parts))
    .filter((parts) => parts.length === 2 && parts.every((part) => part !== ''));
  const isOwn = ([first]: readonly string[]): boolean => first === namespace;
  return {
    own: sources.filter(isOwn).map(([, name = '']) => name),
    foreign: sources.filter((parts) => !isOwn(parts)).map((parts) => parts.join('/')),
  };
}

/** A workload that Wave restarts. */
export function* waveOptIn(subject: MigrationSubject): Generator<Advice> {
  if (!isRestartedByWave(subject) || !isCovered(subject)) return;
  const { keys } = subject.settings;
  const isOn = kindsOfSource.every((kind) => countsAllUsed(subject, kind));
  const lists = sourceKinds.flatMap((kind) => listFor(subject, kind, isOn));
  const leftOut = sourcesLeftOut(subject);
  const hasHash = isPresent(subject, configHash);
  const listed = kindsOfSource.some((kind) => extrasOf(subject, kind).own.length > 0) ? ', or that it lists,' : '';
  yield {
    at: pathOf(subject, optIn),
    today: `Wave restarts it when a ConfigMap or Secret that it uses${listed} changes.`,
    here: `Reroll does not read Wave's annotations${isOn ? ', but restarts it for the sources that it uses' : ''}.${leftOut.length > 0 ? ` Other annotations leave out ${namesOf(leftOut)}.` : ''}`,
    fix: `Make these edits in one write, while Wave still runs: it then leaves the workload to Reroll.${hasHash ? ' The removal of the hash rolls the pods once.' : ''}`,
    edits: [...(isOn ? [] : [write(subject, keys.auto, 'true')]), ...lists, ...remove(subject, [...read, configHash])],
  };
}

/** The sources for which Wave restarts the workload, and which annotations of Reloader keep from that. */
function sourcesLeftOut(subject: MigrationSubject): readonly LocalSourceRef[] {
  return kindsOfSource.flatMap((kind) => {
    const { leftOut, excluded } = subject.spec.policy[kind];
    const used = subject.used.filter((source) => source.kind === kind).map(({ name }) => name);
    const names = [...new Set([...used, ...extrasOf(subject, kind).own])];
    return names.filter((name) => leftOut || excluded.has(name)).map((name) => ({ kind, name }));
  });
}

/** The list of Reloader's that covers an extra list of Wave's, and what a list on the pod template held before. */
function listFor(subject: MigrationSubject, kind: SourceKind, isOn: boolean): readonly Edit[] {
  const { reload } = typedKeysOf(subject.settings.keys)[kind];
  const effective = annotationsFor(subject, kind);
  const before = [...new Set(namesIn(annotation(effective, reload) ?? ''))];
  const wanted = [...new Set([...before, ...(kind === 'SecretProviderClass' ? [] : extrasOf(subject, kind).own)])];
  // A switch on the metadata hides the lists of the pod template.
  const isHidden = !isOn && effective === subject.template;
  if (wanted.length === (isHidden ? 0 : before.length)) return [];
  const place = isHidden || effective === subject.metadata ? 'metadata' : 'template';
  return [
    write(subject, reload, wanted.join(','), place),
    ...(isHidden ? remove(subject, [reload], ['template']) : []),
  ];
}

/** A source in another namespace, for which Wave restarts a workload. */
export function* waveOtherNamespace(subject: MigrationSubject): Generator<Advice> {
  if (!isRestartedByWave(subject) || !isCovered(subject)) return;
  for (const kind of kindsOfSource) {
    const { foreign } = extrasOf(subject, kind);
    if (foreign.length === 0) continue;
    yield {
      at: pathOf(subject, extras[kind]),
      today: `Wave restarts it when ${kind} ${enumerated(foreign)} changes.`,
      here: 'Reroll restarts it only for sources in its own namespace.',
      fix: `Copy the ${kind} to namespace ${subject.write.namespace}, and list the copy in ${typedKeysOf(subject.settings.keys)[kind].reload}.`,
      edits: [],
    };
  }
}

/** A workload whose pods Wave holds back until its sources are there. */
export function* waveScheduling(subject: MigrationSubject): Generator<Advice> {
  if (subject.podSpec['schedulerName'] !== invalidScheduler) return;
  const original = annotation(subject.metadata, schedulingDisabled);
  const under = [...subject.kind.templatePath, 'spec'];
  const scheduler = original === undefined || original === '' ? 'default-scheduler' : original;
  const line = `schedulerName: ${JSON.stringify(scheduler)}`;
  yield {
    at: [...under, 'schedulerName'],
    today: 'Wave keeps the pods Pending until every required source is there, and then restores their scheduler.',
    here: 'Reroll does not touch the scheduler: without Wave the pods stay Pending.',
    fix: 'Restore the scheduler before you stop Wave.',
    edits: [{ action: 'write', under, line }, ...remove(subject, [schedulingDisabled])],
  };
}

/** The finalizer of older versions of Wave, which also made the workload own its sources. */
export function* waveFinalizer(subject: MigrationSubject): Generator<Advice> {
  const under = ['metadata', 'finalizers'];
  if (!listOf(fieldAt(subject.write.object, under)).includes(finalizer)) return;
  yield {
    at: under,
    today:
      'Before the workload is deleted, Wave removes this finalizer, and its owner references from ConfigMaps and Secrets.',
    here: 'Nobody removes them. Without Wave, the workload cannot be deleted; without the finalizer, its ConfigMaps and Secrets are deleted with it.',
    fix: `While Wave still runs, remove ${optIn} and wait: Wave then removes both. Only then remove the finalizer from the manifest.`,
    edits: [{ action: 'remove', under, line: `- ${finalizer}` }],
  };
}

/** Annotations of Wave's that have no effect. */
export function* waveLeftover(subject: MigrationSubject): Generator<Advice> {
  if (isRestartedByWave(subject)) return;
  const left = [...read, configHash].filter((key) => isPresent(subject, key));
  const [first] = left;
  if (first === undefined) return;
  const restartsKind = kindsOfWave.includes(subject.kind.kind);
  const rolls = isPresent(subject, configHash) ? ' The removal of the hash rolls the pods once.' : '';
  const toRestart = `To restart the workload for the sources that it uses, write ${subject.settings.keys.auto}: "true".`;
  yield {
    at: pathOf(subject, first),
    today: restartsKind
      ? `Wave does not restart it: its own metadata does not have ${optIn}: "true".`
      : `Wave does not restart a ${subject.kind.kind}.`,
    here: "Reroll does not read Wave's annotations.",
    fix: `Remove them.${rolls}${subject.isRestarted || !isCovered(subject) ? '' : ` ${toRestart}`}`,
    edits: remove(subject, left),
  };
}
