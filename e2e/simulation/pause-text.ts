import { objectAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { isEngine } from './engine-user';
import { templateOf } from './usage';

export const periodAnnotation = 'deployment.reloader.stakater.com/pause-period';
export const pausedAtAnnotation = 'deployment.reloader.stakater.com/paused-at';

/** What an object says of pauses, as the judge reads it. */
export interface WrittenPause {
  readonly paused: boolean;
  /** Undefined where none is asked for. */
  readonly periodMs: number | undefined;
  /** The note of who holds it; undefined: nobody but a person does. */
  readonly pausedAt: string | undefined;
}

/** Simulated users write whole seconds, or what is not a duration. */
export function pauseOf(object: KubeObject): WrittenPause {
  const { annotations = {} } = object.metadata;
  const [, seconds] = /^(\d+)s$/.exec(annotations[periodAnnotation] ?? '') ?? [];
  return {
    paused: objectAt(object, 'spec')['paused'] === true,
    periodMs: seconds === undefined || object.kind !== 'Deployment' ? undefined : Number(seconds) * 1000,
    pausedAt: annotations[pausedAtAnnotation],
  };
}

/** The end of a pause: an engine's write that is no restart and no record. */
export function endsPause({ user, previous, object, type }: WriteRecord): boolean {
  if (!isEngine(user) || previous === undefined || type === 'DELETED') return false;
  const ends = pauseOf(previous).pausedAt !== undefined && pauseOf(object).pausedAt === undefined;
  return ends && templateOf(previous) === templateOf(object);
}
