import { AnnotationNames } from './annotation-names';
import type { AnnotationProblem } from './annotation-problem';
import type { AnnotationKeys, Annotations } from './annotations';
import { annotation, gateAnnotations, lastReloadedFrom, ownAnnotations } from './annotations';
import { budgets } from '../budgets';
import { parseGoBool } from '../text/go-bool';

const ownKeys = Object.values<string>({ ...ownAnnotations, ...gateAnnotations });

/**
 * Finds annotations of a workload that have no effect although their author expects one: unknown keys, keys in the
 * wrong place, values that switch nothing on. Returns at most `most` of them: annotations may hold thousands.
 */
export function reviewAnnotations(
  metadata: Annotations,
  template: Annotations,
  keys: AnnotationKeys,
  most: number,
): readonly AnnotationProblem[] {
  const found: AnnotationProblem[] = [];
  for (const problem of review(metadata, template, keys)) {
    if (found.length === most) break;
    found.push(problem);
  }
  return found;
}

function* review(metadata: Annotations, template: Annotations, keys: AnnotationKeys): Generator<AnnotationProblem> {
  yield* reviewPlace(metadata, template, keys);
  const names = AnnotationNames.of(keys);
  // Most templates have no annotations, and this runs for each event of a workload.
  const both = hasAnnotations(template) ? [metadata, template] : [metadata];
  for (const annotations of both) yield* reviewNames(annotations, names);
  for (const annotations of both) yield* reviewSwitches(annotations, keys);
}

function hasAnnotations(annotations: Annotations): boolean {
  return Object.keys(annotations).length > 0;
}

function* reviewPlace(
  metadata: Annotations,
  template: Annotations,
  keys: AnnotationKeys,
): Generator<AnnotationProblem> {
  // Only the changed source's own annotation counts; on a workload it looks as if it switched restarts off.
  const ignore = annotation(metadata, keys.ignore) ?? annotation(template, keys.ignore);
  if (ignore !== undefined) {
    const message = 'counts on a source only and has no effect on a workload';
    const fix = `to switch restarts off, remove what switches them on, or list sources in ${keys.configMapExclude}`;
    yield { code: 'wrong-place', key: keys.ignore, value: ignore, message, fix };
  }
  const marker = annotation(metadata, lastReloadedFrom);
  if (marker !== undefined) {
    const message = 'is what a restart writes on the pod template, and has no effect here';
    yield { code: 'wrong-place', key: lastReloadedFrom, value: marker, message, fix: 'remove it' };
  }
  if (!hasAnnotations(template)) return;
  const { configMapExclude, secretExclude, secretProviderClassExclude, rolloutStrategy, pausePeriod } = keys;
  const configured = [configMapExclude, secretExclude, secretProviderClassExclude, rolloutStrategy, pausePeriod];
  yield* metadataOnly(template, configured);
  yield* metadataOnly(template, ownKeys);
}

function* metadataOnly(template: Annotations, keys: readonly string[]): Generator<AnnotationProblem> {
  for (const key of keys) {
    const value = annotation(template, key);
    if (value === undefined) continue;
    const message = 'has no effect on a pod template';
    yield { code: 'wrong-place', key, value, message, fix: "move it to the workload's own metadata" };
  }
}

function* reviewNames(annotations: Annotations, names: AnnotationNames): Generator<AnnotationProblem> {
  for (const key of Object.keys(annotations).slice(0, budgets.reviewedAnnotations)) {
    const problem = unknownAnnotation(key, names);
    if (problem) yield problem;
  }
}

/** A key that looks like one of ours, and is none. */
export function unknownAnnotation(key: string, names: AnnotationNames): AnnotationProblem | undefined {
  const unknown = names.unknown(key);
  if (!unknown) return undefined;
  const fix =
    unknown.meant === undefined ? 'write one that is documented, or remove it' : `did you mean ${unknown.meant}?`;
  const message = 'is not known and has no effect';
  return { code: 'unknown-annotation', key, value: undefined, message, fix };
}

function* reviewSwitches(annotations: Annotations, keys: AnnotationKeys): Generator<AnnotationProblem> {
  for (const key of [keys.auto, keys.configMapAuto, keys.secretAuto, keys.secretProviderClassAuto]) {
    const value = annotation(annotations, key);
    if (value === undefined || value === '' || parseGoBool(value) !== undefined) continue;
    const message = 'is not a boolean and counts as "false"';
    yield { code: 'bad-boolean', key, value, message, fix: 'write "true" or "false"' };
  }
  const search = annotation(annotations, keys.search);
  if (search !== undefined && search !== 'true' && parseGoBool(search) !== false && search !== '') {
    const message = 'is not exactly "true" and has no effect';
    yield { code: 'bad-boolean', key: keys.search, value: search, message, fix: 'write "true"' };
  }
}
