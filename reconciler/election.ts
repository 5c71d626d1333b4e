import type { LeaderCallbacks } from '../shared/kube/lease';

/** Who of several replicas acts. */
export interface Election {
  start(callbacks: LeaderCallbacks): void;
  isLeader(): boolean;
  stop(): Promise<void>;
}

/** Asks nobody: acts from its start to its end. For a process that cannot harm another by what it does. */
export class WithoutLease implements Election {
  #callbacks: LeaderCallbacks | undefined;

  start(callbacks: LeaderCallbacks): void {
    if (this.#callbacks) return;
    this.#callbacks = callbacks;
    callbacks.onStartedLeading(undefined);
  }

  isLeader(): boolean {
    return this.#callbacks !== undefined;
  }

  stop(): Promise<void> {
    const callbacks = this.#callbacks;
    this.#callbacks = undefined;
    callbacks?.onStoppedLeading();
    return Promise.resolve();
  }
}
