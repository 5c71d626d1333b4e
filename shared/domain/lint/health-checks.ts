import { withoutFlag, type AnnotationProblem } from '../annotations/annotation-problem';
import { annotation, gateAnnotations } from '../annotations/annotations';
import { checkFlags, isOfNamespace, notAskedOf } from '../gate-settings/health-check';
import type { WorkloadSubject } from './lint-subject';

/** A health check that asks a Service of another namespace. */
export function* foreignCheck({ spec, metadata, write }: WorkloadSubject): Generator<AnnotationProblem> {
  const url = spec.gates?.healthyUrl;
  if (!url || url === 'unreadable' || isOfNamespace(url, write.namespace)) return;
  const key = gateAnnotations.healthyUrl;
  const message = 'names a Service of another namespace, so the check never passes';
  yield { code: 'bad-check', key, value: annotation(metadata, key), message, fix: 'name one of its own' };
}

/** A health check that the install does not ask. */
export function* checkNotAsked({ spec, metadata, settings }: WorkloadSubject): Generator<AnnotationProblem> {
  if (!settings.askedChecks) return;
  for (const name of notAskedOf(spec.gates, settings.askedChecks)) {
    const key = gateAnnotations[name];
    yield withoutFlag(key, annotation(metadata, key), checkFlags[name]);
  }
}
