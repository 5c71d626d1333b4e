import { arrayAt, objectAt, stringAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { baselineOf } from './baseline-text';
import type { Case } from './case';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { isRestart } from './judge-engine-writes';
import { isOfEngine, type Life } from './lives';
import { isLeftToNextRun, isNeverRun, strategyAnnotation } from './own-settings';
import { podTemplateOf } from './usage';

const annotationOf: Readonly<Record<string, string>> = {
  annotations: 'reloader.stakater.com/last-reloaded-from',
  'restarted-at': 'kubectl.kubernetes.io/restartedAt',
};

/** The markers of a restart, by strategy. */
function markersOf(object: KubeObject | undefined): ReadonlyMap<string, string> {
  const template = object === undefined ? {} : podTemplateOf(object);
  const annotations = objectAt(template, 'metadata', 'annotations');
  const containers = arrayAt(template, 'spec', 'containers').map((container) => objectAt(container));
  const variables = containers.flatMap((container) => arrayAt(container, 'env'));
  const ours = variables.filter((variable) => stringAt(variable, 'name')?.startsWith('STAKATER_'));
  return new Map([
    ['env-vars', JSON.stringify(ours)],
    ...Object.entries(annotationOf).map(([strategy, name]) => [strategy, JSON.stringify(annotations[name])] as const),
  ]);
}

/**
 * A workload with a strategy of its own must be restarted with that one. This is not judged if the annotation has
 * changed.
 */
export function checkStrategy({ name, writes }: Life): readonly Violation[] {
  const write = writes.at(-1);
  if (!write || !isOfEngine(write) || !isRestart(write)) return [];
  const asked = new Set(writes.slice(0, -1).map(({ object }) => object.metadata.annotations?.[strategyAnnotation]));
  const [strategy] = asked;
  if (asked.size !== 1 || strategy === undefined) return [];
  const [before, after] = [markersOf(write.previous), markersOf(write.object)];
  const used = [...after].filter(([each, marker]) => marker !== before.get(each)).map(([each]) => each);
  if (used.join() === strategy) return [];
  const sentence = `${name} asks for ${strategy} and was restarted by ${used.join(', ')} at revision ${write.revision}`;
  return [{ promise: 'foreign write', sentence }];
}

/** A Job or CronJob that waits for its next run, or is to be left alone, must not be run for a change. */
export function checkNotRun(opened: Case, life: Life): readonly Violation[] {
  const [born] = life.writes;
  if (born.kind.kind !== 'Job' || !isEngine(born.user) || life.writes.length > 1) return [];
  const owner = stringAt(objectAt(arrayAt(born.object, 'metadata', 'ownerReferences')[0]), 'uid');
  const formers = opened.lives.filter(({ name, writes }) =>
    owner === undefined ? name === life.name && writes !== life.writes : writes[0].object.metadata.uid === owner,
  );
  const former = formers.at(-1);
  if (!former?.writes.every(({ object }) => isLeftToNextRun(object) || isNeverRun(object))) return [];
  const sentence = `${former.name} was run at revision ${born.revision}, though it asks not to be run for changes`;
  return [{ promise: 'restart without reason', sentence }];
}

/** A Job or CronJob that must never be run is not recorded either. */
export function checkNeverRun({ name, writes }: Life): readonly Violation[] {
  const recorded = writes.find((write) => isEngine(write.user) && baselineOf(write.object));
  if (!recorded || !writes.every(({ object }) => isNeverRun(object))) return [];
  const sentence = `${name} is to be left alone and was recorded at revision ${recorded.revision}`;
  return [{ promise: 'foreign write', sentence }];
}
