import type { AnnotationProblem } from '../annotations/annotation-problem';
import { annotation, gateAnnotations } from '../annotations/annotations';
import { fieldAt, textOf } from '../kubernetes/json-value';
import type { KnownSources } from './known-sources';
import type { WorkloadSubject } from './lint-subject';

/** A workload that is to go first of all users of a source, as another one is. */
export function* severalCanaries(subject: WorkloadSubject, known: KnownSources): Generator<AnnotationProblem> {
  const { spec, metadata, kind, write } = subject;
  const name = textOf(fieldAt(write.object, ['metadata', 'name']));
  if (name === undefined || spec.gates?.isCanary !== true) return;
  const shared = spec.references.find((source) => known.hasOtherCanary?.(source, { kind: kind.kind, name }));
  if (!shared) return;
  const key = gateAnnotations.canary;
  const message = `is not alone: another user of ${shared.kind} ${shared.name} is its canary, too, and only one of them goes first`;
  yield { code: 'bad-order', key, value: annotation(metadata, key), message, fix: 'remove it from one of them' };
}
