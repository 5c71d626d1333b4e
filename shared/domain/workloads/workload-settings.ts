import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { Annotations } from '../annotations/annotations';
import { annotation, ownAnnotations } from '../annotations/annotations';
import { formatDuration, parseDuration } from '../text/duration';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';

export const strategyNames = ['env-vars', 'annotations', 'restarted-at'] as const;
/** How a restart is written into the pod template. */
export type StrategyName = (typeof strategyNames)[number];

export const runPolicies = ['run-now', 'next-run', 'never'] as const;
/** What a change means for a Job or CronJob: a run at once, a template for the next run, or nothing. */
export type RunPolicy = (typeof runPolicies)[number];

/** Whether who writes a workload is told what is wrong with what it says of restarts. */
const lintModes = ['on', 'off'] as const;

/** The longest wait that can be asked for. Beyond it a restart would look forgotten, and a slip (`10h` for `10s`) would be one. */
export const maxSettleMs = 3_600_000;

/** What one workload wants instead of the install's defaults. */
export interface WorkloadSettings {
  readonly strategy?: StrategyName;
  readonly settleMs?: number;
  readonly settleMaxMs?: number;
  readonly jobPolicy?: RunPolicy;
  readonly cronJobPolicy?: RunPolicy;
}

/** Shared, since most workloads have none. */
const noSettings: WorkloadSettings = Object.freeze({});

/** Reads the settings in a workload's metadata. A bad value is a problem, and the install's default applies. */
export function readSettings(metadata: Annotations): {
  readonly settings: WorkloadSettings;
  readonly problems: readonly AnnotationProblem[];
} {
  const problems: AnnotationProblem[] = [];
  const settings: WorkloadSettings = {
    ...field('strategy', readChoice(metadata, ownAnnotations.strategy, strategyNames, problems)),
    ...field('settleMs', readDuration(metadata, ownAnnotations.settle, problems)),
    ...field('settleMaxMs', readDuration(metadata, ownAnnotations.settleMax, problems)),
    ...field('jobPolicy', readChoice(metadata, ownAnnotations.jobPolicy, runPolicies, problems)),
    ...field('cronJobPolicy', readChoice(metadata, ownAnnotations.cronJobPolicy, runPolicies, problems)),
  };
  // The engine has no use for it; whoever writes it is to know that it counts.
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

/** A change restarts nothing: it takes effect when the workload is run the next time. */
export function isLeftToNextRun(kind: WorkloadKindName, { jobPolicy, cronJobPolicy }: WorkloadSettings): boolean {
  return (kind === 'Job' && jobPolicy === 'next-run') || (kind === 'CronJob' && cronJobPolicy === 'next-run');
}

/** An absent setting is an absent field: the defaults are spread under it. */
function field<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]: Value });
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
      message: 'is no duration and has no effect',
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
