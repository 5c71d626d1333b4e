import { annotation, ownAnnotations, type Annotations } from '../../shared/domain/annotations/annotations';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import {
  plural,
  readLintSubject,
  requestingAnnotations,
  watchedSourceKinds,
} from '../../shared/domain/lint/lint-subject';
import { optedIn } from '../../shared/domain/policy/policy';
import { effectiveKey, typedKeysOf } from '../../shared/domain/policy/policy-annotations';
import { namesIn } from '../../shared/domain/text/pattern';
import { annotationsPath, pathOf, remove, write, type Advice, type Edit } from './advice';
import { askingKey, isCovered, isOfCronJob, type MigrationSubject } from './migration-subject';
import { enumerated } from '../output/phrases';

/** Differences of Jobs and CronJobs. */

/** A Job whose policy nobody has chosen. */
function isOpenJob(subject: MigrationSubject): boolean {
  const { kind, isRestarted, spec } = subject;
  return kind.kind === 'Job' && isRestarted && spec.settings.jobPolicy === undefined;
}

const hasManualSelector = ({ write: { object } }: MigrationSubject): boolean =>
  fieldAt(object, ['spec', 'manualSelector']) === true;

const keepOrLeave = (what: string): string =>
  `Write "run-now" to keep that, "next-run" to leave a change to the next run, or "never" to leave ${what} alone.`;

/** A Job that is deleted and created again. */
export function* job(subject: MigrationSubject): Generator<Advice> {
  if (!isOpenJob(subject) || hasManualSelector(subject)) return;
  yield {
    at: pathOf(subject, askingKey(subject) ?? ''),
    today: 'Reloader deletes it and creates it again at each edit of a source. If the creation fails, the Job is lost.',
    here: 'Reroll does so once for edits within the settle window, and keeps the manifest until the Job exists. A finished Job runs again, as today.',
    fix: keepOrLeave('the Job'),
    edits: [write(subject, ownAnnotations.jobPolicy, 'run-now')],
  };
}

/** A Job with a selector of its own, which Reloader cannot create again. */
export function* manualSelector(subject: MigrationSubject): Generator<Advice> {
  if (!isOpenJob(subject) || !hasManualSelector(subject)) return;
  yield {
    at: ['spec', 'manualSelector'],
    today: 'Reloader deletes it at a change and cannot create it again: the Job is lost.',
    here: 'Reroll creates it again with its selector. A finished Job runs again.',
    fix: keepOrLeave('the Job'),
    edits: [write(subject, ownAnnotations.jobPolicy, 'run-now')],
  };
}

/** A CronJob that is run at a change. */
export function* cronJob(subject: MigrationSubject): Generator<Advice> {
  const { kind, isRestarted, spec } = subject;
  if (kind.kind !== 'CronJob' || !isRestarted || spec.settings.cronJobPolicy !== undefined) return;
  yield {
    at: pathOf(subject, askingKey(subject) ?? ''),
    today: 'Reloader creates a Job from it at each edit of a source and at each retry, also while it is suspended.',
    here: 'Reroll creates one Job for edits within the settle window, also while it is suspended.',
    fix: keepOrLeave('the CronJob'),
    edits: [write(subject, ownAnnotations.cronJobPolicy, 'run-now')],
  };
}

const jobTemplatePath = ['spec', 'jobTemplate'];

/** A CronJob whose template gives its Jobs the annotations that ask for restarts. */
export function* jobTemplate(subject: MigrationSubject): Generator<Advice> {
  const { settings, write: review } = subject;
  if (subject.kind.kind !== 'CronJob' || !isCovered(subject)) return;
  if (settings.policy.ignoredWorkloadKinds.includes('Job')) return;
  const template = fieldAt(review.object, jobTemplatePath);
  const ofJobs = readLintSubject({ ...review, kind: 'Job', object: template }, settings);
  const asking = requestingAnnotations(ofJobs);
  const [first] = asking;
  if (!first || !('spec' in ofJobs) || !optedIn(ofJobs.spec.policy, settings.policy)) return;
  const betweenPath = [...jobTemplatePath, 'metadata', 'annotations'];
  const isBetween = annotation(ofJobs.metadata, first.key) !== undefined;
  yield {
    at: [...(isBetween ? betweenPath : annotationsPath(subject, 'template')), first.key],
    today:
      'The Jobs of this CronJob get the annotation: Reloader deletes them and creates them again, so old ones run again.',
    here: subject.isRestarted
      ? 'Reroll leaves the Jobs of a CronJob alone: only the CronJob itself counts.'
      : 'Nothing happens at a change: Reroll leaves the Jobs of a CronJob alone.',
    ...toOwnMetadata(subject, { between: ofJobs.metadata, betweenPath }),
  };
}

/**
 * Moves switches and lists to the CronJob's own metadata. If some are there already, those on the pod template do not
 * count for the same kinds of sources.
 */
function toOwnMetadata(
  subject: MigrationSubject,
  { between, betweenPath }: { readonly between: Annotations; readonly betweenPath: readonly string[] },
): Pick<Advice, 'fix' | 'edits'> {
  const { settings, metadata, template } = subject;
  const typed = typedKeysOf(settings.keys);
  const kinds = watchedSourceKinds(settings);
  const open = kinds.filter((kind) => effectiveKey(metadata, settings.keys, typed[kind]) === undefined);
  if (open.length > 0 && open.length < kinds.length) {
    const fix = `Write on the CronJob's own metadata for which ${enumerated(open.map(plural))} it is to run. Then remove the annotation from the templates.`;
    return { fix, edits: [] };
  }
  const { auto, search } = settings.keys;
  const keys = [auto, ...Object.values(typed).flatMap((each) => [each.auto, each.reload]), search];
  const removals: readonly Edit[] = [
    ...keys
      .filter((key) => annotation(between, key) !== undefined)
      .map((line): Edit => ({ action: 'remove', under: betweenPath, line })),
    ...remove(subject, keys, ['template']),
  ];
  if (open.length === 0) {
    const fix = "Remove the annotation from the templates: the CronJob's own metadata decides.";
    return { fix, edits: removals };
  }
  // What the CronJob runs for today stays. If it runs for nothing, its Jobs do what is asked, by their own metadata first.
  const [first, second] = subject.isRestarted ? [template, between] : [between, template];
  const moved = keys.flatMap((key) => {
    const value = annotation(first, key) ?? annotation(second, key);
    return value === undefined ? [] : [write(subject, key, value)];
  });
  const fix = "Move the annotation to the CronJob's own metadata, to run the CronJob at a change.";
  const [excluded, left] = subject.isRestarted ? [[], []] : movedExclusions(subject, { between, betweenPath });
  return { fix, edits: [...moved, ...excluded, ...removals, ...left] };
}

/** The exclude lists of the Jobs, which do not count for the CronJob where they are: what to write, and to remove. */
function movedExclusions(
  subject: MigrationSubject,
  { between, betweenPath }: { readonly between: Annotations; readonly betweenPath: readonly string[] },
): readonly [readonly Edit[], readonly Edit[]] {
  const lists = Object.values(typedKeysOf(subject.settings.keys))
    .map(({ exclude }) => ({ exclude, names: namesIn(annotation(between, exclude) ?? '') }))
    .filter(({ names }) => names.length > 0);
  const written = lists.map(({ exclude, names }) => {
    const all = new Set([...namesIn(annotation(subject.metadata, exclude) ?? ''), ...names]);
    return write(subject, exclude, [...all].join(','));
  });
  return [written, lists.map(({ exclude: line }): Edit => ({ action: 'remove', under: betweenPath, line }))];
}

/** A Job that a CronJob has made, in manifests from a cluster. */
export function* jobOfCronJob(subject: MigrationSubject): Generator<Advice> {
  const { spec, settings } = subject;
  if (!isOfCronJob(subject) || !isCovered(subject) || !optedIn(spec.policy, settings.policy)) return;
  yield {
    at: pathOf(subject, askingKey(subject) ?? ''),
    today: 'Reloader deletes it at a change and creates it again.',
    here: `Reroll leaves it to CronJob ${spec.controlledBy?.name ?? ''}, which made it.`,
    fix: 'Write nothing here: annotate the CronJob, on its own metadata.',
    edits: [],
  };
}
