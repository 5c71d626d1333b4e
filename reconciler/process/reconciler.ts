import { ContentDigester } from '../../shared/domain/sources/content-digest';
import { errorMessage } from '../../shared/domain/errors';
import type { LintAnswer } from '../../shared/domain/protocol/lint-answer';
import type { MutationAnswer, MutationQuestion } from '../../shared/domain/protocol/mutation-question';
import type { PreviewAnswer, PreviewQuestion } from '../../shared/domain/protocol/preview';
import type { WorkloadQuestion } from '../../shared/domain/protocol/workload-question';
import { digestKey, loadInstallKey, newInstallKey } from '../../shared/kube/secrets/install-keys';
import { isRbacForbidden, PermissionProbe } from '../../shared/kube/client/permission-probe';
import { isAborted, sleep } from '../../shared/runtime/clock';
import { backoffMs, type BackoffOptions } from '../../shared/runtime/random';
import type { Receipt } from '../hints/change-record-intake';
import { Engine } from '../engine/engine';
import type { EngineSettings } from '../options/engine-settings';
import type { EngineDeps } from '../engine/engine-deps';
import type { ReconcilerEngine } from '../engine/reconciler-engine';
import { NotifyingEngine } from '../notify/notifying-engine';
import type { WatchStatus } from '../watch/watches';

const digestKeyBackoff: BackoffOptions = { baseMs: 100, maxMs: 60_000 };

/** It is soon known whether that lasts. */
const refusedMaxMs = 5_000;

/** One or two small requests for a right that may never come; and not in step with the other replicas. */
const sharedKeyEveryMs = 10 * 60_000;

/** What the reconciler is doing, for probes. */
export interface ReconcilerStatus {
  readonly state: 'starting' | 'syncing' | 'standby' | 'acting' | 'stopped';
  /** Why it has not come further than it has; undefined while all is well. */
  readonly problem: string | undefined;
  /** What is unusual about it, though nothing is wrong. */
  readonly remark?: string | undefined;
  readonly watches: readonly WatchStatus[];
}

/** The life of an engine: it begins with the digest key, without which no content may be looked at. */
export class Reconciler {
  readonly #deps: EngineDeps;
  readonly #settings: EngineSettings;
  readonly #stop = new AbortController();
  #engine: ReconcilerEngine | undefined;
  #problem: string | undefined;

  constructor(deps: EngineDeps, settings: EngineSettings) {
    this.#deps = deps;
    this.#settings = settings;
  }

  get status(): ReconcilerStatus {
    const state = this.#stop.signal.aborted ? 'stopped' : (this.#engine?.state ?? 'starting');
    const remarks = [
      ...(this.#settings.dryRun ? ['dry run: nothing is written'] : []),
      this.#engine?.election.remark,
      ...(this.#engine?.keyIsShared === false ? ['with a digest key of this process alone'] : []),
    ].filter((text) => text !== undefined);
    return {
      state,
      problem: this.#problem ?? this.#engine?.election.problem,
      remark: remarks.length === 0 ? undefined : remarks.join(', '),
      watches: this.#engine?.watchStatuses() ?? [],
    };
  }

  /** Change records of the webhook; until the digest key is known they are to be sent again. */
  accept(records: readonly unknown[]): Receipt {
    return this.#engine?.accept(records) ?? { accepted: 0, refused: records.length, full: true };
  }

  /** What a change would restart; undefined where this replica cannot tell, or nothing of ours would be restarted. */
  preview(question: PreviewQuestion): PreviewAnswer | undefined {
    return this.#engine?.questions?.preview(question);
  }

  /** What belongs into a write of a workload; undefined where this replica cannot tell. */
  async marks(question: MutationQuestion): Promise<MutationAnswer | undefined> {
    return await this.#engine?.questions?.marks(question);
  }

  /** What is wrong with what a workload says of restarts; undefined where this replica cannot tell. */
  lint(question: WorkloadQuestion): LintAnswer | undefined {
    return this.#engine?.questions?.lint(question);
  }

  /** Returns at once: key, watches and lease are waited for however long they take. */
  start(): void {
    void this.#begin();
  }

  /** Stops writing, gives the lease back, and resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#engine?.stop();
  }

  /** Never rejects. */
  async #begin(): Promise<void> {
    const { client, clock, random, logger, metrics } = this.#deps;
    if (this.#settings.dryRun) {
      logger.warn('dry run: restarts are decided on and told, and nothing is written');
      metrics.dryRun.set(1);
      // Nothing outlives this process that would have to be compared by the next one.
      this.#run(new ContentDigester(newInstallKey(random)), { keyIsShared: true });
      return;
    }
    const refusals = new PermissionProbe({ client, clock });
    for (let attempt = 0; !this.#stop.signal.aborted; attempt++) {
      let backoff = digestKeyBackoff;
      try {
        const key = await loadInstallKey(client, random, this.#settings.ownNamespace, digestKey);
        this.#problem = undefined;
        this.#run(new ContentDigester(key), { keyIsShared: true });
        return;
      } catch (error) {
        if (await refusals.isRightMissing(error)) {
          this.#goOnWithOwnKey(error);
          return;
        }
        if (isRbacForbidden(error)) backoff = { ...backoff, maxMs: refusedMaxMs };
        this.#problem = `digest key: ${errorMessage(error)}`;
        // A right that is missing is told once.
        const level = isRbacForbidden(error) && attempt > 0 ? 'debug' : 'warn';
        logger[level]('cannot get the digest key; trying again', { error: errorMessage(error) });
      }
      await sleep(clock, backoffMs(random, attempt, backoff), this.#stop.signal);
    }
  }

  /** Under Reloader's own chart there is no right to keep one. */
  #goOnWithOwnKey(error: unknown): void {
    const { random, logger } = this.#deps;
    const { ownNamespace } = this.#settings;
    this.#problem = undefined;
    logger.warn(
      'no right to the digest key, so this process has one of its own: what changes while it is down restarts nothing, and ' +
        'each start records all baselines anew, until there is a right to it',
      {
        error: errorMessage(error),
        fix: `head -c 32 /dev/urandom | kubectl -n ${ownNamespace} create secret generic ${digestKey.secretName} --from-file=key=/dev/stdin`,
      },
    );
    this.#run(new ContentDigester(newInstallKey(random)), { keyIsShared: false });
    // A receiver of changes is told of each: no baseline is recorded under any key.
    if (!this.#deps.webhook) void this.#awaitSharedKey();
  }

  /** The right to it may come, or somebody make the Secret. Never rejects. */
  async #awaitSharedKey(): Promise<void> {
    const { client, clock, random, logger } = this.#deps;
    const { signal } = this.#stop;
    while (!isAborted(signal)) {
      await sleep(clock, sharedKeyEveryMs * (1 + random.float() / 10), signal);
      if (isAborted(signal)) return;
      try {
        const key = await loadInstallKey(client, random, this.#settings.ownNamespace, digestKey);
        if (this.#engine?.useSharedKey(key)) return;
      } catch (error) {
        logger.debug('still no digest key but that of this process', { error: errorMessage(error) });
      }
    }
  }

  #run(digester: ContentDigester, { keyIsShared }: { readonly keyIsShared: boolean }): void {
    // Stopped while the key was on its way.
    if (this.#stop.signal.aborted) return;
    const { webhook } = this.#deps;
    const deps = { ...this.#deps, keyIsShared };
    this.#engine = webhook
      ? new NotifyingEngine(deps, this.#settings, digester, webhook)
      : new Engine(deps, this.#settings, digester);
    this.#engine.start();
  }
}
