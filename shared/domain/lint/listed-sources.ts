import type { AnnotationProblem } from '../annotation-problem';
import { annotation } from '../annotations';
import { namesIn, parseNamedList } from '../pattern';
import type { PolicySource } from '../policy';
import { typedKeysOf } from '../policy-annotations';
import type { SourceKind } from '../source';
import { sourceId, sourceKinds } from '../source';
import type { KnownSources, SourceQuestion } from './known-sources';
import type { WorkloadSubject } from './lint-subject';
import { annotationsFor, plural, watchedSourceKinds } from './lint-subject';

/** Nobody reads more, and each pattern is tried on every name of a namespace. */
const maxElements = 20;
/** Tries of patterns on names for one workload: a few milliseconds. */
const maxTries = 2_000;

const halfOfRepetition = /\{\d*$|^\d*\}/;

/** What there is to know about a subject; undefined where nothing of it depends on what exists. */
export function sourceQuestion(subject: WorkloadSubject): SourceQuestion | undefined {
  const { policy } = subject.spec;
  const kinds = watchedSourceKinds(subject.settings);
  const asks = kinds.some((kind) => policy[kind].search || !policy[kind].named.isEmpty);
  if (!asks && subject.settings.selection.namespaceSelector.isEverything) return undefined;
  const listed = kinds.flatMap((kind) =>
    policy[kind].named.literals.slice(0, maxElements).map((name) => sourceId(kind, name)),
  );
  return { namespace: subject.write.namespace, listed };
}

/** Elements of lists that match no source, or none that counts. */
export function* listedSources(subject: WorkloadSubject, known: KnownSources): Generator<AnnotationProblem> {
  let tries = maxTries;
  for (const kind of watchedSourceKinds(subject.settings)) {
    if (subject.spec.policy[kind].leftOut) continue;
    const key = typedKeysOf(subject.settings.keys)[kind].reload;
    const list = annotation(annotationsFor(subject, kind), key) ?? '';
    const here = known.here[kind];
    for (const value of namesIn(list).slice(0, maxElements)) {
      if (value.includes('/')) {
        const message = `names a source elsewhere: only those of namespace ${subject.write.namespace} count`;
        yield { code: 'bad-name', key, value, message, fix: 'write the name alone' };
        continue;
      }
      const { matchers } = parseNamedList(value);
      // What is no pattern, and the two halves of a repetition, have been told.
      if (matchers.isEmpty || halfOfRepetition.test(value) || !here) continue;
      if (matchers.hasPatterns) tries -= here.length;
      if (tries < 0) return;
      const matching = here.filter(({ name }) => matchers.matches(name));
      const problem = judge(subject, known, { kind, value, matching });
      if (problem) yield { key, value, ...problem };
    }
  }
}

interface Listed {
  readonly kind: SourceKind;
  /** One element of the list. */
  readonly value: string;
  readonly matching: readonly PolicySource[];
}

function judge(
  { write: { namespace }, settings: { keys, selection } }: WorkloadSubject,
  { here, elsewhere }: KnownSources,
  { kind, value, matching }: Listed,
): Pick<AnnotationProblem, 'code' | 'message' | 'fix'> | undefined {
  if (matching.some(({ ignore }) => !ignore)) return undefined;
  if (matching.length > 0) {
    const message = `has no effect: that ${kind} is annotated ${keys.ignore}`;
    return { code: 'source-ignored', message, fix: 'remove one of the two' };
  }
  const otherKind = sourceKinds.find((other) => other !== kind && here[other]?.some(({ name }) => name === value));
  if (otherKind !== undefined) {
    const message = `matches no ${kind}: there is a ${otherKind} of that name`;
    return { code: 'other-kind', message, fix: `write it under ${typedKeysOf(keys)[otherKind].reload}` };
  }
  if (elsewhere.has(sourceId(kind, value))) {
    const message = `exists in another namespace only: ${plural(kind)} of ${namespace} alone count`;
    return { code: 'other-namespace', message, fix: 'create it there too' };
  }
  const selected = selection.sourceSelector.isEverything ? '' : ' that --resource-label-selector selects';
  const message = `matches no ${kind} in ${namespace} now${selected}`;
  return {
    code: 'no-such-source',
    message,
    fix: selected === '' ? 'check the name, or create it' : 'check name and labels',
  };
}
