import { annotation, lastReloadedFrom } from '../../shared/domain/annotations/annotations';
import { listOf, objectOf, textOf, type JsonObject } from '../../shared/domain/kubernetes/json-value';
import { typedKeysOf } from '../../shared/domain/policy/policy-annotations';
import { references, type Reference } from '../../shared/domain/sources/references';
import { sourceId, sourceKinds, type SourceId } from '../../shared/domain/sources/source';
import { namesIn } from '../../shared/domain/text/pattern';
import { annotationsPath, pathOf, remove, write, type Advice, type Edit } from './advice';
import { askingKey, restartingSources, type MigrationSubject } from './migration-subject';
import { enumerated, namesOf } from '../output/phrases';

/** Differences in which sources a pod template uses, and in what a restart leaves on it. */

/** A source of which the template uses single keys. */
export function* singleKeys(subject: MigrationSubject): Generator<Advice> {
  const restarting = restartingSources(subject).map(({ source }) => source);
  const inPart = restarting.flatMap(({ kind, name, keys }) =>
    keys === 'all' ? [] : [`${kind} ${name} (${enumerated(keys)})`],
  );
  if (inPart.length === 0) return;
  yield {
    at: pathOf(subject, askingKey(subject) ?? ''),
    today: 'Reloader restarts it for a change of any key of the sources that it uses.',
    here: `Only the keys that its pods use count: ${enumerated(inPart)}.`,
    fix: 'Write nothing if the pods do not need the other keys. If they do, use the whole source: envFrom, or a volume without items and subPath.',
    edits: [],
  };
}

/** A source in several volumes, of which the first is not mounted. */
export function* secondVolume(subject: MigrationSubject): Generator<Advice> {
  // Reloader restarts for a source that is listed by name, used or not.
  const asUsed = restartingSources(subject).filter(({ because }) => because !== 'named');
  const isUnseen = unseenByReloader(subject.podSpec);
  const unseen = asUsed.map(({ source }) => source).filter(isUnseen);
  if (unseen.length === 0) return;
  yield {
    at: pathOf(subject, askingKey(subject) ?? ''),
    today: `Reloader looks only at the first volume of a source. No container mounts the first volume of ${namesOf(unseen)}, so a change restarts nothing.`,
    here: 'Reroll counts every volume that is mounted: a change restarts the workload.',
    fix: 'To keep what it does today, exclude the source.',
    edits: exclusions(subject, unseen),
  };
}

/** Whether no container mounts the first volume of a source, or has the source in its environment. */
function unseenByReloader(podSpec: JsonObject): (source: Reference) => boolean {
  const inEnvironment = new Set(references({ ...podSpec, volumes: [] }).map(sourceId));
  const mounts = containersOf(podSpec).flatMap(({ volumeMounts }) => listOf(volumeMounts).map(objectOf));
  const mounted = new Set(mounts.map(({ name }) => name));
  const firstVolumes = new Map<SourceId, unknown>();
  for (const { name, ...volume } of listOf(podSpec['volumes']).map(objectOf)) {
    for (const id of references(mountedAlone(volume)).map(sourceId)) {
      if (!firstVolumes.has(id)) firstVolumes.set(id, name);
    }
  }
  return (source) => !inEnvironment.has(sourceId(source)) && !mounted.has(firstVolumes.get(sourceId(source)));
}

function mountedAlone(volume: JsonObject): JsonObject {
  const name = 'any';
  return { volumes: [{ ...volume, name }], containers: [{ name, volumeMounts: [{ name }] }] };
}

function containersOf(podSpec: JsonObject): readonly JsonObject[] {
  return ['containers', 'initContainers'].flatMap((field) => listOf(podSpec[field]).map(objectOf));
}

function exclusions(subject: MigrationSubject, sources: readonly Reference[]): readonly Edit[] {
  return sourceKinds.flatMap((kind) => {
    const names = sources.filter((source) => source.kind === kind).map(({ name }) => name);
    if (names.length === 0) return [];
    const { exclude } = typedKeysOf(subject.settings.keys)[kind];
    const all = new Set([...namesIn(annotation(subject.metadata, exclude) ?? ''), ...names]);
    return [write(subject, exclude, [...all].join(','))];
  });
}

const markerVariable = /^STAKATER_\w*_(?:CONFIGMAP|SECRET|SECRETPROVIDERCLASS)$/;
/** SHA-1 in hexadecimal. What Reroll writes looks different. */
const reloaderHash = /(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])/;

/** A manifest that was copied from a cluster, with what a restart by Reloader had left there. */
export function* marker(subject: MigrationSubject): Generator<Advice> {
  const { isRestarted, kind } = subject;
  // A new template replaces no pods of a Job or CronJob.
  if (!isRestarted || kind.apply === 'recreate' || kind.apply === 'create-job') return;
  const isHash = (value: unknown): boolean => reloaderHash.test(textOf(value) ?? '');
  const variables = containersOf(subject.podSpec)
    .flatMap(({ env }) => listOf(env).map(objectOf))
    .filter(({ value }) => isHash(value))
    .map(({ name }) => textOf(name) ?? '')
    .filter((name) => markerVariable.test(name));
  const hasAnnotation = isHash(annotation(subject.template, lastReloadedFrom));
  if (variables.length === 0 && !hasAnnotation) return;
  const left = [
    ...(variables.length === 0 ? [] : [`the variable ${enumerated([...new Set(variables)])}`]),
    ...(hasAnnotation ? ['the annotation'] : []),
  ];
  yield {
    at: hasAnnotation
      ? [...annotationsPath(subject, 'template'), lastReloadedFrom]
      : [...kind.templatePath, 'spec', 'containers'],
    today:
      'The manifest holds what an earlier restart by Reloader wrote: a plain hash, with which the content can be guessed. After the next restart, an apply of this manifest puts it back, which rolls the pods.',
    here: 'What Reroll writes tells nothing of the content. The manifest still holds the hash.',
    fix: `Remove ${enumerated(left)} from the manifest. This rolls the pods once.`,
    edits: hasAnnotation ? remove(subject, [lastReloadedFrom], ['template']) : [],
  };
}
