import type { AnnotationProblem } from '../annotations/annotation-problem';
import { typedKeysOf } from '../policy/policy-annotations';
import { sourceId } from '../sources/source';
import type { KnownSources } from './known-sources';
import type { WorkloadSubject } from './lint-subject';
import { requestingAnnotations, watchedSourceKinds } from './lint-subject';
import { countsAllUsed, isAuto } from './overrides';

/** A workload searches, but no source that it uses is annotated to match. */
export function* searchWithoutMatch(subject: WorkloadSubject, known: KnownSources): Generator<AnnotationProblem> {
  const { keys } = subject.settings;
  const { policy, references } = subject.spec;
  const kinds = watchedSourceKinds(subject.settings).filter((kind) => policy[kind].search && !policy[kind].leftOut);
  const used = references.filter(({ kind }) => kinds.includes(kind));
  if (used.length === 0 || used.some(({ kind }) => !known.kinds.has(kind))) return;
  // If everything used restarts it anyway, autoSwitches reports that instead.
  if (kinds.every((kind) => countsAllUsed(subject, kind))) return;
  const sources = used.map((source) => known.named.get(sourceId(source)));
  if (sources.some((source) => source?.match === true && !source.ignore)) return;
  const message = 'finds nothing: no source that the pod template uses is annotated to match';
  const fix = `annotate one with ${keys.match}: "true"`;
  yield { code: 'no-match', key: keys.search, value: 'true', message, fix };
}

/** A workload asks for restarts by the sources that it uses, but uses none. */
export function* nothingUsed(subject: WorkloadSubject): Generator<AnnotationProblem> {
  const { spec, settings } = subject;
  const kinds = watchedSourceKinds(settings);
  const lists = kinds.some((kind) => !spec.policy[kind].leftOut && !spec.policy[kind].named.isEmpty);
  // The template of a workloadRef is not known here.
  if (lists || spec.rollout?.workloadRef) return;
  const requested = kinds.filter((kind) => {
    const { auto, search, leftOut } = spec.policy[kind];
    return !leftOut && (search || isAuto(auto));
  });
  const [asking] = requestingAnnotations(subject);
  const [first] = requested;
  if (!asking || first === undefined || spec.references.some(({ kind }) => requested.includes(kind))) return;
  const message = `has no effect: the pod template uses no ${requested.join(' or ')}`;
  const fix = `use one, or list names in ${typedKeysOf(settings.keys)[first].reload}`;
  yield { code: 'nothing-used', ...asking, message, fix };
}
