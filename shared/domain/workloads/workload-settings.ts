import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { Annotations } from '../annotations/annotations';
import { annotation, ownAnnotations } from '../annotations/annotations';
import { formatDuration, parseDuration } from '../text/duration';
import { definedFields } from '../defined-fields';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';

export const strategyNames = ['env-vars', 'annotations', 'restarted-at'] as const;
/** How a restart is written into the pod template. */
export type StrategyName = (typeof strategyNames)[number];

export const runPolicies = ['run-now', 'next-run', 'never'] as const;
/** The effect of a change on a Job or CronJob: an immediate run, a new template for the next run, or none. */
export type RunPolicy = (typeof runPolicies)[number];

/** Whether admission reports mistakes in the workload's restart annotations to its author. */
const lintModes = ['on', 'off'] as const;

/**
 * The longest configurable wait. A longer one would look like a missed restart, and is probably a typo (`10h` for
 * `10s`).
 */
export const maxSettleMs = 3_600_000;

/** Settings of one workload that override the install's defaults. */
export interface WorkloadSettings {
  readonly strategy?: StrategyName;
  readonly settleMs?: number;
  readonly settleMaxMs?: number;
  readonly jobPolicy?: RunPolicy;
  readonly cronJobPolicy?: RunPolicy;
}

/** Shared by all workloads without settings, which are most. */
const noSettings: WorkloadSettings = Object.freeze({});

/** Reads the settings in a workload's metadata. A bad value is reported, and the install's default applies. */
export function readSettings(metadata: Annotations): {
  readonly settings: WorkloadSettings;
  readonly problems: readonly AnnotationProblem[];
} {
  const problems: AnnotationProblem[] = [];
  const settings: WorkloadSettings = definedFields({
    strategy: readChoice(metadata, ownAnnotations.strategy, strategyNames, problems),
    settleMs: readDuration(metadata, ownAnnotations.settle, problems),
    settleMaxMs: readDuration(metadata, ownAnnotations.settleMax, problems),
    jobPolicy: readChoice(metadata, ownAnnotations.jobPolicy, runPolicies, problems),
    cronJobPolicy: readChoice(metadata, ownAnnotations.cronJobPolicy, runPolicies, problems),
  });
  // The engine does not use the mode; it is read so that an invalid value is reported.
  readChoice(metadata, ownAnnotations.lint, lintModes, problems);
  const { settleMs = 0, settleMaxMs = Infinity } = settings;
  if (settleMs > settleMaxMs) {
    problems.push({
      code: 'bad-window',
      key: ownAnnotations.settle,
      value: annotation(metadata, ownAnnotations.settle),
      message: `is longer than ${ownAnnotations.settleMax}, after which nothing is waited for`,
      fix: 'make the one shorter or the other longer',
    });
  }
  return { settings: Object.keys(settings).length === 0 ? noSettings : settings, problems };
}

export function sameSettings(left: WorkloadSettings, right: WorkloadSettings): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

/** Whether a change restarts nothing now and takes effect at the next run of the workload. */
export function isLeftToNextRun(kind: WorkloadKindName, { jobPolicy, cronJobPolicy }: WorkloadSettings): boolean {
  return (kind === 'Job' && jobPolicy === 'next-run') || (kind === 'CronJob' && cronJobPolicy === 'next-run');
}

function readChoice<Choice extends string>(
  metadata: Annotations,
  key: string,
  choices: readonly Choice[],
  problems: AnnotationProblem[],
): Choice | undefined {
  const value = annotation(metadata, key);
  if (value === undefined) return undefined;
  const choice = choices.find((each) => each === value);
  if (choice === undefined) {
    problems.push({
      code: 'bad-choice',
      key,
      value,
      message: 'is not a choice and has no effect',
      fix: `use one of ${choices.join(', ')}`,
    });
  }
  return choice;
}

function readDuration(metadata: Annotations, key: string, problems: AnnotationProblem[]): number | undefined {
  const value = annotation(metadata, key);
  if (value === undefined) return undefined;
  const ms = durationOf(value);
  if (ms === undefined) {
    problems.push({
      code: 'bad-duration',
      key,
      value,
      message: 'is not a duration and has no effect',
      fix: 'write one such as 500ms, 10s or 1m30s',
    });
  } else if (ms > maxSettleMs) {
    const longest = formatDuration(maxSettleMs);
    problems.push({
      code: 'bad-window',
      key,
      value,
      message: `is longer than ${longest} and counts as ${longest}`,
      fix: 'write a shorter one',
    });
    return maxSettleMs;
  }
  return ms;
}

function durationOf(text: string): number | undefined {
  try {
    const ms = parseDuration(text);
    return ms < 0 ? undefined : ms;
  } catch {
    return undefined;
  }
}
