import type { AnnotationProblem } from '../annotations/annotation-problem';
import { annotation, gateAnnotations } from '../annotations/annotations';
import type { LocalWorkloadName } from '../gate-settings/restart-order';
import { fieldAt, textOf } from '../kubernetes/json-value';
import type { KnownSources } from './known-sources';
import type { WorkloadSubject } from './lint-subject';

/** Nobody names more, and each costs a look at another workload. */
const maxVisited = 200;

/** A workload that comes after itself: it names itself, or others that in the end name it. */
export function* comesAfterItself(subject: WorkloadSubject, known: KnownSources): Generator<AnnotationProblem> {
  const { spec, metadata, kind, write } = subject;
  const name = textOf(fieldAt(write.object, ['metadata', 'name']));
  const after = spec.gates?.after ?? [];
  if (name === undefined || after.length === 0 || !leadsTo({ kind: kind.kind, name }, after, known)) return;
  const key = gateAnnotations.after;
  const message = 'names itself, or one that in the end comes after it, and has no effect';
  yield { code: 'bad-order', key, value: annotation(metadata, key), message, fix: 'name only those that come before' };
}

function leadsTo(self: LocalWorkloadName, named: readonly LocalWorkloadName[], { namedBy }: KnownSources): boolean {
  const visited = new Set<string>();
  const open = [...named];
  for (let next = open.pop(); next && visited.size < maxVisited; next = open.pop()) {
    if (next.kind === self.kind && next.name === self.name) return true;
    const id = `${next.kind}/${next.name}`;
    if (visited.has(id)) continue;
    visited.add(id);
    open.push(...(namedBy?.(next) ?? []));
  }
  return false;
}
