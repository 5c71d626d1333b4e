import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { AnnotationKeys, Annotations } from '../annotations/annotations';
import { annotation } from '../annotations/annotations';
import { fieldAt, textOf } from '../kubernetes/json-value';

/** How an Argo Rollout is restarted: by its update strategy with a changed template, or pod by pod with the same one. */
export type RolloutStrategy = 'rollout' | 'restart';

/** What an Argo Rollout has beyond other workloads. */
export interface RolloutSpec {
  readonly strategy: RolloutStrategy;
  /** The object in the Rollout's namespace whose pod template it takes instead of one of its own. */
  readonly workloadRef: { readonly kind: string; readonly name: string } | undefined;
}

/** Reads an Argo Rollout. As in Reloader, whatever is not exactly `restart` means `rollout`; what else it says is a problem. */
export function readRollout(
  object: unknown,
  metadata: Annotations,
  keys: Pick<AnnotationKeys, 'rolloutStrategy'>,
): { readonly rollout: RolloutSpec; readonly problems: readonly AnnotationProblem[] } {
  const key = keys.rolloutStrategy;
  const value = annotation(metadata, key) ?? 'rollout';
  const strategy = value === 'restart' ? 'restart' : 'rollout';
  const message = 'is not a choice and counts as "rollout"';
  const problem: AnnotationProblem = { code: 'bad-choice', key, value, message, fix: 'use rollout or restart' };
  const kind = textOf(fieldAt(object, ['spec', 'workloadRef', 'kind']));
  const name = textOf(fieldAt(object, ['spec', 'workloadRef', 'name']));
  return {
    rollout: { strategy, workloadRef: kind === undefined || name === undefined ? undefined : { kind, name } },
    problems: value === strategy ? [] : [problem],
  };
}
