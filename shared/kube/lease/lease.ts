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

/** Timings of the election. The defaults are those of client-go. */
export interface LeaseTimings {
  /** Others may take over after seeing no renewal for this time. Default 15 s. */
  readonly leaseDurationMs?: number;
  /**
   * The leader stops this long after the start of its last successful renewal. Must be less than `leaseDurationMs`.
   * Default 10 s.
   */
  readonly renewDeadlineMs?: number;
  /** Time between attempts to renew or to acquire. Default 2 s. */
  readonly retryPeriodMs?: number;
}

export interface LeaderElectionOptions extends LeaseTimings {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process: two processes with one identity would both lead. */
  readonly identity: string;
  /**
   * Called after each attempt to acquire or renew, with the failure; undefined: the server answered, whoever leads. A
   * process that does not lead waits for the returned period instead of `retryPeriodMs`, if there is one.
   */
  readonly onAttempt?: (failure: unknown) => number | undefined;
}

export interface LeaderCallbacks {
  /**
   * Called when a term begins. `previous` shows when the Lease was last renewed before it was acquired; undefined if
   * there was no Lease, or none with a readable time. The time is by the API server's clock if managedFields show it,
   * because the holder's clock may be off by minutes.
   */
  onStartedLeading(previous: { readonly renewTimeMs: number } | undefined): void;
  /** Called as soon as the term ends: no write may follow. */
  onStoppedLeading(): void;
  /**
   * Called when the Lease has an older version than before: etcd was restored from a backup. `version` is the older
   * version. Called for leaders and standbys.
   */
  onRestored(version: string): void;
}

/** Another holder's Lease, and the time since which it has been seen unchanged, by this process's own clock. */
interface Observation {
  readonly version: string;
  readonly sinceMonotonicMs: number;
}

/** A term as leader. It counts from the start of the last successful renewal, because others may count from then. */
interface Term {
  readonly renewStartedMs: number;
  readonly deadline: Timer;
  /** The Lease as this process last wrote it; undefined if that is not known. */
  written: StoredLease | undefined;
}

/** The reason for stopping on request, which is not worth a warning. */
const requested = 'stopped';

/**
 * Elects one leader among processes by a Lease, as client-go does.
 *
 * Remote clocks are never compared with the local one: a Lease has expired if it was *seen* unchanged for its duration.
 * A leader that cannot renew stops before others can see its Lease as expired (`renewDeadlineMs` < `leaseDurationMs`),
 * even while its request hangs.
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
  /**
   * The last renewal by the previous holder. Kept here because after a lost answer the Lease already names this
   * process.
   */
  #takenFrom: { readonly renewTimeMs: number } | undefined;
  /** The version of the Lease when it was last read. */
  #version = '';
  /** What the Lease says of the last restore of etcd, or what it is to say. */
  #restored: string | undefined;
  /** True once a write was sent: the Lease may then name this process. */
  #mayHold = false;
  /** The holder when the Lease was last read; '' when nobody holds it. */
  #holder = '';

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

  /**
   * Who leads, as far as this process has seen; undefined: nobody, or not known. After a term of this process, the
   * Lease names it until somebody else takes over.
   */
  get leader(): string | undefined {
    if (this.#term) return this.#identity;
    return this.#holder === '' || this.#holder === this.#identity ? undefined : this.#holder;
  }

  /** Starts to take part in the election; does nothing if it has already started. */
  start(callbacks: LeaderCallbacks): void {
    if (this.#run) return;
    const controller = new AbortController();
    this.#run = { controller, callbacks, done: this.#loop(controller.signal, callbacks) };
  }

  /**
   * Call it before every write: after a freeze, the process learns here that its term is over, before any timer fires.
   * The term then ends, so that no late answer can prolong it. The next term does what was not written.
   */
  isLeader(): boolean {
    if (!this.#run || !this.#term) return false;
    if (this.#clock.monotonicMs() - this.#term.renewStartedMs < this.#renewDeadlineMs) return true;
    this.#stepDown(this.#run.callbacks, 'not renewed in time');
    return false;
  }

  /**
   * Reads the Lease, so that a restore of etcd is reported now and not at the next renewal. Resolves after the report.
   *
   * @throws an error of the request
   */
  async checkRestored(): Promise<void> {
    if (!this.#run) return;
    const { callbacks, controller } = this.#run;
    const knownVersion = this.#version;
    const lease = await this.#store.read({ timeoutMs: this.#renewDeadlineMs / 2, signal: controller.signal });
    // The answer to a concurrent renewal may have arrived first and be newer than this one. So compare this answer with
    // the version that was known when it was requested.
    if (!lease || !isOlderVersion(lease.object.metadata.resourceVersion, knownVersion)) return;
    // The restore has undone this process's last write: the next renewal must read the Lease again.
    if (this.#term) this.#term.written = undefined;
    this.#noteVersion(lease, callbacks);
  }

  /** Steps down and releases the Lease, so that another process may lead at once. */
  async stop(): Promise<void> {
    const run = this.#run;
    if (!run) return;
    run.controller.abort();
    this.#stepDown(run.callbacks, requested);
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
        // If another was faster, the server has answered: a process that acts without a Lease must learn that.
        if (!isFirstElsewhere(thrown)) failure = thrown;
        const fields = { error: errorMessage(thrown) };
        if (failure === undefined) this.#logger.debug('another process wrote the lease first', fields);
        else if (!failing && !isAborted(signal)) this.#logger.warn('lease not renewed, trying again', fields);
        failing = failure !== undefined;
      }
      let periodMs = this.#retryPeriodMs;
      if (!isAborted(signal)) this.#call(() => (periodMs = this.#onAttempt(failure) ?? periodMs));
      // Standbys are jittered; otherwise all of them would write at the moment when a Lease expires.
      await sleep(this.#clock, this.#term ? this.#retryPeriodMs : periodMs * (1 + this.#random.float()), signal);
    }
  }

  async #tryAcquireOrRenew(signal: AbortSignal, callbacks: LeaderCallbacks): Promise<void> {
    // Half of the deadline, so that there is time for another request after one that hangs.
    const limits = { timeoutMs: this.#renewDeadlineMs / 2, signal };
    const own = this.#term?.written;
    if (!own) {
      await this.#write(await this.#store.read(limits), limits, signal, callbacks);
      return;
    }
    // While nobody else writes the Lease, the version of the last write is current: a renewal takes one request.
    try {
      await this.#write(own, limits, signal, callbacks);
    } catch (thrown) {
      if (!(thrown instanceof ConflictError)) throw thrown;
      await this.#write(await this.#store.read(limits), limits, signal, callbacks);
    }
  }

  /** Acquires or renews the Lease, given its last known state, if this process may hold it. */
  async #write(
    lease: StoredLease | undefined,
    limits: RequestLimits,
    signal: AbortSignal,
    callbacks: LeaderCallbacks,
  ): Promise<void> {
    if (isAborted(signal)) return;
    this.#noteVersion(lease, callbacks);
    const holder = lease?.record.holder ?? '';
    this.#holder = holder;
    if (this.#term && holder !== this.#identity) this.#stepDown(callbacks, `held by "${holder}"`);
    if (lease && holder !== '' && holder !== this.#identity && !this.#hasExpired(lease)) return;

    const renewStartedMs = this.#clock.monotonicMs();
    const now = microTime(this.#clock.nowMs());
    const term = this.#term;
    if (holder !== this.#identity) this.#takenFrom = previousOf(lease);
    const previous = this.#takenFrom ?? previousOf(lease);
    this.#mayHold = true;
    // The version is unknown until the answer arrives. If the answer is lost, the Lease is read again.
    if (term) term.written = undefined;
    const written = await this.#store.write(
      {
        holder: this.#identity,
        durationMs: this.#leaseDurationMs,
        acquireTime: term ? lease?.record.acquireTime : now,
        renewTime: now,
        transitions: lease ? lease.record.transitions + (holder === this.#identity ? 0 : 1) : 0,
        restored: this.#restored,
      },
      lease,
      limits,
    );
    if (isAborted(signal)) return;
    this.#noteVersion(written, callbacks);
    // The deadline may have passed during the request: then that term is over, whatever the answer is.
    if (term !== this.#term) return;
    if (this.#clock.monotonicMs() - renewStartedMs >= this.#renewDeadlineMs) return;
    this.#lead(renewStartedMs, written, callbacks);
    if (term) return;
    this.#takenFrom = undefined;
    this.#logger.info('started leading');
    this.#call(() => callbacks.onStartedLeading(previous));
  }

  /**
   * Detects a restore of etcd. Reads of single objects come from etcd itself, so otherwise the version only grows, even
   * if the Lease was recreated. If the versions go on from a higher number (\`etcdutl snapshot restore --bump-revision\`), the
   * next renewal hides the restore from everybody but the holder, so the Lease tells the others.
   */
  #noteVersion(lease: StoredLease | undefined, callbacks: LeaderCallbacks): void {
    if (!lease) return;
    const formerVersion = this.#version;
    this.#version = lease.object.metadata.resourceVersion;
    const { restored } = lease.record;
    const isOlder = isOlderVersion(this.#version, formerVersion);
    const isTold = restored !== undefined && restored !== this.#restored;
    if (isTold) this.#restored = restored;
    else if (isOlder) this.#restored = this.#version;
    // The first sight of the Lease, after a start, is no news.
    if (!isOlder && !(isTold && formerVersion !== '')) return;
    const why = isOlder ? 'the Lease is older than before, as after' : 'another replica has noticed';
    this.#logger.warn(`${why} a restore of etcd`, { version: this.#version, formerVersion });
    this.#call(() => callbacks.onRestored(this.#version));
  }

  /** Whether another holder's Lease was seen unchanged for the duration that its holder set. */
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
    this.#logger[reason === requested ? 'info' : 'warn']('stopped leading', { reason });
    this.#call(() => callbacks.onStoppedLeading());
  }

  async #release(): Promise<void> {
    try {
      try {
        await this.#releaseIfHeld();
      } catch (thrown) {
        if (!(thrown instanceof ConflictError)) throw thrown;
        // The stop cuts off a renewal under way, and the server may carry it out after the Lease was read here.
        await this.#releaseIfHeld();
      }
    } catch (thrown) {
      this.#logger.warn('lease not released, it will expire', { error: errorMessage(thrown) });
    }
  }

  async #releaseIfHeld(): Promise<void> {
    const limits = { timeoutMs: this.#renewDeadlineMs / 2 };
    const lease = await this.#store.read(limits);
    if (lease?.record.holder !== this.#identity) return;
    await this.#store.write({ ...lease.record, holder: '', renewTime: microTime(this.#clock.nowMs()) }, lease, limits);
    this.#logger.info('lease released');
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
  const renewTimeMs = lease?.writtenAtMs ?? Date.parse(lease?.record.renewTime ?? '');
  return Number.isNaN(renewTimeMs) ? undefined : { renewTimeMs };
}

/** Whether another process wrote the Lease first, which is not a fault. */
function isFirstElsewhere(thrown: unknown): boolean {
  return thrown instanceof ConflictError || thrown instanceof AlreadyExistsError;
}
