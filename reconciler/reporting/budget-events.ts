import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { WorkloadKey } from '../../shared/domain/plan/tracked-workload';

/** What an Event needs to know of a workload. */
export type EventTarget = Pick<WorkloadRecord, 'kind' | 'namespace' | 'name' | 'uid'>;

/**
 * Events about what is over a budget. Every replica sees it, the one that leads tells it, and what was seen before that is told
 * when the term begins.
 */
export class BudgetEvents {
  readonly #send: (target: EventTarget, message: string) => void;
  readonly #owed = new Map<WorkloadKey, { readonly target: EventTarget; readonly message: string }>();
  #leads = false;

  constructor(send: (target: EventTarget, message: string) => void) {
    this.#send = send;
  }

  /** An empty message: nothing is over a budget any more. Called when that changes, and not each time it is looked at. */
  owe(key: WorkloadKey, { kind, namespace, name, uid }: EventTarget, message: string): void {
    this.#owed.delete(key);
    if (message === '') return;
    this.#owed.set(key, { target: { kind, namespace, name, uid }, message });
    if (this.#leads) this.#tell();
  }

  lead(leads: boolean): void {
    this.#leads = leads;
    if (leads) this.#tell();
  }

  forget(key: WorkloadKey): void {
    this.#owed.delete(key);
  }

  #tell(): void {
    const owed = [...this.#owed.values()];
    this.#owed.clear();
    for (const { target, message } of owed) this.#send(target, message);
  }
}
