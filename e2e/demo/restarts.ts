import { objectAt, sameJson, stringAt } from '../apiserver/json';
import { controllerOf, type KubeObject } from '../apiserver/objects';
import { eventKind } from '../apiserver/resources';
import type { WriteRecord } from '../apiserver/store';

/** One restart, from the API server's own history. */
export interface SeenRestart {
  /** Such as `Deployment web`. */
  readonly workload: string;
  readonly atMs: number;
}

const rolled: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

/**
 * The restarts that `user` made: changes of a pod template, and creations of a Job.
 *
 * Uses only what was stored, and nothing that the reconciler reports about itself.
 */
export function restartsIn(history: readonly WriteRecord[], user: string): readonly SeenRestart[] {
  return history.flatMap((write) => {
    const workload = write.user === user ? restartedBy(write) : undefined;
    return workload === undefined ? [] : [{ workload, atMs: write.atMs }];
  });
}

function restartedBy({ type, kind, object, previous }: WriteRecord): string | undefined {
  const name = `${kind.kind} ${object.metadata.name}`;
  if (type === 'ADDED' && kind.kind === 'Job') {
    const owner = controllerOf(object);
    return owner?.kind === 'CronJob' ? `CronJob ${owner.name}` : name;
  }
  if (type !== 'MODIFIED' || !rolled.includes(kind.kind)) return undefined;
  const [before, after] = [previous, object].map((state) => objectAt(state, 'spec', 'template'));
  return sameJson(before, after) ? undefined : name;
}

/** The workload of each Event about a restart that `user` wrote, sorted by name. */
export function restartEventsIn(history: readonly WriteRecord[], user: string): readonly string[] {
  return eventsIn(history, user)
    .map((event) => ['kind', 'name'].map((field) => stringAt(event, 'involvedObject', field)).join(' '))
    .sort();
}

/** The messages of these Events. */
export function restartEventTextsIn(history: readonly WriteRecord[], user: string): readonly string[] {
  return eventsIn(history, user).map((event) => stringAt(event, 'message') ?? '');
}

function eventsIn(history: readonly WriteRecord[], user: string): readonly KubeObject[] {
  return history
    .filter((write) => write.user === user && write.type === 'ADDED' && write.kind === eventKind)
    .map(({ object }) => object)
    .filter((object) => object['reason'] === 'Reloaded');
}

/** The workload of each restart, sorted by name. */
export function workloadsOf(restarts: readonly SeenRestart[]): readonly string[] {
  return restarts.map(({ workload }) => workload).sort();
}
