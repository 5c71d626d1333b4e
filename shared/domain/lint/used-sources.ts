import type { AnnotationProblem } from '../annotation-problem';
import { typedKeysOf } from '../policy-annotations';
import type { KnownSources } from './known-sources';
import type { WorkloadSubject } from './lint-subject';
import { askingAnnotations, watchedSourceKinds } from './lint-subject';
import { countsAllUsed, isAuto } from './overrides';

/** A workload searches, and of what it uses nothing is annotated to match. */
export function* searchWithoutMatch(subject: WorkloadSubject, { here }: KnownSources): Generator<AnnotationProblem> {
  const { keys } = subject.settings;
  const { policy, references } = subject.spec;
  const kinds = watchedSourceKinds(subject.settings).filter((kind) => policy[kind].search && !policy[kind].leftOut);
  const used = references.filter(({ kind }) => kinds.includes(kind));
  if (used.length === 0 || used.some(({ kind }) => here[kind] === undefined)) return;
  // Where everything used restarts it anyway, that is what there is to say.
  if (kinds.every((kind) => countsAllUsed(subject, kind))) return;
  const matching = kinds.flatMap((kind) => (here[kind] ?? []).filter(({ match, ignore }) => match && !ignore));
  if (used.some(({ kind, name }) => matching.some((source) => source.kind === kind && source.name === name))) return;
  const [other] = matching;
  const problem = { code: 'no-match', key: keys.search, value: 'true' } as const;
  if (other) {
    const message = `finds nothing: ${other.kind} ${other.name} matches, and the pod template does not use it`;
    yield { ...problem, message, fix: `use it, or annotate what is used with ${keys.match}: "true"` };
  } else {
    const message = 'finds nothing: no source that the pod template uses is annotated to match';
    yield { ...problem, message, fix: `annotate one with ${keys.match}: "true"` };
  }
}

/** A workload asks for what it uses, and uses nothing. */
export function* nothingUsed(subject: WorkloadSubject): Generator<AnnotationProblem> {
  const { spec, settings } = subject;
  const kinds = watchedSourceKinds(settings);
  const lists = kinds.some((kind) => !spec.policy[kind].leftOut && !spec.policy[kind].named.isEmpty);
  // A borrowed template is not in sight.
  if (lists || spec.rollout?.workloadRef) return;
  const asked = kinds.filter((kind) => {
    const { auto, search, leftOut } = spec.policy[kind];
    return !leftOut && (search || isAuto(auto));
  });
  const [asking] = askingAnnotations(subject);
  const [first] = asked;
  if (!asking || first === undefined || spec.references.some(({ kind }) => asked.includes(kind))) return;
  const message = `has no effect: the pod template uses no ${asked.join(' or ')}`;
  const fix = `use one, or list names in ${typedKeysOf(settings.keys)[first].reload}`;
  yield { code: 'nothing-used', ...asking, message, fix };
}
