import { errorMessage } from '../../shared/domain/errors';
import { LeaderElection, type LeaderCallbacks } from '../../shared/kube/lease/lease';
import { isRbacForbidden, PermissionProbe } from '../../shared/kube/client/permission-probe';
import type { Logger } from '../../shared/runtime/log/logger';
import type { EngineSettings } from '../options/engine-settings';
import type { EngineDeps } from './engine-deps';

/** Decides which of several replicas acts. */
export interface Election {
  /** Why nobody can be elected; undefined while all is well. */
  readonly problem?: string | undefined;
  /** What is unusual about the election; undefined: nothing. */
  readonly remark?: string | undefined;
  /** The identity of the replica that acts; undefined: nobody acts, or it is not known. */
  readonly leader: string | undefined;
  start(callbacks: LeaderCallbacks): void;
  isLeader(): boolean;
  /** Looks whether etcd was restored, and reports it before it resolves. @throws an error of the request */
  checkRestored(): Promise<void>;
  stop(): Promise<void>;
}

export function electionFor(deps: EngineDeps, settings: EngineSettings): Election {
  return settings.dryRun ? new WithoutLease(settings.identity) : new ElectedOrAlone(deps, settings);
}

/** Leads from start to stop without a Lease. For a process whose acts cannot harm another, such as a dry run. */
class WithoutLease implements Election {
  readonly #identity: string;
  #callbacks: LeaderCallbacks | undefined;

  constructor(identity: string) {
    this.#identity = identity;
  }

  get leader(): string | undefined {
    return this.isLeader() ? this.#identity : undefined;
  }

  start(callbacks: LeaderCallbacks): void {
    if (this.#callbacks) return;
    this.#callbacks = callbacks;
    callbacks.onStartedLeading(undefined);
  }

  isLeader(): boolean {
    return this.#callbacks !== undefined;
  }

  /** There is no Lease that could show a restore. */
  checkRestored(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    const callbacks = this.#callbacks;
    this.#callbacks = undefined;
    callbacks?.onStoppedLeading();
    return Promise.resolve();
  }
}

/** Between attempts while acting as if alone: a refusal every two seconds would fill the audit log. */
const aloneRetryMs = 5 * 60_000;

/**
 * Elects a leader by Lease. Without permission for the Lease, as under Reloader's chart without `enableHA`, this
 * replica acts as if it were alone. It never does so if a request for the Lease has ever succeeded, which proves the
 * permission, or if it is configured as one of several replicas.
 *
 * Two replicas that act at once do no lasting harm: each write applies only to the version that it was decided on.
 */
class ElectedOrAlone implements Election {
  readonly #election: LeaderElection;
  readonly #refusals: PermissionProbe;
  readonly #logger: Logger;
  readonly #mayBeAlone: boolean;
  readonly #identity: string;
  #callbacks: LeaderCallbacks | undefined;
  #answered = false;
  #alone = false;
  #refusal: string | undefined;

  constructor(deps: EngineDeps, { identity, ownNamespace, leaseName, replicated }: EngineSettings) {
    const { client, clock, random, logger, leaseTimings } = deps;
    this.#logger = logger;
    this.#mayBeAlone = !replicated;
    this.#identity = identity;
    this.#refusals = new PermissionProbe({ client, clock });
    this.#election = new LeaderElection({
      ...{ client, clock, random, logger, identity, namespace: ownNamespace, name: leaseName },
      ...leaseTimings,
      onAttempt: (failure) => this.#onAttempt(failure),
    });
  }

  get leader(): string | undefined {
    return this.#alone ? this.#identity : this.#election.leader;
  }

  get problem(): string | undefined {
    return this.#alone || this.#refusal === undefined ? undefined : `lease: ${this.#refusal}`;
  }

  get remark(): string | undefined {
    return this.#alone ? 'acting as if alone, without a right to the Lease' : undefined;
  }

  start(callbacks: LeaderCallbacks): void {
    this.#callbacks = callbacks;
    this.#election.start(callbacks);
  }

  isLeader(): boolean {
    return this.#alone || this.#election.isLeader();
  }

  async checkRestored(): Promise<void> {
    if (!this.#alone) await this.#election.checkRestored();
  }

  async stop(): Promise<void> {
    this.#endAlone();
    this.#callbacks = undefined;
    await this.#election.stop();
  }

  /** Attempts to get the Lease continue: the permission may be granted later. */
  #onAttempt(failure: unknown): number | undefined {
    if (isRbacForbidden(failure)) this.#refusal = errorMessage(failure);
    else {
      this.#refusal = undefined;
      this.#answered ||= failure === undefined;
      if (failure === undefined) this.#endAlone();
    }
    if (!this.#alone && !this.#answered && this.#mayBeAlone) void this.#actAloneIfMissing(failure);
    return this.#alone ? aloneRetryMs : undefined;
  }

  /** Never rejects. */
  async #actAloneIfMissing(failure: unknown): Promise<void> {
    const isMissing = await this.#refusals.isRightMissing(failure);
    // Another attempt may have succeeded while the permission was checked.
    if (!isMissing || this.#alone || this.#answered || this.#refusal === undefined || !this.#callbacks) return;
    this.#alone = true;
    this.#logger.warn(
      'missing permission for the Lease: acting as if this were the only replica, so run no second one',
      {
        error: this.#refusal,
      },
    );
    this.#callbacks.onStartedLeading(undefined);
  }

  #endAlone(): void {
    if (!this.#alone) return;
    this.#alone = false;
    if (!this.#election.isLeader()) this.#callbacks?.onStoppedLeading();
  }
}
