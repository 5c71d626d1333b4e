import type { AnnotationProblem } from '../annotations/annotation-problem';
import { annotation, gateAnnotations } from '../annotations/annotations';
import type { LocalWorkloadName } from '../gate-settings/restart-order';
import { waveOf } from '../gates/canary-order';
import { namedBefore } from '../gates/predecessors';
import { fieldAt, textOf } from '../kubernetes/json-value';
import { decide, type PolicySettings } from '../policy/policy';
import { sourceId, type SourceId } from '../sources/source';
import type { KnownSources, OtherWorkload } from './known-sources';
import type { WorkloadSubject } from './lint-subject';

/** Nobody names more, and each costs a look at another workload. */
const maxVisited = 200;

/** Each source that two of them may share is matched with the patterns of a workload. Beyond these, only names are followed. */
const maxCompared = 2_000;

/** What ends the circle. */
type Circle = Pick<AnnotationProblem, 'message' | 'fix'>;

const byName: Circle = {
  message: 'names itself, or one that in the end comes after it, and has no effect',
  fix: 'name only those that come before',
};
const byWave: Circle = {
  message: `leads to one of a higher ${gateAnnotations.wave}, which waits for it, and has no effect`,
  fix: 'change a wave, or name only those that come before',
};

/** A workload whose `reroll.dev/after` leads back to it: by names and owners, or to one that waits for its wave. */
export function* comesAfterItself(subject: WorkloadSubject, known: KnownSources): Generator<AnnotationProblem> {
  const { spec, metadata, kind, write } = subject;
  const name = textOf(fieldAt(write.object, ['metadata', 'name']));
  if (name === undefined || spec.gates?.after === undefined) return;
  const circle = circleOf({ kind: kind.kind, name }, subject, known);
  if (!circle) return;
  const key = gateAnnotations.after;
  yield { code: 'bad-order', key, value: annotation(metadata, key), ...circle };
}

function circleOf(
  self: LocalWorkloadName,
  { spec, settings }: WorkloadSubject,
  known: KnownSources,
): Circle | undefined {
  const visited = new Set<string>();
  // With the sources for which all on the way to it restart: in a wave, a workload waits for those of the same source.
  const sources = restartedBy(self, spec, settings.policy);
  const open = (spec.gates?.after ?? []).map((next) => ({ next, sources }));
  let [left, found]: [number, Circle | undefined] = [maxCompared, undefined];
  for (let each = open.pop(); each && visited.size < maxVisited; each = open.pop()) {
    const { next } = each;
    if (next.kind === self.kind && next.name === self.name) return byName;
    const id = `${next.kind}/${next.name}`;
    if (visited.has(id)) continue;
    visited.add(id);
    const other = known.workload?.(next);
    if (!other) continue;
    const among = new Set(each.sources.slice(0, left));
    left -= among.size;
    const shared = restartedBy(next, other, settings.policy, among);
    if (shared.length > 0 && waveOf({ record: other }) > waveOf({ record: spec })) found = byWave;
    open.push(...namedBefore(other).map((before) => ({ next: before, sources: shared })));
  }
  return found;
}

/** The sources that its template uses and that restart it, as far as its own annotations tell. `among`: only of these. */
function restartedBy(
  { kind }: LocalWorkloadName,
  { policy, references }: OtherWorkload,
  settings: PolicySettings,
  among?: ReadonlySet<SourceId>,
): readonly SourceId[] {
  const unannotated = { ignore: false, match: false };
  const asked = among ? references.filter((source) => among.has(sourceId(source))) : references;
  const restarting = asked.filter((source) => decide(policy, kind, { ...source, ...unannotated }, settings).restart);
  return restarting.map(sourceId);
}
