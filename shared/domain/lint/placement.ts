import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { AnnotationKeys } from '../annotations/annotations';
import { annotation, annotationsOf, ownAnnotations } from '../annotations/annotations';
import { fieldAt, objectOf } from '../kubernetes/json-value';
import { typedKeysOf } from '../policy/policy-annotations';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';
import type { WorkloadSubject } from './lint-subject';

/** Keys that users set to get restarts. */
function* userKeys(keys: AnnotationKeys): Generator<string> {
  for (const { auto, reload, exclude } of Object.values(typedKeysOf(keys))) yield* [auto, reload, exclude];
  yield* [keys.auto, keys.search, keys.match, keys.kind, keys.ignore, keys.pausePeriod, keys.rolloutStrategy];
}

/** Annotations that were written as labels. */
export function* writtenAsLabels({ write, kind, settings }: WorkloadSubject): Generator<AnnotationProblem> {
  const keys = [...userKeys(settings.keys)];
  const template = fieldAt(write.object, kind.templatePath);
  for (const where of [write.object, template]) {
    const labels = objectOf(fieldAt(where, ['metadata', 'labels']));
    for (const key of keys) {
      const value = annotation(labels, key);
      if (value === undefined) continue;
      const message = 'is written as a label and has no effect';
      yield { code: 'wrong-place', key, value, message, fix: 'write it under metadata.annotations' };
    }
  }
}

/** A CronJob has another template around its pod template, whose annotations are not read. */
export function* onJobTemplate({ write, kind, settings }: WorkloadSubject): Generator<AnnotationProblem> {
  if (kind.kind !== 'CronJob') return;
  const between = annotationsOf(fieldAt(write.object, ['spec', 'jobTemplate']));
  const known = [...userKeys(settings.keys), ...Object.values<string>(ownAnnotations)];
  for (const key of known) {
    const value = annotation(between, key);
    if (value === undefined) continue;
    const message = 'has no effect on a jobTemplate';
    yield { code: 'wrong-place', key, value, message, fix: "move it to the CronJob's own metadata" };
  }
}

/** Annotations that only one kind of workload supports; readPause checks those for pauses. */
export function* ofAnotherKind({ kind, metadata, settings }: WorkloadSubject): Generator<AnnotationProblem> {
  const onlyOn: readonly (readonly [key: string, kind: WorkloadKindName])[] = [
    [ownAnnotations.jobPolicy, 'Job'],
    [ownAnnotations.cronJobPolicy, 'CronJob'],
    [settings.keys.rolloutStrategy, 'Rollout'],
  ];
  for (const [key, only] of onlyOn) {
    const value = annotation(metadata, key);
    if (value === undefined || kind.kind === only) continue;
    yield { code: 'wrong-kind', key, value, message: `counts on a ${only} only`, fix: 'remove it' };
  }
}
