import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { AnnotationKeys, Annotations } from '../annotations/annotations';
import { annotation, ownAnnotations } from '../annotations/annotations';
import { budgets, isLongerThan } from '../budgets';
import type { TemplateReferences } from '../sources/references';

/** The baseline in a workload's metadata. Reroll did not write one that is over its budget, so it is dropped. */
export function readBaselineText(metadata: Annotations): {
  readonly baselineText: string | undefined;
  readonly problems: readonly AnnotationProblem[];
} {
  const key = ownAnnotations.baseline;
  const baselineText = annotation(metadata, key);
  if (baselineText === undefined || !isLongerThan(baselineText, budgets.baselineBytes)) {
    return { baselineText, problems: [] };
  }
  const message = `has more than ${budgets.baselineBytes} bytes and is not read: Reroll rewrites it from the current state`;
  const problem = {
    code: 'over-budget',
    key,
    value: undefined,
    message,
    fix: 'let nobody but Reroll write it',
  } as const;
  return { baselineText: undefined, problems: [problem] };
}

/** Reports what a pod template uses beyond its budgets, on the switch that asks for all of it. */
export function* referenceProblems(
  { isCut, isCoarse }: TemplateReferences,
  metadata: Annotations,
  keys: Pick<AnnotationKeys, 'auto'>,
): Generator<AnnotationProblem> {
  const asking = { code: 'over-budget', key: keys.auto, value: annotation(metadata, keys.auto) } as const;
  if (isCut) {
    const message = `covers only the first ${budgets.references} sources of the pod template, which uses more`;
    yield { ...asking, message, fix: 'list the others by name, or use fewer' };
  }
  if (isCoarse) {
    const message = `distinguishes at most ${budgets.keysInUse} keys of the pod template: for some sources every key counts`;
    yield { ...asking, message, fix: 'use whole sources, by envFrom or by volumes' };
  }
}
