import type { AnnotationProblem } from '../annotations/annotation-problem';
import { annotation, gateAnnotations, type AnnotationBearer, type Annotations } from '../annotations/annotations';
import { definedFields } from '../defined-fields';
import { parseDuration } from '../text/duration';
import {
  parseHealthyQuery,
  parseHealthyUrl,
  type HealthCheckSettings,
  type HealthyQuery,
  type HealthyUrl,
} from './health-check';
import { KeyFilterError, parseKeyFilter, type KeyFilter } from '../text/key-filter';
import { readHold, type HoldSetting } from './hold';
import { isChangeId, parseRolledBack } from './rolled-back';
import { parsePredecessors, parseWave, RestartOrderError, type LocalWorkloadName } from './restart-order';
import { parseRollingLimit, RollingLimitError, type RollingLimitSetting } from './rolling-limit';
import { parseRestartWindows, RestartWindowsError, type RestartWindows } from './restart-windows';

/** `next-rollout`: Reroll restarts nothing, and the change takes effect with the next rollout that somebody else makes. */
export const restartModes = ['now', 'next-rollout'] as const;
export type RestartMode = (typeof restartModes)[number];

/** `keep`: only keep the last content that worked, for `reroll rollback`. `rollback`: also put it back. */
export const failureModes = ['stop', 'keep', 'rollback'] as const;
export type OnFailure = (typeof failureModes)[number];

/** How the content of a source is compared. */
export const compareModes = ['bytes', 'parsed'] as const;
export type CompareMode = (typeof compareModes)[number];

/**
 * When a workload may be restarted, and for which changes, as one object says: the workload, a source, a namespace, or
 * the install.
 */
export interface GateSettings extends HealthCheckSettings {
  readonly hold?: HoldSetting;
  readonly mode?: RestartMode;
  /** `always`: at any time, whatever others say. */
  readonly windows?: RestartWindows | 'always';
  /** Between two restarts of one workload. */
  readonly minIntervalMs?: number;
  /** The source, such as a revoked credential, waits for no window and no interval. Only a source can be urgent. */
  readonly isUrgent?: boolean;
  /** How many workloads of the namespace, or users of the source, may roll at once. */
  readonly maxRolling?: RollingLimitSetting;
  /** Only a workload has a place in an order: among the users of a source, lower waves come first. The default is 0. */
  readonly wave?: number;
  /** Workloads of the same namespace that come before it. */
  readonly after?: readonly LocalWorkloadName[];
  /** Only a workload goes first of all users of a source. */
  readonly isCanary?: boolean;
  /** Whether a change reaches the users of a source in stages. */
  readonly stages?: 'on' | 'off';
  /** The id of the change of a source for which somebody wants no more stages. */
  readonly resumed?: string;
  /** What happens when a change of a source has broken those that restarted first. */
  readonly onFailure?: OnFailure;
  /** The ids of changes of a source whose content was put back; the newest first. */
  readonly rolledBack?: readonly string[];
  /** The keys whose changes count. `all`: the list cannot be read, and no list further away counts either. */
  readonly keys?: KeyFilter | 'all';
  /** Only of a source. */
  readonly compare?: CompareMode;
  /** What is wrong with the annotations of a source or a namespace. Those of a workload are in its record. */
  readonly problems?: readonly AnnotationProblem[];
}

/** A longer interval would look like a missed restart. */
export const maxMinIntervalMs = 30 * 86_400_000;

/** Shared by all objects without settings, which are most. */
const none: ReadGateSettings = Object.freeze({ settings: undefined, problems: Object.freeze([]) });

export interface ReadGateSettings {
  /** Undefined: it has none. */
  readonly settings: GateSettings | undefined;
  readonly problems: readonly AnnotationProblem[];
}

/** The annotations that {@link readGateSettings} reads. */
export const gateAnnotationKeys: readonly string[] = Object.values(gateAnnotations);

/**
 * Reads the gate settings of an object. A bad value is reported, and has no effect; a bad hold holds, a bad health check
 * does not pass, and with a bad list of keys every key counts.
 */
export function readGateSettings(annotations: Annotations, bearer: AnnotationBearer): ReadGateSettings {
  if (!gateAnnotationKeys.some((key) => annotations[key] !== undefined)) return none;
  const problems: AnnotationProblem[] = [];
  const read = <Value>(key: string, parse: (text: string) => Value | Problem): Value | undefined => {
    const text = annotation(annotations, key);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (!(value instanceof Problem)) return value;
    problems.push({ code: value.code, key, value: text, message: value.message, fix: value.fix });
    return undefined;
  };
  const readCheck = <Value>(
    key: string,
    parse: (text: string) => Value | Problem,
  ): Value | 'unreadable' | undefined => {
    if (bearer !== 'workload') return read<Value>(key, workloadOnly);
    return read(key, parse) ?? (annotation(annotations, key) === undefined ? undefined : 'unreadable');
  };
  const settings: GateSettings = definedFields({
    hold: readHoldOf(annotations, problems),
    mode: read(gateAnnotations.restart, oneOf(restartModes)),
    windows: read(gateAnnotations.windows, readWindows),
    minIntervalMs: read(gateAnnotations.minInterval, readMinInterval),
    isUrgent: read(gateAnnotations.urgent, bearer === 'source' ? readBoolean : sourceOnly),
    maxRolling: read(gateAnnotations.maxRolling, bearer === 'workload' ? aroundOnly : readMaxRolling),
    wave: read(gateAnnotations.wave, bearer === 'workload' ? readWave : workloadOnly),
    after: read(gateAnnotations.after, bearer === 'workload' ? readAfter : workloadOnly),
    isCanary: read(gateAnnotations.canary, bearer === 'workload' ? readBoolean : workloadOnly),
    healthyUrl: readCheck(gateAnnotations.healthyUrl, readHealthyUrl),
    healthyQuery: readCheck(gateAnnotations.healthyQuery, readHealthyQuery),
    stages: read(gateAnnotations.stages, readStages),
    resumed: read(gateAnnotations.resumed, bearer === 'source' ? readResumed : sourceOnly),
    onFailure: read(gateAnnotations.onFailure, bearer === 'workload' ? aroundOnly : oneOf(failureModes)),
    rolledBack: read(gateAnnotations.rolledBack, bearer === 'source' ? readRolledBack : sourceOnly),
    keys:
      bearer === 'namespace' ? read<'all'>(gateAnnotations.keys, notOfNamespace) : readKeysOf(annotations, problems),
    compare: read(gateAnnotations.compare, bearer === 'source' ? oneOf(compareModes) : sourceOnly),
  });
  return { settings: Object.keys(settings).length === 0 ? undefined : settings, problems };
}

/** Whether two objects set the same. */
export function sameGateSettings(left: GateSettings | undefined, right: GateSettings | undefined): boolean {
  return left === right || (left !== undefined && right !== undefined && textOf(left) === textOf(right));
}

function textOf({ windows, keys, ...others }: GateSettings): string {
  return JSON.stringify([others, typeof windows === 'object' ? windows.text : windows, textOfKeys(keys)]);
}

/** Lists of keys with the same text let the same keys count. */
export function textOfKeys(keys: GateSettings['keys']): string | undefined {
  return typeof keys === 'object' ? keys.text : keys;
}

/** What is wrong with a value. */
class Problem {
  constructor(
    readonly code: AnnotationProblem['code'],
    readonly message: string,
    readonly fix: string,
  ) {}
}

/** Unlike any other bad value, this one counts. */
function readHoldOf(annotations: Annotations, problems: AnnotationProblem[]): HoldSetting | undefined {
  const key = gateAnnotations.hold;
  const value = annotation(annotations, key);
  if (value === undefined) return undefined;
  const { hold, isClear } = readHold(value);
  if (!isClear) {
    const message = 'is not a hold that Reroll can read; it holds, without an end';
    const fix = 'write true, false, or such as until=2026-12-01T06:00:00Z, because=release freeze';
    problems.push({ code: 'bad-hold', key, value, message, fix });
  }
  return hold;
}

/** A bad list counts, too: without it, a list further away would leave changes out that its author wants to count. */
function readKeysOf(annotations: Annotations, problems: AnnotationProblem[]): KeyFilter | 'all' | undefined {
  const key = gateAnnotations.keys;
  const value = annotation(annotations, key);
  if (value === undefined) return undefined;
  try {
    return parseKeyFilter(value);
  } catch (error) {
    if (!(error instanceof KeyFilterError)) throw error;
    const message = `is not a list of keys, so every key counts: ${error.message}`;
    problems.push({ code: error.problem, key, value, message, fix: 'write such as "app.yaml, *.json, !comment.*"' });
    return 'all';
  }
}

function notOfNamespace(): Problem {
  const message = 'counts on a workload or a source only and has no effect here';
  return new Problem('wrong-place', message, 'move it to the workload or the source');
}

function oneOf<Choice extends string>(choices: readonly Choice[]): (text: string) => Choice | Problem {
  return (text) =>
    choices.find((each) => each === text) ??
    new Problem('bad-choice', 'is not a choice and has no effect', `use one of ${choices.join(', ')}`);
}

function readWindows(text: string): RestartWindows | 'always' | Problem {
  if (text.trim() === 'always') return 'always';
  try {
    return parseRestartWindows(text);
  } catch (error) {
    if (!(error instanceof RestartWindowsError)) throw error;
    const fix = 'write such as "Mon-Fri 22:00-05:00 Europe/Berlin; Sat,Sun", "0 22 * * 1-5 +7h", or always';
    return new Problem('bad-window', `has no effect: ${error.message}`, fix);
  }
}

function readMinInterval(text: string): number | Problem {
  const fix = 'write one such as 30m or 24h, or 0 for none';
  let ms: number;
  try {
    ms = parseDuration(text);
  } catch {
    return new Problem('bad-duration', 'is not a duration and has no effect', fix);
  }
  if (ms >= 0 && ms <= maxMinIntervalMs) return ms;
  return new Problem('bad-duration', 'is not between 0 and 720h, and has no effect', fix);
}

function readBoolean(text: string): boolean | Problem {
  if (text === 'true' || text === 'false') return text === 'true';
  return new Problem('bad-boolean', 'is not a boolean and has no effect', 'write "true" or "false"');
}

function sourceOnly(): Problem {
  return new Problem('wrong-place', 'counts on a source only and has no effect here', 'move it to the source');
}

/** Whether a source says how many of its users may roll out at once. */
export function limitsRolling(gates: GateSettings | undefined): boolean {
  return (gates?.maxRolling ?? 'off') !== 'off';
}

function readMaxRolling(text: string): RollingLimitSetting | Problem {
  try {
    return parseRollingLimit(text);
  } catch (error) {
    if (!(error instanceof RollingLimitError)) throw error;
    const fix = 'write such as 5 or "20 pods", or 0 for no limit';
    return new Problem('bad-choice', 'is not a number of workloads or pods and has no effect', fix);
  }
}

function aroundOnly(): Problem {
  const message = 'counts on a source or a namespace only and has no effect here';
  return new Problem('wrong-place', message, 'move it to the source or the namespace');
}

function readWave(text: string): number | Problem {
  return (
    parseWave(text) ?? new Problem('bad-order', 'is not a whole number and has no effect', 'write such as 10 or -1')
  );
}

function readAfter(text: string): readonly LocalWorkloadName[] | Problem {
  try {
    return parsePredecessors(text);
  } catch (error) {
    if (!(error instanceof RestartOrderError)) throw error;
    const fix = 'write such as deployment/db, statefulset/cache';
    return new Problem('bad-order', `has no effect: ${error.message}`, fix);
  }
}

function readHealthyUrl(text: string): HealthyUrl | Problem {
  const message = 'is not the URL of a Service, so the check never passes';
  const fix = 'write such as http://web:8080/healthz, with a Service of the same namespace';
  return parseHealthyUrl(text) ?? new Problem('bad-check', message, fix);
}

function readHealthyQuery(text: string): HealthyQuery | Problem {
  const message = 'is empty or longer than 1000 characters, so the check never passes';
  return parseHealthyQuery(text) ?? new Problem('bad-check', message, 'write a query in PromQL, or remove it');
}

function readStages(text: string): 'on' | 'off' | Problem {
  if (text === 'on' || text === 'off') return text;
  return new Problem('bad-choice', 'is not a choice and has no effect', 'use "on" or "off"');
}

function readResumed(text: string): string | Problem {
  if (isChangeId(text)) return text;
  const fix = 'write it with reroll resume, as in configmap/app';
  return new Problem('bad-choice', 'is not the id of a change and has no effect', fix);
}

function readRolledBack(text: string): readonly string[] | Problem {
  const ids = parseRolledBack(text);
  if (ids) return ids;
  const fix = 'remove it: Reroll writes it when it puts a content back';
  return new Problem('bad-choice', 'holds no ids of changes and has no effect', fix);
}

function workloadOnly(): Problem {
  return new Problem('wrong-place', 'counts on a workload only and has no effect here', 'move it to the workload');
}
