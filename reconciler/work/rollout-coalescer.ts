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

/** What is to become of a restart that is owed: written, put off for a moment, or answered already. */
export type CoalesceDecision =
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** `workload` is of the version that is rolled out. */
  | { readonly kind: 'coalesced'; readonly workload: TrackedWorkload };

interface Entry {
  /** The sources that have changed, and what each came to hold. */
  readonly contents: ReadonlyMap<SourceId, string>;
  readonly kinds: ReadonlySet<SourceKind>;
  /** Of the last of these changes. */
  readonly version: string;
  /** When that was, by the API server's clock; undefined: not known. */
  readonly writtenAtMs: number | undefined;
  /** What the workload was when the first of them was seen. */
  readonly seen: Pick<WorkloadRecord, 'generation' | 'rolloutStatus'>;
  /** What the workload was at that version; undefined: not read yet. */
  readonly before: Before | undefined;
  /** The generation whose template is known to be another than that. */
  readonly newGeneration: number | undefined;
}

/** A workload all of whose pods were of one template. */
interface Before {
  readonly uid: string;
  readonly generation: number;
  readonly template: string;
  readonly readMs: number;
}

/** A workload as a read has shown it. */
interface State {
  readonly object: KubeObject;
  readonly record: WorkloadRecord;
  readonly template: string;
}

const restart: CoalesceDecision = { kind: 'restart' };

/** A read each for more workloads would be a burden that one rollout less is not worth. */
const maxUsers = 20;

/** A restart waits for it. */
const timeoutMs = 5_000;

const lookAgainMs = 1_000;

/** As long as a Deployment may take by default; what takes longer may never end, and the change is owed all the while. */
const maxWaitMs = 10 * 60_000;

/**
 * Sees whether a restart that is owed has been answered by somebody else's rollout: of a release that changes a ConfigMap
 * and then the image of the Deployment that uses it, say. Two watches tell no order; a read of the past does:
 *
 *     source stored, and at that version all pods are of template A ─▶ template B stored ─▶ all pods are of B
 *
 * Pods of B start with what the source has held since before there was a B. It is recorded when they are all of B and not at
 * once: a rollout that is taken back half-way leaves pods of A. Memory only: what is forgotten here is answered by a restart.
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
  changed({ kind, name, after }: SourceChange, users: readonly TrackedWorkload[]): void {
    const id = sourceId(kind, name);
    for (const workload of users) {
      const { key, record } = workload;
      const known = this.#entries.get(key);
      // What was read for former changes is no help with this one.
      this.#entries.delete(key);
      // A deletion gives no version, and a list may not show the content.
      if (!after || !hasContent(after) || users.length > maxUsers || !isRolledOutByTemplate(record)) continue;
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

  /** Whether a rollout answers these changes. Throws a StaleWorkloadError if the plan is not for what is stored now. */
  async look(workload: TrackedWorkload, changes: readonly Verdict[]): Promise<CoalesceDecision> {
    const { key, record } = workload;
    const known = this.#entries.get(key);
    // A change that was not seen, or seen otherwise, may have come later.
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
    // Another change has come meanwhile, and is looked at with this one.
    if (this.#entries.get(key) !== entry) return wait;
    if (state.record.rolloutStatus === 'complete') return { kind: 'coalesced', workload: now };
    if (entry.newGeneration === undefined) {
      const name = describeWorkload(record);
      this.#options.logger.info(
        `${name} is rolled out by somebody else; restarted only if that is taken back or takes too long`,
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
   * Carries out the write that answers what has changed so far. If it fails it is decided on anew, and what was read for
   * it counts again, unless there is a change that it was not read for.
   */
  async answering<T>(key: WorkloadKey, write: () => Promise<T>): Promise<T> {
    // Not those of today: they may have been cleared by the time of the answer.
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

  /** Nothing is owed to the workload any more, or it is gone. */
  forget(key: WorkloadKey): void {
    this.#entries.delete(key);
  }

  /** From now on changes may go unseen. */
  clear(): void {
    this.#entries = new Map();
  }

  /** Undefined where it cannot be known, or is no help. */
  async #before(record: WorkloadRecord, { version, kinds }: Entry): Promise<Before | undefined> {
    const state = await this.#state(record, async () => await this.#history.at(record, version, kinds));
    // Pods of a former template may have seen the former content, and that template may come back.
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
      logger.debug(`cannot read ${workload} to see whether it is rolled out anyway`, { error: errorMessage(error) });
      return undefined;
    }
  }
}

/** Nearly all workloads are as they were when the change was seen, and that had come before it: seen without a read. */
function mayBeRolledOutSince({ generation, writtenAtMs }: WorkloadRecord, change: Entry): boolean {
  const { seen, writtenAtMs: changedAtMs } = change;
  if (generation !== seen.generation || seen.rolloutStatus !== 'complete') return true;
  return writtenAtMs === undefined || changedAtMs === undefined || writtenAtMs > changedAtMs;
}

/** Of one that is held paused, a new template rolls nothing out. */
function isRolledOutByTemplate({ rolloutStatus, pause }: WorkloadRecord): boolean {
  return rolloutStatus !== 'unknown' && pause === undefined;
}
