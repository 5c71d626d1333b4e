import type { LogLine } from '../../shared/runtime/log/recording-logger';
import type { ApiServer } from '../apiserver/api-server';
import { ownNamespace } from '../engine-settings';
import type { Channel } from './channel';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import type { SimulatedProcess } from './process';
import type { Reconcilers } from './reconcilers';
import type { Webhooks } from './webhooks';

/**
 * A flood on one source takes no room from the others. There are five sources, and one that is named but never existed.
 */
const maxPendingHints = 6 * 64;
/** The most records that one webhook holds for one reconciler, waiting and under way. */
const maxQueuedRecords = 1_100;
/** A hint causes reads at growing intervals, until it is too old to be true. */
const maxReadsPerRecord = 8;
const maxReadsPerSecond = 21;

export interface HybridParts {
  readonly webhooks: Webhooks;
  readonly channel: Channel;
  readonly reconcilers: Reconcilers;
  readonly server: ApiServer;
  /**
   * Whether requests may be forbidden. A process that may not list sources reads those that workloads use by name,
   * again and again.
   */
  readonly mayBeRefused: boolean;
}

/** Webhook and channel must never hold more than promised. */
export async function checkHybrid({
  webhooks,
  channel,
  reconcilers,
  server,
  mayBeRefused,
}: HybridParts): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  for (const { process, metrics } of webhooks.all) {
    const queued = await metrics.sum('reroll_channel_queue_records');
    const most = maxQueuedRecords * Math.max(1, await metrics.sum('reroll_channel_replicas'));
    if (queued > most) found.push(unbounded(`${process.name} queues ${queued} records`));
  }
  for (const { process, metrics } of reconcilers.all) {
    const pending = await metrics.sum('reroll_hints_pending');
    if (pending > maxPendingHints) found.push(unbounded(`${process.name} keeps ${pending} hints`));
    found.push(...checkReads(process, mayBeRefused ? Infinity : channel.deliveredTo(process), server));
  }
  return found;
}

/**
 * Some time after the last record, queues, reviews and pending hints must be empty, and each counted change reported.
 */
export async function checkHybridAtRest({ webhooks, reconcilers, server }: HybridParts): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  // A Job's change is counted when its recreation begins, and reported when that is done, which may be by another
  // process.
  const hasJobs = server.history().some(({ kind, user }) => kind.kind === 'Job' && !isEngine(user));
  for (const { process, metrics } of webhooks.running) {
    for (const metric of ['reroll_channel_queue_records', 'reroll_webhook_in_flight']) {
      const left = await metrics.sum(metric);
      if (left > 0) found.push(unbounded(`${process.name} still has ${left} of ${metric}`));
    }
  }
  for (const { process, lines, metrics } of reconcilers.running) {
    const answered = await metrics.sum('reroll_changes_total');
    const told = lines.reduce((sum, { fields }) => sum + (isAnswer(fields) ? sourcesOf(fields) : 0), 0);
    // Of a restart that has waited for a gate, only changes count of which it is still known how they were seen.
    const hasWaited = lines.some(({ fields: { gate } }) => gate !== undefined);
    const isWrong = hasWaited ? answered > told : answered !== told;
    if (isWrong && !hasJobs) found.push(unbounded(`${process.name} counts ${answered} changes of ${told}`));
    const pending = await metrics.sum('reroll_hints_pending');
    if (pending > 0) found.push(unbounded(`${process.name} still waits for ${pending} hints`));
  }
  return found;
}

/** A line about changes, unless the write that was to answer them was refused, or may not be made yet. */
function isAnswer({ paths, decision, gate }: LogLine['fields']): boolean {
  return paths !== undefined && decision !== 'refused' && gate === undefined;
}

function sourcesOf({ sources }: LogLine['fields']): number {
  return Array.isArray(sources) ? sources.length : 0;
}

function checkReads({ name }: SimulatedProcess, records: number, server: ApiServer): readonly Violation[] {
  const perSecond = new Map<number, number>();
  let [reads, lists] = [0, 0];
  for (const { user, verb, resource, namespace, atMs } of server.requests()) {
    if (user !== name || namespace === ownNamespace) continue;
    if (resource !== 'configmaps' && resource !== 'secrets') continue;
    if (verb === 'list') lists += 1;
    if (verb !== 'get') continue;
    reads += 1;
    const second = Math.floor(atMs / 1000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  const found: Violation[] = [];
  // A source that was read by a list of its name is read once more if a later list contradicts it.
  const most = records * maxReadsPerRecord + lists;
  if (reads > most) found.push(unbounded(`${name} made ${reads} reads for ${records} records and ${lists} lists`));
  const atOnce = Math.max(0, ...perSecond.values());
  if (atOnce > maxReadsPerSecond) found.push(unbounded(`${name} made ${atOnce} reads in one second`));
  return found;
}

function unbounded(sentence: string): Violation {
  return { promise: 'unbounded', sentence };
}
