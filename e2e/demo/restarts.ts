import { objectAt, sameJson, stringAt } from '../apiserver/json';
import { controllerOf, type KubeObject } from '../apiserver/objects';
import { eventKind } from '../apiserver/resources';
import type { WriteRecord } from '../apiserver/store';

/** One restart, as the API server's own history tells it. */
export interface SeenRestart {
  /** `Deployment web` */
  readonly workload: string;
  readonly atMs: number;
}

const rolled: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

/**
 * The restarts that `user` brought about: a pod template that became another one, a Job that was created.
 *
 * Judges by what was stored and by nothing that the reconciler says of itself.
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

/** The workloads that `user` wrote an Event about a restart on, in order of name, one for each Event. */
export function restartEventsIn(history: readonly WriteRecord[], user: string): readonly string[] {
  return eventsIn(history, user)
    .map((event) => ['kind', 'name'].map((field) => stringAt(event, 'involvedObject', field)).join(' '))
    .sort();
}

/** What these Events say. */
export function restartEventTextsIn(history: readonly WriteRecord[], user: string): readonly string[] {
  return eventsIn(history, user).map((event) => stringAt(event, 'message') ?? '');
}

function eventsIn(history: readonly WriteRecord[], user: string): readonly KubeObject[] {
  return history
    .filter((write) => write.user === user && write.type === 'ADDED' && write.kind === eventKind)
    .map(({ object }) => object)
    .filter((object) => object['reason'] === 'Reloaded');
}

/** Names in order, one for each restart. */
export function workloadsOf(restarts: readonly SeenRestart[]): readonly string[] {
  return restarts.map(({ workload }) => workload).sort();
}
