import { errorMessage } from '../../domain/errors';
import { isOlderVersion } from '../../domain/kubernetes/resource-version';
import type { Clock, Timer } from '../../runtime/clock';
import { isAborted, sleep } from '../../runtime/clock';
import type { Logger } from '../../runtime/log/logger';
import type { Random } from '../../runtime/random';
import type { KubeClient } from '../client/client';
import { AlreadyExistsError, ConflictError } from '../errors';
import type { StoredLease } from './lease-record';
import type { RequestLimits } from '../client/objects';
import { LeaseStore } from './lease-record';
import { microTime } from '../client/micro-time';

export interface LeaderElectionOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process: two processes with one identity would both lead. */
  readonly identity: string;
  /** Others may take over when they have seen no renewal for so long. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** The leader stops so long after its last successful renewal began; below `leaseDurationMs`. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Between attempts to renew or to acquire. Default 2 s. */
  readonly retryPeriodMs?: number;
  /**
   * Told how each attempt to acquire or renew went; undefined: the server answered, whoever leads. May return a period to
   * wait instead of `retryPeriodMs`.
   */
  readonly onAttempt?: (failure: unknown) => number | undefined;
}

export interface LeaderCallbacks {
  /** `previous` is what stood in the Lease before it was acquired; undefined when there was none. */
  onStartedLeading(previous: { readonly renewTimeMs: number } | undefined): void;
  /** Called at once: no write may follow. */
  onStoppedLeading(): void;
  /** The Lease has an older version than before, leading or not: etcd was restored from a backup. */
  onRestored(): void;
}

/** What another's Lease looked like, and since when by our own clock. */
interface Observation {
  readonly version: string;
  readonly sinceMonotonicMs: number;
}

/** A term as leader: counted from the start of the last renewal that succeeded, which is what others may count from. */
interface Term {
  readonly renewStartedMs: number;
  readonly deadline: Timer;
  /** The Lease as we wrote it last; undefined while that is not known. */
  written: StoredLease | undefined;
}

/** Why it ends that was told to stop: nothing to warn of. */
const asked = 'stopped';

/**
 * Elects one leader among processes by a Lease, as client-go does.
 *
 * Remote clocks are never compared with ours: a Lease has expired when it was *seen* unchanged for its duration. A
 * leader that cannot renew stops before anybody else may have seen that (`renewDeadlineMs` < `leaseDurationMs`), even
 * while its request hangs.
 *
 * @see https://kubernetes.io/docs/concepts/architecture/leases/#leader-election
 */
export class LeaderElection {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #store: LeaseStore;
  readonly #identity: string;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  readonly #onAttempt: (failure: unknown) => number | undefined;
  #run:
    | { readonly controller: AbortController; readonly done: Promise<void>; readonly callbacks: LeaderCallbacks }
    | undefined;
  #observed: Observation | undefined;
  #term: Term | undefined;
  /** Whom we took the Lease from, or tried to: after a lost answer it names us and tells no more of them. */
  #takenFrom: { readonly renewTimeMs: number } | undefined;
  /** Of the Lease, as it was seen last. */
  #version = '';
  /** The Lease may name us: a write was sent. */
  #mayHold = false;

  constructor(options: LeaderElectionOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#logger = options.logger.child({ lease: `${options.namespace}/${options.name}`, identity: options.identity });
    this.#store = new LeaseStore(options.client, options.namespace, options.name);
    this.#identity = options.identity;
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000;
    this.#onAttempt = options.onAttempt ?? (() => undefined);
  }

  /** Begins to stand for election; does nothing when it does already. */
  start(callbacks: LeaderCallbacks): void {
    if (this.#run) return;
    const controller = new AbortController();
    this.#run = { controller, callbacks, done: this.#loop(controller.signal, callbacks) };
  }

  /**
   * Asked before every write: a process that was frozen learns here that its term is over, before any timer tells. Then it
   * is over: what is not written for that reason is the business of the next term, so no late answer may prolong this one.
   */
  isLeader(): boolean {
    if (!this.#run || !this.#term) return false;
    if (this.#clock.monotonicMs() - this.#term.renewStartedMs < this.#renewDeadlineMs) return true;
    this.#stepDown(this.#run.callbacks, 'not renewed in time');
    return false;
  }

  /** Steps down and releases the Lease, so that another may lead at once. */
  async stop(): Promise<void> {
    const run = this.#run;
    if (!run) return;
    run.controller.abort();
    this.#stepDown(run.callbacks, asked);
    await run.done;
    if (this.#run !== run) return;
    this.#run = undefined;
    if (this.#mayHold) await this.#release();
  }

  async #loop(signal: AbortSignal, callbacks: LeaderCallbacks): Promise<void> {
    let failing = false;
    while (!signal.aborted) {
      let failure: unknown;
      try {
        await this.#tryAcquireOrRenew(signal, callbacks);
        failing = false;
      } catch (thrown) {
        failure = thrown;
        const fields = { error: errorMessage(thrown) };
        if (isFirstElsewhere(thrown)) this.#logger.debug('lease written by another first', fields);
        else if (!failing && !isAborted(signal)) this.#logger.warn('lease not renewed, trying again', fields);
        failing = true;
      }
      let periodMs = this.#retryPeriodMs;
      if (!isAborted(signal)) this.#call(() => (periodMs = this.#onAttempt(failure) ?? periodMs));
      // Standbys are jittered, or all of them would meet at the moment when a Lease expires.
      await sleep(this.#clock, this.#term ? this.#retryPeriodMs : periodMs * (1 + this.#random.float()), signal);
    }
  }

  async #tryAcquireOrRenew(signal: AbortSignal, callbacks: LeaderCallbacks): Promise<void> {
    // Half of the deadline, so that a request that hangs leaves time for another.
    const limits = { timeoutMs: this.#renewDeadlineMs / 2, signal };
    const own = this.#term?.written;
    if (!own) {
      await this.#write(await this.#store.read(limits), limits, signal, callbacks);
      return;
    }
    // While nobody else writes it, the version of our last write is still the current one: renewing takes one request.
    try {
      await this.#write(own, limits, signal, callbacks);
    } catch (thrown) {
      if (!(thrown instanceof ConflictError)) throw thrown;
      await this.#write(await this.#store.read(limits), limits, signal, callbacks);
    }
  }

  /** Acquires or renews the Lease as it was last seen, if it is ours to have. */
  async #write(
    lease: StoredLease | undefined,
    limits: RequestLimits,
    signal: AbortSignal,
    callbacks: LeaderCallbacks,
  ): Promise<void> {
    if (isAborted(signal)) return;
    this.#noteVersion(lease, callbacks);
    const holder = lease?.record.holder ?? '';
    if (this.#term && holder !== this.#identity) this.#stepDown(callbacks, `held by "${holder}"`);
    if (lease && holder !== '' && holder !== this.#identity && !this.#hasExpired(lease)) return;

    const renewStartedMs = this.#clock.monotonicMs();
    const now = microTime(this.#clock.nowMs());
    const term = this.#term;
    if (holder !== this.#identity) this.#takenFrom = previousOf(lease);
    const previous = this.#takenFrom ?? previousOf(lease);
    this.#mayHold = true;
    // Not known until the answer is there: after a lost one the Lease is read again.
    if (term) term.written = undefined;
    const written = await this.#store.write(
      {
        holder: this.#identity,
        durationMs: this.#leaseDurationMs,
        acquireTime: term ? lease?.record.acquireTime : now,
        renewTime: now,
        transitions: lease ? lease.record.transitions + (holder === this.#identity ? 0 : 1) : 0,
      },
      lease,
      limits,
    );
    if (isAborted(signal)) return;
    this.#noteVersion(written, callbacks);
    // The deadline may have passed while the request was under way: then that term is over, whatever the answer says.
    if (term !== this.#term) return;
    if (this.#clock.monotonicMs() - renewStartedMs >= this.#renewDeadlineMs) return;
    this.#lead(renewStartedMs, written, callbacks);
    if (term) return;
    this.#takenFrom = undefined;
    this.#logger.info('started leading');
    this.#call(() => callbacks.onStartedLeading(previous));
  }

  /** Reads of one object are of etcd itself, so its version only grows. A Lease that was created anew has a newer one, too. */
  #noteVersion(lease: StoredLease | undefined, callbacks: LeaderCallbacks): void {
    if (!lease) return;
    const formerVersion = this.#version;
    this.#version = lease.object.metadata.resourceVersion;
    if (!isOlderVersion(this.#version, formerVersion)) return;
    this.#logger.warn('the Lease is older than before, as after a restore of etcd', {
      version: this.#version,
      formerVersion,
    });
    this.#call(() => callbacks.onRestored());
  }

  /** Whether another's Lease was seen unchanged for as long as its holder asked for. */
  #hasExpired({ object, record }: StoredLease): boolean {
    const nowMs = this.#clock.monotonicMs();
    const version = `${object.metadata.uid} ${record.holder} ${record.renewTime ?? ''} ${record.transitions}`;
    if (this.#observed?.version !== version) this.#observed = { version, sinceMonotonicMs: nowMs };
    return nowMs - this.#observed.sinceMonotonicMs >= Math.max(this.#leaseDurationMs, record.durationMs);
  }

  #lead(renewStartedMs: number, written: StoredLease, callbacks: LeaderCallbacks): void {
    this.#term?.deadline.cancel();
    const leftMs = renewStartedMs + this.#renewDeadlineMs - this.#clock.monotonicMs();
    const deadline = this.#clock.timer(leftMs, () => this.#stepDown(callbacks, 'not renewed in time'));
    this.#term = { renewStartedMs, deadline, written };
  }

  #stepDown(callbacks: LeaderCallbacks, reason: string): void {
    if (!this.#term) return;
    this.#term.deadline.cancel();
    this.#term = undefined;
    this.#logger[reason === asked ? 'info' : 'warn']('stopped leading', { reason });
    this.#call(() => callbacks.onStoppedLeading());
  }

  async #release(): Promise<void> {
    const limits = { timeoutMs: this.#renewDeadlineMs / 2 };
    try {
      const lease = await this.#store.read(limits);
      if (lease?.record.holder !== this.#identity) return;
      await this.#store.write(
        { ...lease.record, holder: '', renewTime: microTime(this.#clock.nowMs()) },
        lease,
        limits,
      );
      this.#logger.info('lease released');
    } catch (thrown) {
      this.#logger.warn('lease not released, it will expire', { error: errorMessage(thrown) });
    }
  }

  #call(callback: () => void): void {
    try {
      callback();
    } catch (thrown) {
      this.#logger.error('a callback of the leader election failed', { error: errorMessage(thrown) });
    }
  }
}

function previousOf(lease: StoredLease | undefined): { readonly renewTimeMs: number } | undefined {
  const renewTimeMs = Date.parse(lease?.record.renewTime ?? '');
  return Number.isNaN(renewTimeMs) ? undefined : { renewTimeMs };
}

/** Nothing is wrong then: one of several was to be first. */
function isFirstElsewhere(thrown: unknown): boolean {
  return thrown instanceof ConflictError || thrown instanceof AlreadyExistsError;
}
