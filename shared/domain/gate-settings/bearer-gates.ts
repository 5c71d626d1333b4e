import { AnnotationNames } from '../annotations/annotation-names';
import { shortened, type AnnotationProblem } from '../annotations/annotation-problem';
import { unknownAnnotation } from '../annotations/annotation-review';
import {
  ownAnnotations,
  ownPrefix,
  sourceAnnotations,
  type AnnotationBearer,
  type AnnotationKeys,
  type Annotations,
} from '../annotations/annotations';
import { budgets } from '../budgets';
import { readGateSettings, type GateSettings } from './gate-settings';

/** What bears gate settings besides a workload. */
export type GateBearer = Exclude<AnnotationBearer, 'workload'>;

/** Kept as long as the object. Nobody makes more mistakes on one object. */
const maxKeptProblems = 5;

/**
 * What a source or a namespace says about restarts, with what is wrong with it; undefined: it says nothing. Without
 * `keys`, names are not checked: the decoder has left out all annotations that it does not know.
 */
export function readBearerGates(
  annotations: Annotations,
  bearer: GateBearer,
  keys?: AnnotationKeys,
): GateSettings | undefined {
  const { settings, problems } = readGateSettings(annotations, bearer);
  const names = keys ? [...misnamed(annotations, bearer, keys)] : [];
  const all = [...problems, ...names].slice(0, maxKeptProblems).map(shortened);
  return all.length === 0 ? settings : { ...settings, problems: all };
}

/** Annotations of a source or a namespace that do not do what their author expects. */
export function* bearerProblems(
  annotations: Annotations,
  bearer: GateBearer,
  keys: AnnotationKeys,
): Generator<AnnotationProblem> {
  yield* readGateSettings(annotations, bearer).problems;
  yield* misnamed(annotations, bearer, keys);
}

function* misnamed(annotations: Annotations, bearer: GateBearer, keys: AnnotationKeys): Generator<AnnotationProblem> {
  const names = AnnotationNames.of(keys, bearer);
  for (const key of Object.keys(annotations).slice(0, budgets.reviewedAnnotations)) {
    // Only our own annotations count on a namespace, so all others there are other people's.
    if (bearer === 'namespace' && !key.startsWith(ownPrefix)) continue;
    const problem = misplaced(key, names) ?? unknownAnnotation(key, names);
    if (problem) yield problem;
  }
}

const places = [
  { keys: Object.values<string>(ownAnnotations), counts: 'on a workload', where: 'the workload' },
  { keys: Object.values<string>(sourceAnnotations), counts: 'on a ConfigMap or Secret', where: 'the source' },
] as const;

/** An annotation of ours that counts on another object. Its value is not shown: a baseline has digests. */
function misplaced(key: string, names: AnnotationNames): AnnotationProblem | undefined {
  const place = names.isKnown(key) ? undefined : places.find(({ keys }) => keys.includes(key));
  if (!place) return undefined;
  const message = `counts ${place.counts} only and has no effect here`;
  return { code: 'wrong-place', key, value: undefined, message, fix: `move it to ${place.where}` };
}
