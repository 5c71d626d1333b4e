import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { AnnotationKeys, Annotations } from '../annotations/annotations';
import { annotation } from '../annotations/annotations';
import { fieldAt, textOf } from '../kubernetes/json-value';

/**
 * How an Argo Rollout is restarted: with a changed template by its update strategy, or pod by pod with the same
 * template.
 */
export type RolloutStrategy = 'rollout' | 'restart';

/** The settings that only an Argo Rollout has. */
export interface RolloutSpec {
  readonly strategy: RolloutStrategy;
  /** The object in the Rollout's namespace whose pod template it uses instead of its own. */
  readonly workloadRef: { readonly kind: string; readonly name: string } | undefined;
}

/**
 * Reads an Argo Rollout. As in Reloader, anything but exactly `restart` means `rollout`; an invalid value is reported.
 */
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
