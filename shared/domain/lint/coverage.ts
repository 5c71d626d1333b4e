import type { AnnotationProblem } from '../annotations/annotation-problem';
import { annotation, ownAnnotations } from '../annotations/annotations';
import { cutToBytes } from '../text/cut-to-bytes';
import { typedKeysOf } from '../policy/policy-annotations';
import { sourceKinds } from '../sources/source';
import { controllerOf } from '../workloads/workload';
import { workloadKinds } from '../kubernetes/workload-kinds';
import type { KnownSources } from './known-sources';
import type { LintSubject, WorkloadSubject } from './lint-subject';
import { requestingAnnotations, plural, watchedSourceKinds } from './lint-subject';

const maxSelectorBytes = 40;

/** An object of a kind that Reroll never restarts asks for restarts. */
export function* uncoveredKind(subject: LintSubject): Generator<AnnotationProblem> {
  const { kind, group, object } = subject.write;
  const [asking] = requestingAnnotations(subject);
  // Objects created by controllers copy the annotations of their owners.
  if (!asking || controllerOf(object)) return;
  const what = group === '' ? kind : `${kind} of ${group}`;
  const kinds = workloadKinds.map((each) => each.kind);
  const message = `has no effect: a ${what} is not restarted`;
  yield {
    code: 'kind-not-covered',
    ...asking,
    message,
    fix: `put it on a ${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1) ?? ''}`,
  };
}

/** A workload asks for restarts, but flags exclude it. */
export function* leftOutByFlags(subject: WorkloadSubject, known: KnownSources): Generator<AnnotationProblem> {
  const [asking] = requestingAnnotations(subject);
  if (!asking) return;
  const { kind } = subject.kind;
  if (subject.settings.policy.ignoredWorkloadKinds.includes(kind)) {
    const flag = kind === 'Rollout' ? '--is-Argo-Rollouts=false' : '--ignored-workload-types';
    const message = `has no effect: ${flag} leaves ${kind}s alone`;
    yield { code: 'kind-not-covered', ...asking, message, fix: 'change the flag, or remove the annotation' };
  }
  const namespace = namespaceLeftOut(subject, known);
  if (namespace) yield { code: 'namespace-not-watched', ...asking, ...namespace };
}

function namespaceLeftOut(
  { write: { namespace }, settings: { selection } }: WorkloadSubject,
  { isNamespaceSelected = true }: KnownSources,
): Pick<AnnotationProblem, 'message' | 'fix'> | undefined {
  const { namespaces, namespacesToIgnore, namespaceSelector } = selection;
  if (namespaces.length > 0 && !namespaces.includes(namespace)) {
    return { message: `has no effect: --namespaces does not name ${namespace}`, fix: 'add it there' };
  }
  if (namespacesToIgnore.includes(namespace)) {
    return { message: `has no effect: --namespaces-to-ignore names ${namespace}`, fix: 'take it out there' };
  }
  if (isNamespaceSelected) return undefined;
  const selector = cutToBytes(namespaceSelector.text, maxSelectorBytes);
  const message = `has no effect: --namespace-selector does not select ${namespace}`;
  return { message, fix: `label the namespace to fit ${selector}` };
}

/** A workload asks for restarts by sources of a kind that is not watched. */
export function* unwatchedSourceKinds(subject: WorkloadSubject): Generator<AnnotationProblem> {
  const watched = watchedSourceKinds(subject.settings);
  const asking = requestingAnnotations(subject);
  for (const kind of sourceKinds) {
    if (watched.includes(kind)) continue;
    const { auto, reload } = typedKeysOf(subject.settings.keys)[kind];
    const csi = kind === 'SecretProviderClass';
    const flag = csi ? '--enable-csi-integration is off' : `--resources-to-ignore leaves out ${plural(kind)}`;
    for (const written of asking.filter(({ key }) => key === auto || key === reload)) {
      const message = `has no effect: ${flag}`;
      yield { code: 'source-kind-ignored', ...written, message, fix: 'change the flag, or remove the annotation' };
    }
  }
}

/** The workload is narrowed to other kinds than those that it lists or switches on. */
export function* narrowedOut(subject: WorkloadSubject): Generator<AnnotationProblem> {
  const { keys } = subject.settings;
  const leftOut = sourceKinds.filter((kind) => subject.spec.policy[kind].leftOut);
  // If no kind is left, readNarrowing reports it.
  if (leftOut.length === sourceKinds.length) return;
  const narrowing = [keys.match, keys.kind].find(
    (key) => annotation(subject.metadata, key) !== undefined || annotation(subject.template, key) !== undefined,
  );
  for (const kind of leftOut) {
    const { auto, reload } = typedKeysOf(keys)[kind];
    for (const written of requestingAnnotations(subject).filter(({ key }) => key === auto || key === reload)) {
      const message = `has no effect: ${narrowing ?? keys.kind} leaves ${plural(kind)} out`;
      yield { code: 'narrowed-out', ...written, message, fix: 'remove one of the two' };
    }
  }
}

/** Settings on a workload that asks for no restarts. */
export function* nothingRequested(subject: WorkloadSubject): Generator<AnnotationProblem> {
  const { keys, policy } = subject.settings;
  if (policy.autoReloadAll || requestingAnnotations(subject).length > 0) return;
  const typed = Object.values(typedKeysOf(keys));
  const switches = [keys.auto, keys.search, ...typed.map(({ auto }) => auto)];
  // A switch that is not on is off on purpose, or reported elsewhere as a mistake.
  if (switches.some((key) => annotation(subject.metadata, key) ?? annotation(subject.template, key))) return;
  const narrows = sourceKinds.some((kind) => subject.spec.policy[kind].leftOut);
  const settings = [
    ...typed.map(({ exclude }) => exclude),
    ...(narrows ? [keys.match, keys.kind] : []),
    ...[ownAnnotations.strategy, ownAnnotations.settle, ownAnnotations.settleMax],
    ...(subject.kind.kind === 'Deployment' ? [keys.pausePeriod] : []),
    ...(subject.kind.kind === 'Rollout' ? [keys.rolloutStrategy] : []),
    ...(subject.kind.kind === 'Job' ? [ownAnnotations.jobPolicy] : []),
    ...(subject.kind.kind === 'CronJob' ? [ownAnnotations.cronJobPolicy] : []),
  ];
  const key = settings.find((each) => annotation(subject.metadata, each) !== undefined);
  if (key === undefined) return;
  const message = 'has no effect: nothing here asks for restarts';
  const value = annotation(subject.metadata, key);
  yield { code: 'nothing-asked', key, value, message, fix: `add ${keys.auto}: "true"` };
}
