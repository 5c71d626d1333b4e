import { ContentDigester } from '../../shared/domain/sources/content-digest';
import { errorMessage } from '../../shared/domain/errors';
import type { HealthInspection } from '../../shared/domain/protocol/health-inspection';
import type { LintAnswer } from '../../shared/domain/protocol/lint-answer';
import type { MutationAnswer, MutationQuestion } from '../../shared/domain/protocol/mutation-question';
import type { PreviewAnswer, PreviewQuestion } from '../../shared/domain/protocol/preview';
import type { WorkloadQuestion } from '../../shared/domain/protocol/workload-question';
import { digestKey, loadInstallKey, newInstallKey } from '../../shared/kube/secrets/install-keys';
import { isRbacForbidden, PermissionProbe } from '../../shared/kube/client/permission-probe';
import { isAborted, sleep } from '../../shared/runtime/clock';
import { backoffMs, type BackoffOptions } from '../../shared/runtime/random';
import { version } from '../../shared/runtime/version';
import type { Receipt } from '../hints/change-record-intake';
import { Engine } from '../engine/engine';
import type { EngineSettings } from '../options/engine-settings';
import type { EngineDeps } from '../engine/engine-deps';
import type { ReconcilerEngine } from '../engine/reconciler-engine';
import { noWork, watchFacts } from '../inspection/health-facts';
import type { Inspections } from '../inspection/inspections';
import { NotifyingEngine } from '../notify/notifying-engine';
import type { WatchStatus } from '../watch/watches';

const digestKeyBackoff: BackoffOptions = { baseMs: 100, maxMs: 60_000 };

/** The permission probe soon knows whether a refusal lasts. */
const refusedMaxMs = 5_000;

/** Each try is one or two small requests, for a permission that may never be granted. Replicas never try in step. */
const sharedKeyEveryMs = 10 * 60_000;

/** The state of the reconciler, for probes. */
export interface ReconcilerStatus {
  readonly state: 'starting' | 'syncing' | 'standby' | 'acting' | 'stopped';
  /** Why it makes no progress; undefined while all is well. */
  readonly problem: string | undefined;
  /** Something unusual that is not an error. */
  readonly remark?: string | undefined;
  readonly watches: readonly WatchStatus[];
}

/** Starts and stops an engine. An engine needs the digest key first: without it no content may be looked at. */
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
      ...(this.#engine?.keyIsShared === false
        ? ['with its own digest key, so changes made while it is down restart nothing']
        : []),
    ].filter((text) => text !== undefined);
    return {
      state,
      problem: this.#problem ?? this.#engine?.election.problem,
      remark: remarks.length === 0 ? undefined : remarks.join(', '),
      watches: this.#engine?.watchStatuses() ?? [],
    };
  }

  /** The state of the reconciler, for people who ask. */
  get health(): HealthInspection {
    const { state, problem, remark, watches } = this.status;
    const leader = this.#engine?.election.leader;
    const clockAheadMs = this.#deps.clockAheadMs?.();
    return {
      ...{ v: 1, state, version, identity: this.#settings.identity },
      ...(leader !== undefined && { leader }),
      ...(problem !== undefined && { problem }),
      ...(remark !== undefined && { remark }),
      ...(clockAheadMs !== undefined && { clockAheadMs }),
      watches: watchFacts(watches),
      ...(this.#engine?.inspections?.work() ?? noWork),
    };
  }

  /** Answers people. Undefined until there is a digest key, and if no workload is managed here. */
  get inspections(): Inspections | undefined {
    return this.#engine?.inspections;
  }

  /** Accepts change records. Until the digest key is known, the webhook must send them again. */
  accept(records: readonly unknown[]): Receipt {
    return this.#engine?.accept(records) ?? { accepted: 0, refused: records.length, full: true };
  }

  /**
   * Which workloads a change would restart. Undefined if this replica cannot answer, or if no workload is managed here.
   */
  preview(question: PreviewQuestion): PreviewAnswer | undefined {
    return this.#engine?.questions?.preview(question);
  }

  /** What to add to a write of a workload; undefined if this replica cannot answer. */
  async mutate(question: MutationQuestion): Promise<MutationAnswer | undefined> {
    return await this.#engine?.questions?.mutate(question);
  }

  /** Mistakes in a workload's annotations; undefined if this replica cannot answer. */
  lint(question: WorkloadQuestion): LintAnswer | undefined {
    return this.#engine?.questions?.lint(question);
  }

  /** Returns at once. Key, watches and Lease may take as long as they need. */
  start(): void {
    void this.#begin();
  }

  /** Stops writing, releases the Lease, and resolves when nothing is in progress any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#engine?.stop();
  }

  /** Never rejects. */
  async #begin(): Promise<void> {
    const { client, clock, random, logger, metrics } = this.#deps;
    if (this.#settings.dryRun) {
      logger.warn('dry run: restarts are decided and logged, but nothing is written');
      metrics.dryRun.set(1);
      // A dry run stores no digest that the next process would have to compare.
      this.#run(newInstallKey(random), { keyIsShared: true });
      return;
    }
    const permissions = new PermissionProbe({ client, clock });
    for (let attempt = 0; !this.#stop.signal.aborted; attempt++) {
      let backoff = digestKeyBackoff;
      try {
        const key = await loadInstallKey(client, random, this.#settings.ownNamespace, digestKey);
        this.#problem = undefined;
        this.#run(key, { keyIsShared: true });
        return;
      } catch (error) {
        if (await permissions.isRightMissing(error)) {
          this.#continueWithOwnKey(error);
          return;
        }
        if (isRbacForbidden(error)) backoff = { ...backoff, maxMs: refusedMaxMs };
        this.#problem = `digest key: ${errorMessage(error)}`;
        // A missing permission is reported once.
        const level = isRbacForbidden(error) && attempt > 0 ? 'debug' : 'warn';
        logger[level]('cannot get the digest key; trying again', { error: errorMessage(error) });
      }
      await sleep(clock, backoffMs(random, attempt, backoff), this.#stop.signal);
    }
  }

  /** Reroll may not store a key, for example with the roles of Reloader's own chart. */
  #continueWithOwnKey(error: unknown): void {
    const { random, logger } = this.#deps;
    const { ownNamespace } = this.#settings;
    this.#problem = undefined;
    logger.warn(
      'missing permission for the digest key, so this process has one of its own: changes made while it is down restart nothing, and ' +
        'each start records all baselines again, until it is granted',
      {
        error: errorMessage(error),
        fix: `head -c 32 /dev/urandom | kubectl -n ${ownNamespace} create secret generic ${digestKey.secretName} --from-file=key=/dev/stdin`,
      },
    );
    this.#run(newInstallKey(random), { keyIsShared: false });
    // In webhook mode no baseline is recorded under any key, so the shared key is not needed.
    if (!this.#deps.webhook) void this.#awaitSharedKey();
  }

  /** The permission may be granted later, or somebody may create the Secret. Never rejects. */
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
        logger.debug('still without the digest key of the install', { error: errorMessage(error) });
      }
    }
  }

  #run(key: Buffer, { keyIsShared }: { readonly keyIsShared: boolean }): void {
    // It may have been stopped while the key was being loaded.
    if (this.#stop.signal.aborted) return;
    const { forms, webhook } = this.#deps;
    const digester = new ContentDigester(key, undefined, forms);
    const deps = { ...this.#deps, keyIsShared };
    this.#engine = webhook
      ? new NotifyingEngine(deps, this.#settings, digester, webhook)
      : new Engine(deps, this.#settings, digester);
    this.#engine.start();
  }
}
