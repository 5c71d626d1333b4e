import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { WorkloadKey } from '../../shared/domain/plan/tracked-workload';

/** The fields of a workload that an Event needs. */
export type EventTarget = Pick<WorkloadRecord, 'kind' | 'namespace' | 'name' | 'uid'>;

/**
 * Writes Events about exceeded budgets. Every replica sees them, but only the leader reports them. What was seen before
 * a term is reported when it begins.
 */
export class BudgetEvents {
  readonly #send: (target: EventTarget, message: string) => void;
  readonly #owed = new Map<WorkloadKey, { readonly target: EventTarget; readonly message: string }>();
  #leads = false;

  constructor(send: (target: EventTarget, message: string) => void) {
    this.#send = send;
  }

  /** An empty message means that no budget is exceeded any more. Called only when the message changes. */
  owe(key: WorkloadKey, { kind, namespace, name, uid }: EventTarget, message: string): void {
    this.#owed.delete(key);
    if (message === '') return;
    this.#owed.set(key, { target: { kind, namespace, name, uid }, message });
    if (this.#leads) this.#sendAll();
  }

  lead(leads: boolean): void {
    this.#leads = leads;
    if (leads) this.#sendAll();
  }

  forget(key: WorkloadKey): void {
    this.#owed.delete(key);
  }

  #sendAll(): void {
    const owed = [...this.#owed.values()];
    this.#owed.clear();
    for (const { target, message } of owed) this.#send(target, message);
  }
}
