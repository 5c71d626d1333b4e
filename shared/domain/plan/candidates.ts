import type { Baseline } from '../baseline/baseline';
import type { Reference } from '../sources/references';
import { sourceId, sourceKinds, type SourceId, type SourceKind, type SourceRef } from '../sources/source';
import type { SourceView } from './source-view';
import type { TrackedWorkload } from './tracked-workload';

/** A source that the workload uses or names. */
export interface Candidate extends SourceRef, Reference {}

/** Every source that a plan for the workload may depend on. */
export function candidates({
  workload,
  sources,
}: {
  readonly workload: Pick<TrackedWorkload, 'record' | 'baseline'>;
  readonly sources: Pick<SourceView, 'namesIn'>;
}): readonly Candidate[] {
  const { references, policy, namespace, firstContainer } = workload.record;
  const found = new Map<SourceId, Candidate>();
  for (const reference of references) found.set(sourceId(reference), { ...reference, namespace });
  const addNamed = (kind: SourceKind, name: string): void => {
    const id = sourceId({ kind, name });
    // A source that is named but not used by the template has no key references, so all of its keys count.
    if (!found.has(id)) found.set(id, { kind, namespace, name, keys: 'all', container: firstContainer });
  };
  for (const kind of sourceKinds) {
    const { named } = policy[kind];
    for (const name of named.literals) addNamed(kind, name);
    if (!named.hasPatterns) continue;
    for (const name of sources.namesIn(kind, namespace)) if (named.matches(name)) addNamed(kind, name);
    for (const name of recordedNames(workload.baseline, kind)) if (named.matches(name)) addNamed(kind, name);
  }
  return [...found.values()];
}

/** One source as a candidate of a workload; undefined if the workload neither uses nor names it. */
export function candidateOf(source: SourceRef, { record }: Pick<TrackedWorkload, 'record'>): Candidate | undefined {
  const { kind, namespace, name } = source;
  const reference = record.references.find((used) => used.kind === kind && used.name === name);
  if (reference) return { ...reference, namespace };
  const { named } = record.policy[kind];
  return named.matches(name) ? { kind, namespace, name, keys: 'all', container: record.firstContainer } : undefined;
}

function* recordedNames(baseline: Baseline | undefined, kind: SourceKind): Iterable<string> {
  const prefix = sourceId({ kind, name: '' });
  for (const id of baseline?.sources.keys() ?? []) if (id.startsWith(prefix)) yield id.slice(prefix.length);
}
