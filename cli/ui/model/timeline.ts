import { counted } from '../../output/text-style';
import { searchOf, type Filter } from './filters';
import { keyOf, type HistoryCause, type HistoryEntry, type WorkloadRow } from './live-message';

/** How far a step has come. */
export type StepState = 'done' | 'running' | 'failed' | 'unknown';

/** One of the steps from a change to pods that run with it. */
export interface Step {
  readonly is: 'change' | 'decision' | 'rollout' | 'outcome';
  readonly state: StepState;
  readonly title: string;
  readonly detail: string;
  readonly at?: string | undefined;
}

/** A restart of one workload. */
export interface TimelineItem {
  readonly key: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly at: string;
  /** For its colour. */
  readonly tone: 'good' | 'busy' | 'bad' | 'plain';
  readonly causes: readonly HistoryCause[];
  /** The number of further causes. */
  readonly moreCauses: number;
  /** Empty: only its time is known. */
  readonly steps: readonly Step[];
}

export interface Timeline {
  /** What is under way, the newest first, and what is blocked at its end. */
  readonly now: readonly WorkloadRow[];
  /** How many more are under way. */
  readonly moreNow: number;
  /** Newest first. */
  readonly past: readonly TimelineItem[];
}

/** Nobody reads more, and the list of workloads has all. */
const mostNow = 8;
const mostPast = 200;

const underWay: ReadonlySet<string> = new Set(['pending', 'waiting', 'blocked']);

/**
 * What is under way by the rows, and what was by the history. A restart that only the workload itself tells of, as with a
 * leader that remembers none, has no causes.
 */
export function timelineOf(
  rows: readonly WorkloadRow[],
  history: readonly HistoryEntry[],
  { search, namespace }: Pick<Filter, 'search' | 'namespace'>,
): Timeline {
  const fits = searchOf(search);
  const isShown = (item: WorkloadRow | TimelineItem): boolean =>
    (namespace === '' || item.namespace === namespace) && fits(wordsOf(item));
  const now = rows.filter((row) => underWay.has(row.state) && isShown(row)).toSorted(byBlockedAndSince);
  const remembered = new Set(history.map((entry) => restartKey(keyOf(entry), entry.at)));
  const oldestMs = Math.min(...history.map(({ at }) => Date.parse(at)));
  const bare = rows.flatMap((row) => {
    const { lastRestartAt } = row;
    // Later ones the history will tell with its next answer.
    if (lastRestartAt === undefined || Date.parse(lastRestartAt) > oldestMs) return [];
    if (remembered.has(restartKey(keyOf(row), lastRestartAt))) return [];
    return [bareItem(row, lastRestartAt)];
  });
  const past = [...history.map(itemOfEntry), ...bare]
    .filter(isShown)
    .toSorted((left, right) => timeOf(right.at) - timeOf(left.at));
  return { now: now.slice(0, mostNow), moreNow: Math.max(0, now.length - mostNow), past: past.slice(0, mostPast) };
}

/** The annotation has whole seconds. */
function restartKey(key: string, at: string): string {
  return `${key} ${Math.floor(Date.parse(at) / 1_000)}`;
}

function byBlockedAndSince(left: WorkloadRow, right: WorkloadRow): number {
  const isBlocked = ({ state }: WorkloadRow): number => Number(state === 'blocked');
  return isBlocked(left) - isBlocked(right) || timeOf(right.since) - timeOf(left.since);
}

function timeOf(time: string | undefined): number {
  return time === undefined ? 0 : Date.parse(time);
}

function wordsOf(item: WorkloadRow | TimelineItem): string {
  const { kind, namespace, name } = item;
  const words = ('causes' in item ? item.causes : []).flatMap((cause) => [
    `${cause.kind} ${cause.name} ${cause.kind}/${cause.name}`,
    ...[cause.author ?? '', cause.manager ?? '', cause.change ?? ''],
    ...(cause.keys ?? []),
  ]);
  return `${namespace}/${kind}/${name} ${words.join(' ')}`;
}

function bareItem(row: WorkloadRow, at: string): TimelineItem {
  const { kind, namespace, name } = row;
  const key = `bare ${keyOf(row)} ${at}`;
  return { key, kind, namespace, name, at, tone: 'plain', causes: [], moreCauses: 0, steps: [] };
}

function itemOfEntry(entry: HistoryEntry): TimelineItem {
  const { kind, namespace, name, at, causes, moreCauses = 0, strategy, id } = entry;
  const [first] = causes;
  const isWritten = entry.outcome !== 'failed' && entry.outcome !== 'dry-run';
  return {
    ...{ key: `past ${keyOf(entry)} ${at} ${id}`, kind, namespace, name, at, causes, moreCauses },
    tone: toneOf(entry.outcome),
    steps: [
      {
        is: 'change',
        state: 'done',
        title: titleOfChange(causes, moreCauses),
        detail: authorOf(causes),
        at: first?.changedAt,
      },
      {
        is: 'decision',
        state: entry.outcome === 'failed' ? 'failed' : 'done',
        title: entry.outcome === 'dry-run' ? 'withheld' : entry.outcome === 'failed' ? 'refused' : 'restart',
        detail: strategy === undefined ? id : `${strategy} · ${id}`,
        at,
      },
      ...(isWritten ? [rolloutOf(entry)] : []),
      outcomeOf(entry),
    ],
  };
}

function titleOfChange([first, ...others]: readonly HistoryCause[], moreCauses: number): string {
  // An entry that would be too long names none of its causes.
  if (!first) return moreCauses === 0 ? 'change' : counted(moreCauses, 'change');
  const more = others.length + moreCauses;
  return `${first.kind} ${first.name}${more === 0 ? '' : ` and ${more} more`}`;
}

/** Who made the changes, each once. */
function authorOf(causes: readonly HistoryCause[]): string {
  const authors = new Set(causes.flatMap(({ author, manager }) => author ?? (manager === undefined ? [] : manager)));
  return authors.size === 0 ? 'author not known' : [...authors].join(', ');
}

function rolloutOf({ outcome, at, outcomeAt }: HistoryEntry): Step {
  const state: StepState = outcome === 'rolling' ? 'running' : outcome === 'unhealthy' ? 'failed' : 'done';
  if (outcome === 'unknown') return { is: 'rollout', state: 'unknown', title: 'rollout', detail: 'not seen', at };
  const tookMs = outcomeAt === undefined ? undefined : Date.parse(outcomeAt) - Date.parse(at);
  const detail = tookMs === undefined ? 'pods are being replaced' : `${(tookMs / 1_000).toFixed(1)} s`;
  return { is: 'rollout', state, title: 'rollout', detail, at };
}

function outcomeOf({ outcome, outcomeAt, reason = '' }: HistoryEntry): Step {
  const states: Readonly<Record<string, StepState>> = {
    ...{ healthy: 'done', superseded: 'done', 'dry-run': 'done', unhealthy: 'failed', failed: 'failed' },
    ...{ rolling: 'running' },
  };
  const title = outcome === 'rolling' ? 'not healthy yet' : outcome.replace('-', ' ');
  return { is: 'outcome', state: states[outcome] ?? 'unknown', title, detail: reason, at: outcomeAt };
}

function toneOf(outcome: string): TimelineItem['tone'] {
  switch (outcome) {
    case 'healthy':
      return 'good';
    case 'rolling':
      return 'busy';
    case 'unhealthy':
    case 'failed':
      return 'bad';
    default:
      return 'plain';
  }
}
