import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { AnnotationKeys, Annotations } from '../annotations/annotations';
import { annotation, ownAnnotations } from '../annotations/annotations';
import { budgets, isLongerThan } from '../budgets';
import type { TemplateReferences } from '../sources/references';

/** The baseline in a workload's metadata. One that is over its budget was not written by Reroll, and is not kept. */
export function readBaselineText(metadata: Annotations): {
  readonly baselineText: string | undefined;
  readonly problems: readonly AnnotationProblem[];
} {
  const key = ownAnnotations.baseline;
  const baselineText = annotation(metadata, key);
  if (baselineText === undefined || !isLongerThan(baselineText, budgets.baselineBytes)) {
    return { baselineText, problems: [] };
  }
  const message = `has more than ${budgets.baselineBytes} bytes and is not read: it is written anew from today's state`;
  const problem = {
    code: 'over-budget',
    key,
    value: undefined,
    message,
    fix: 'let nobody but Reroll write it',
  } as const;
  return { baselineText: undefined, problems: [problem] };
}

/** What a pod template uses beyond its budgets, told of the switch that asks for all of it. */
export function* referenceProblems(
  { isCut, isCoarse }: TemplateReferences,
  metadata: Annotations,
  keys: Pick<AnnotationKeys, 'auto'>,
): Generator<AnnotationProblem> {
  const asking = { code: 'over-budget', key: keys.auto, value: annotation(metadata, keys.auto) } as const;
  if (isCut) {
    const message = `follows the first ${budgets.references} sources of the pod template alone, which uses more`;
    yield { ...asking, message, fix: 'list the others by name, or use fewer' };
  }
  if (isCoarse) {
    const message = `tells no more than ${budgets.keysInUse} keys of the pod template apart: of some sources every key counts`;
    yield { ...asking, message, fix: 'use whole sources, by envFrom or by volumes' };
  }
}
