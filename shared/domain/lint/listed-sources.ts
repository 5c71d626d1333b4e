import type { AnnotationProblem } from '../annotations/annotation-problem';
import { annotation } from '../annotations/annotations';
import { namesIn } from '../text/pattern';
import { typedKeysOf } from '../policy/policy-annotations';
import type { SourceKind } from '../sources/source';
import { sourceId, sourceKinds } from '../sources/source';
import type { KnownSources, SourceQuestion } from './known-sources';
import type { WorkloadSubject } from './lint-subject';
import { annotationsFor, watchedSourceKinds } from './lint-subject';

/** Nobody reads more. */
const maxElements = 20;

/** What a lint needs to know about the subject's sources; undefined if no check depends on it. */
export function sourceQuestion(subject: WorkloadSubject): SourceQuestion | undefined {
  const { policy, references } = subject.spec;
  const kinds = watchedSourceKinds(subject.settings);
  const asks = kinds.some((kind) => policy[kind].search || !policy[kind].named.isEmpty);
  if (!asks && subject.settings.selection.namespaceSelector.isEverything) return undefined;
  const listed = kinds.flatMap((kind) => [...policy[kind].named.literals].slice(0, maxElements));
  const searched = references.filter(({ kind }) => kinds.includes(kind) && policy[kind].search);
  const named = [
    // A name in the list of another kind is a mistake that is reported.
    ...listed.flatMap((name) => sourceKinds.map((kind) => sourceId({ kind, name }))),
    ...searched.map(sourceId),
  ];
  return { namespace: subject.write.namespace, named: [...new Set(named)] };
}

/** Listed names that match no source, or one that does not count. */
export function* listedSources(subject: WorkloadSubject, known: KnownSources): Generator<AnnotationProblem> {
  for (const kind of watchedSourceKinds(subject.settings)) {
    const { leftOut, named } = subject.spec.policy[kind];
    if (leftOut) continue;
    const key = typedKeysOf(subject.settings.keys)[kind].reload;
    const list = annotation(annotationsFor(subject, kind), key) ?? '';
    for (const value of namesIn(list).slice(0, maxElements)) {
      if (value.includes('/')) {
        const message = `names a source in another namespace: only those in namespace ${subject.write.namespace} count`;
        yield { code: 'bad-name', key, value, message, fix: 'write the name alone' };
        continue;
      }
      // No finding depends on whether a pattern matches: by trying many, a user could spell out every name in the
      // namespace.
      const isName = named.literals.has(value);
      const problem = isName ? judge(subject, known, kind, value) : undefined;
      if (problem) yield { key, value, ...problem };
    }
  }
}

function judge(
  { write: { namespace }, settings: { keys, selection } }: WorkloadSubject,
  { kinds, named }: KnownSources,
  kind: SourceKind,
  name: string,
): Pick<AnnotationProblem, 'code' | 'message' | 'fix'> | undefined {
  if (!kinds.has(kind)) return undefined;
  const source = named.get(sourceId({ kind, name }));
  if (source?.ignore === true) {
    const message = `has no effect: that ${kind} is annotated ${keys.ignore}`;
    return { code: 'source-ignored', message, fix: 'remove one of the two' };
  }
  if (source) return undefined;
  const otherKind = sourceKinds.find((other) => named.has(sourceId({ kind: other, name })));
  if (otherKind !== undefined) {
    const message = `matches no ${kind}: there is a ${otherKind} of that name`;
    return { code: 'other-kind', message, fix: `write it under ${typedKeysOf(keys)[otherKind].reload}` };
  }
  const selected = selection.sourceSelector.isEverything ? '' : ' that --resource-label-selector selects';
  const message = `matches no ${kind} in ${namespace} now${selected}`;
  return {
    code: 'no-such-source',
    message,
    fix: selected === '' ? 'check the name, or create it' : 'check name and labels',
  };
}
