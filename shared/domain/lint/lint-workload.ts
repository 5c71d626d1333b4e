import { AnnotationNames } from '../annotations/annotation-names';
import type { AnnotationProblem, AnnotationProblemCode } from '../annotations/annotation-problem';
import { describeProblem } from '../annotations/annotation-problem';
import { annotationsOf, type AnnotationKeys } from '../annotations/annotations';
import { budgets } from '../budgets';
import { bearerProblems } from '../gate-settings/bearer-gates';
import { fieldAt, objectOf, sameJson, type JsonObject } from '../kubernetes/json-value';
import { defaultTemplatePath } from '../kubernetes/workload-kinds';
import { leftOutByFlags, narrowedOut, nothingRequested, uncoveredKind, unwatchedSourceKinds } from './coverage';
import { severalCanaries } from './canary';
import { checkNotAsked, foreignCheck } from './health-checks';
import type { KnownSources } from './known-sources';
import type { LintSubject, WorkloadSubject, WorkloadWrite } from './lint-subject';
import { listedSources } from './listed-sources';
import { bearerOf, titleOf } from './lint-subject';
import { comesAfterItself } from './order';
import { autoSwitches, excluded, listBesideAuto, templateOverridden } from './overrides';
import { ofAnotherKind, onJobTemplate, writtenAsLabels } from './placement';
import { nothingUsed, searchWithoutMatch } from './used-sources';

/** Something on an object that does not have the effect that its author seems to expect. */
export interface LintFinding {
  readonly code: AnnotationProblemCode;
  /** The annotation's key. */
  readonly key: string;
  /** One line that names object, key, value and fix. */
  readonly message: string;
}

/** The length to which an API server cuts a warning when a request has many. */
const maxMessageBytes = 256;

/** Far more than is ever shown; annotations may hold a hundred thousand problems. */
const maxFindings = 100;

type Check = (subject: WorkloadSubject, known: KnownSources) => Iterable<AnnotationProblem>;

/** In the order of reporting: checks that make all settings ineffective are first. */
const checks: readonly Check[] = [
  leftOutByFlags,
  (subject) => subject.spec.problems,
  writtenAsLabels,
  onJobTemplate,
  ofAnotherKind,
  unwatchedSourceKinds,
  narrowedOut,
  nothingRequested,
  templateOverridden,
  autoSwitches,
  listBesideAuto,
  excluded,
  listedSources,
  searchWithoutMatch,
  nothingUsed,
  comesAfterItself,
  severalCanaries,
  foreignCheck,
  checkNotAsked,
];

/** All mistakes in an object's restart annotations that can be found before it is stored. */
export function lintWorkload(subject: LintSubject | WorkloadSubject, known: KnownSources): readonly LintFinding[] {
  return findingsOf(titleOf(subject), 'spec' in subject ? problemsOf(subject, known) : problemsOfOthers(subject));
}

/** The problems of an object as findings. `title` names the object, such as `ConfigMap shop/app`. */
export function findingsOf(title: string, problems: Iterable<AnnotationProblem>): readonly LintFinding[] {
  const found: LintFinding[] = [];
  for (const problem of problems) {
    if (found.length === maxFindings) break;
    found.push({ code: problem.code, key: problem.key, message: describeProblem(title, problem, maxMessageBytes) });
  }
  return found;
}

function* problemsOf(subject: WorkloadSubject, known: KnownSources): Generator<AnnotationProblem> {
  for (const check of checks) yield* check(subject, known);
}

function* problemsOfOthers(subject: LintSubject): Generator<AnnotationProblem> {
  yield* uncoveredKind(subject);
  const bearer = bearerOf(subject.write);
  if (bearer) yield* bearerProblems(subject.metadata, bearer, subject.settings.keys);
}

/**
 * Whether a write is worth a lint: it mentions restarts, and changes its annotations or the sources that it uses.
 * Somebody who only scales a workload has seen the findings before.
 */
export function isWorthLinting({ object, oldObject }: WorkloadWrite, keys: AnnotationKeys): boolean {
  const labels = (owner: unknown): JsonObject => objectOf(fieldAt(owner, ['metadata', 'labels']));
  const between = (state: unknown): JsonObject => annotationsOf(fieldAt(state, ['spec', 'jobTemplate']));
  const podTemplate = (state: unknown): unknown =>
    fieldAt(state, defaultTemplatePath) ?? fieldAt(state, ['spec', 'jobTemplate', ...defaultTemplatePath]);
  const template = podTemplate(object);
  const said = [object, template].flatMap((owner) => [annotationsOf(owner), labels(owner)]).concat(between(object));
  const names = AnnotationNames.of(keys);
  const isKnown = (key: string): boolean => names.isKnown(key);
  // Searching for similar keys takes longer, so only the first keys are checked.
  const isNear = (key: string): boolean => names.unknown(key) !== undefined;
  const concernsRestarts = (each: JsonObject): boolean =>
    Object.keys(each).some(isKnown) || Object.keys(each).slice(0, budgets.reviewedAnnotations).some(isNear);
  if (!said.some(concernsRestarts)) return false;
  if (oldObject === undefined || oldObject === null) return true;
  const linted = (state: unknown) => [annotationsOf(state), labels(state), between(state), podTemplate(state)];
  return !sameJson(linted(object), linted(oldObject));
}
