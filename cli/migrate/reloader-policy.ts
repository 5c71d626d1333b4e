import { annotation, ownAnnotations } from '../../shared/domain/annotations/annotations';
import { annotationsFor, plural, watchedSourceKinds } from '../../shared/domain/lint/lint-subject';
import { readNarrowing } from '../../shared/domain/policy/narrowing';
import { mayUse } from '../../shared/domain/policy/policy';
import { typedKeysOf } from '../../shared/domain/policy/policy-annotations';
import { sourceKinds } from '../../shared/domain/sources/source';
import { cutToBytes } from '../../shared/domain/text/cut-to-bytes';
import { namesIn, parseNamedList } from '../../shared/domain/text/pattern';
import { pathOf, remove, write, type Advice } from './advice';
import { isCovered, isKnownToReloader, isOfCronJob, type MigrationSubject } from './migration-subject';
import { enumerated } from '../output/phrases';

/** Differences in how switches and lists are read. */

const maxValueBytes = 60;

/** `match` or `kind` on a workload, which Reloader does not read there. */
export function* narrowed(subject: MigrationSubject): Generator<Advice> {
  const { settings, spec } = subject;
  if (!isCovered(subject) || !isKnownToReloader(subject) || isOfCronJob(subject)) return;
  const { match, kind: kindKey } = settings.keys;
  const kinds = watchedSourceKinds(settings);
  const missed = kinds.filter((kind) => {
    const policy = { ...spec.policy, [kind]: { ...spec.policy[kind], leftOut: false } };
    return spec.policy[kind].leftOut && mayUse(policy, kind, settings.policy);
  });
  if (missed.length === 0) return;
  const narrowing = [match, kindKey].filter((key) => {
    const value = annotation(subject.metadata, key) ?? annotation(subject.template, key);
    return value !== undefined && readNarrowing({ [key]: value }, {}, settings.keys).kinds.length < sourceKinds.length;
  });
  const left = kinds.filter((kind) => !spec.policy[kind].leftOut);
  yield {
    at: pathOf(subject, narrowing[0] ?? match),
    today: `Reloader does not read this annotation on a workload: ${enumerated(missed.map(plural))} restart it too.`,
    here: left.length === 0 ? 'Nothing restarts it.' : `Only ${enumerated(left.map(plural))} restart it.`,
    fix: 'To keep what it does today, remove the annotation.',
    edits: remove(subject, narrowing),
  };
}

/** A list with an element that is no RE2 pattern. */
export function* badPattern(subject: MigrationSubject): Generator<Advice> {
  if (!isCovered(subject) || subject.kind.kind === 'DeploymentConfig') return;
  for (const kind of watchedSourceKinds(subject.settings)) {
    const { reload } = typedKeysOf(subject.settings.keys)[kind];
    const written = annotationsFor(subject, kind);
    const list = annotation(written, reload) ?? '';
    const bad = badElements(list);
    if (bad.length === 0) continue;
    const elements = namesIn(list);
    const good = elements.filter((element) => !bad.includes(element));
    const place = written === subject.metadata ? 'metadata' : 'template';
    const quoted = enumerated(bad.map((element) => JSON.stringify(cutToBytes(element, maxValueBytes))));
    yield {
      at: pathOf(subject, reload),
      today: `Reloader 1.4.21 crashes when it compiles the pattern, after a change of a ${kind} in namespace ${subject.write.namespace}.`,
      here: `Reroll ignores ${quoted}${good.length === 0 ? ', so the list is empty.' : ' and uses the other elements.'}`,
      fix: 'Correct the pattern, or leave it out.',
      edits: good.length === 0 ? remove(subject, [reload], [place]) : [write(subject, reload, good.join(','), place)],
    };
  }
}

/**
 * The elements that do not compile, as far as the budget of the list allows to compile them. `a{1`, which a comma has cut
 * off, compiles although lint reports it.
 */
function badElements(list: string): readonly string[] {
  const reported = parseNamedList(list).problems.flatMap(({ code, element }) =>
    code === 'bad-pattern' ? [element] : [],
  );
  return reported.filter((element) => parseNamedList(element).matchers.isEmpty);
}

/** Lists and pod templates beyond the budgets of one object. */
export function* limit(subject: MigrationSubject): Generator<Advice> {
  if (!isCovered(subject)) return;
  for (const { code, key, value, message, fix } of subject.spec.problems) {
    if (code !== 'over-budget' && code !== 'pattern-refused') continue;
    if (key === ownAnnotations.baseline) continue;
    const shown = value === undefined ? '' : `=${JSON.stringify(cutToBytes(value, maxValueBytes))}`;
    yield {
      at: pathOf(subject, key),
      today: 'Reloader has no such limit.',
      here: `The annotation ${key}${shown} ${message}.`,
      fix: `${fix.charAt(0).toUpperCase()}${fix.slice(1)}.`,
      edits: [],
    };
  }
}
