import { objectAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { isEngine } from './engine-user';
import { templateOf } from './usage';

export const periodAnnotation = 'deployment.reloader.stakater.com/pause-period';
export const pausedAtAnnotation = 'deployment.reloader.stakater.com/paused-at';

/** What an object says about pauses, as the judge reads it. */
export interface WrittenPause {
  readonly paused: boolean;
  /** Undefined if no pause is requested. */
  readonly periodMs: number | undefined;
  /** Since when an engine holds it paused; undefined: only a person may have paused it. */
  readonly pausedAt: string | undefined;
}

/** Simulated users write whole seconds, or text that is not a duration. */
export function pauseOf(object: KubeObject): WrittenPause {
  const { annotations = {} } = object.metadata;
  const [, seconds] = /^(\d+)s$/.exec(annotations[periodAnnotation] ?? '') ?? [];
  return {
    paused: objectAt(object, 'spec')['paused'] === true,
    periodMs: seconds === undefined || object.kind !== 'Deployment' ? undefined : Number(seconds) * 1000,
    pausedAt: annotations[pausedAtAnnotation],
  };
}

/** Whether the write ends a pause: an engine's write that is neither a restart nor a record. */
export function endsPause({ user, previous, object, type }: WriteRecord): boolean {
  if (!isEngine(user) || previous === undefined || type === 'DELETED') return false;
  const ends = pauseOf(previous).pausedAt !== undefined && pauseOf(object).pausedAt === undefined;
  return ends && templateOf(previous) === templateOf(object);
}
