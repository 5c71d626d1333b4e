import { errorMessage } from '../../shared/domain/errors';
import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import { hasContent, sourceId, type SourceId, type SourceKind } from '../../shared/domain/sources/source';
import { templateDigest } from '../../shared/domain/workloads/template-digest';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { getObject, type KubeObject } from '../../shared/kube/client/objects';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { readAgain } from '../apply/read-again';
import type { ApplyContext } from '../apply/restart';
import type { Verdict } from '../../shared/domain/plan/verdict';
import { describeWorkload } from '../../shared/domain/plan/describe-change';
import type { SourceChange } from '../sources/source-index';
import { WorkloadHistory } from '../workloads/workload-history';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';

export interface RolloutCoalescerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly context: Pick<ApplyContext, 'client' | 'read'>;
}

/** What happens to an owed restart: it is written, delayed for a moment, or already answered by another rollout. */
export type CoalesceDecision =
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** `workload` is at the version that is rolled out. */
  | { readonly kind: 'coalesced'; readonly workload: TrackedWorkload };

interface Entry {
  /** The sources that changed, with the new content of each. */
  readonly contents: ReadonlyMap<SourceId, string>;
  readonly kinds: ReadonlySet<SourceKind>;
  /** The version of the last of these changes. */
  readonly version: string;
  /** When the last change was written, by the API server's clock; undefined: not known. */
  readonly writtenAtMs: number | undefined;
  /** The workload when the first of these changes was seen. */
  readonly seen: Pick<WorkloadRecord, 'generation' | 'rolloutStatus'>;
  /** The workload at `version`; undefined: not read yet. */
  readonly before: Before | undefined;
  /** A generation whose template is known to differ from the one in `before`. */
  readonly newGeneration: number | undefined;
}

/** A workload whose pods all had one template. */
interface Before {
  readonly uid: string;
  readonly generation: number;
  readonly template: string;
  readonly readMs: number;
}

/** A workload as returned by a read. */
interface State {
  readonly object: KubeObject;
  readonly record: WorkloadRecord;
  readonly template: string;
}

const restart: CoalesceDecision = { kind: 'restart' };

/** Each workload costs a read. Beyond this number, saving a rollout is not worth the reads. */
const maxUsers = 20;

/**
 * Changed sources of one workload. A workload that names sources by a pattern, and may not restart for weeks, would
 * gather them all, and each further change copies them.
 */
const maxSources = 100;

/** A restart waits for this read. */
const timeoutMs = 5_000;

const lookAgainMs = 1_000;

/**
 * The default progress deadline of a Deployment. A longer rollout may never end, and the change is owed all the while.
 */
const maxWaitMs = 10 * 60_000;

/**
 * Finds out whether somebody else's rollout has already answered an owed restart, as when a release changes a ConfigMap
 * and then the image of the Deployment that uses it. Two watches give no order of events; a read of the past does:
 *
 *     source stored, and at that version all pods are of template A ─▶ template B stored ─▶ all pods are of B
 *
 * Pods of B start with content that the source has held since before B existed. The change is recorded only when all
 * pods are of B: a rollout that is undone halfway leaves pods of A. Memory only: what is forgotten here is answered by
 * a restart.
 */
export class RolloutCoalescer {
  readonly #options: RolloutCoalescerOptions;
  #entries = new Map<WorkloadKey, Entry>();
  readonly #history: WorkloadHistory;

  constructor(options: RolloutCoalescerOptions) {
    this.#options = options;
    this.#history = new WorkloadHistory(options.context.client, { timeoutMs });
  }

  /** A source changed that these workloads may use. */
  changed(change: SourceChange, users: readonly TrackedWorkload[]): void {
    const { kind, after } = change;
    const id = sourceId(change);
    for (const workload of users) {
      const { key, record } = workload;
      const known = this.#entries.get(key);
      // What was read for earlier changes does not cover this one.
      this.#entries.delete(key);
      // A deletion has no version, and a list may not include the content.
      if (!after || !hasContent(after) || users.length > maxUsers || !isRolledOutByTemplate(record)) continue;
      if (known && !known.contents.has(id) && known.contents.size >= maxSources) continue;
      const isLast = !known || !isOlderVersion(after.resourceVersion, known.version);
      this.#entries.set(key, {
        contents: new Map(known?.contents).set(id, after.content.whole()),
        kinds: new Set(known?.kinds).add(kind),
        version: isLast ? after.resourceVersion : known.version,
        writtenAtMs: isLast ? after.writtenAtMs : known.writtenAtMs,
        ...{ seen: known?.seen ?? record, before: undefined, newGeneration: undefined },
      });
    }
  }

  /**
   * Whether a rollout answers these changes. Throws a StaleWorkloadError if the plan is not for the stored workload.
   */
  async look(workload: TrackedWorkload, changes: readonly Verdict[]): Promise<CoalesceDecision> {
    const { key, record } = workload;
    const known = this.#entries.get(key);
    // A change that was not seen, or was seen with other content, may be later.
    if (!known || !changes.every(({ id, whole }) => whole !== undefined && known.contents.get(id) === whole)) {
      return restart;
    }
    if (!isRolledOutByTemplate(record) || !mayBeRolledOutSince(record, known)) return restart;
    const before = known.before ?? (await this.#before(record, known));
    if (!before) return restart;
    const entry = { ...known, before };
    if (this.#entries.get(key) === known) this.#entries.set(key, entry);
    if (record.uid !== before.uid || record.generation <= before.generation) return restart;
    if (this.#options.clock.monotonicMs() - before.readMs > maxWaitMs) return restart;
    const wait: CoalesceDecision = { kind: 'wait', afterMs: lookAgainMs };
    if (entry.newGeneration === record.generation && record.rolloutStatus !== 'complete') return wait;
    const state = await this.#get(record);
    if (!state) return restart;
    const now = readAgain(this.#options.context, workload, state.object);
    if (state.template === before.template) return restart;
    // Another change arrived meanwhile. The next look covers both.
    if (this.#entries.get(key) !== entry) return wait;
    if (state.record.rolloutStatus === 'complete') return { kind: 'coalesced', workload: now };
    if (entry.newGeneration === undefined) {
      const name = describeWorkload(record);
      this.#options.logger.info(
        `${name}: another rollout is in progress; Reroll restarts it only if that rollout is undone or takes too long`,
        {
          workload: name,
          sources: changes.map(({ id }) => id),
        },
      );
    }
    this.#entries.set(key, { ...entry, newGeneration: state.record.generation });
    return wait;
  }

  /**
   * Runs the write that answers all changes so far. If it fails, the decision is made again, and the earlier read
   * counts again unless there is a change that it did not cover.
   */
  async answering<T>(key: WorkloadKey, write: () => Promise<T>): Promise<T> {
    // `clear` may replace the map before the answer arrives.
    const entries = this.#entries;
    const entry = entries.get(key);
    entries.delete(key);
    try {
      return await write();
    } catch (error) {
      if (entry && !entries.has(key)) entries.set(key, entry);
      throw error;
    }
  }

  /** Nothing is owed to the workload any more, or it is deleted. */
  forget(key: WorkloadKey): void {
    this.#entries.delete(key);
  }

  /** Forgets all changes: from now on some may go unseen. */
  clear(): void {
    this.#entries = new Map();
  }

  /** The workload at the version of the change. Undefined if it cannot be known or does not help. */
  async #before(record: WorkloadRecord, { version, kinds }: Entry): Promise<Before | undefined> {
    const state = await this.#state(record, async () => await this.#history.at(record, version, kinds));
    // Pods of an earlier template may have seen the earlier content, and that template may come back.
    if (state?.record.rolloutStatus !== 'complete') return undefined;
    const { uid, generation } = state.record;
    return { uid, generation, template: state.template, readMs: this.#options.clock.monotonicMs() };
  }

  async #get(record: WorkloadRecord): Promise<State | undefined> {
    const { kind, namespace, name } = record;
    const { client } = this.#options.context;
    return await this.#state(
      record,
      async () => await getObject(client, workloadKind(kind).resource, namespace, name, { timeoutMs }),
    );
  }

  async #state(
    { kind: kindName, namespace, name }: WorkloadRecord,
    read: () => Promise<KubeObject | undefined>,
  ): Promise<State | undefined> {
    const { context, logger } = this.#options;
    try {
      const object = await read();
      return (
        object && {
          object,
          record: context.read(kindName, object),
          template: templateDigest(workloadKind(kindName), object),
        }
      );
    } catch (error) {
      const workload = describeWorkload({ kind: kindName, namespace, name });
      logger.debug(`cannot read ${workload} to see whether somebody else rolls it out`, { error: errorMessage(error) });
      return undefined;
    }
  }
}

/**
 * Whether a rollout may have begun since the change. This saves most reads: nearly all workloads are unchanged since
 * the change was seen, and were written before it.
 */
function mayBeRolledOutSince({ generation, writtenAtMs }: WorkloadRecord, change: Entry): boolean {
  const { seen, writtenAtMs: changedAtMs } = change;
  if (generation !== seen.generation || seen.rolloutStatus !== 'complete') return true;
  return writtenAtMs === undefined || changedAtMs === undefined || writtenAtMs > changedAtMs;
}

/** A new template rolls nothing out while the workload is held paused. */
function isRolledOutByTemplate({ rolloutStatus, pause }: WorkloadRecord): boolean {
  return rolloutStatus !== 'unknown' && pause === undefined;
}
