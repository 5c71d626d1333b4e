import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import { askedOf, checkFlags, notAskedOf } from '../../shared/domain/gate-settings/health-check';
import type { CheckVerdict } from '../../shared/domain/gates/checked-user';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { Clock } from '../../shared/runtime/clock';
import type { CheckAnswer } from '../health-checks/check-answer';
import type { HealthChecker } from '../health-checks/health-checker';

export interface HealthChecksOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly checker: Pick<HealthChecker, 'ask' | 'asked'>;
  /** A check was answered. */
  readonly onAnswer: (result: CheckAnswer['result']) => void;
  /** What the checks of a workload say is something else than before. */
  readonly onChange: (key: WorkloadKey) => void;
}

interface Known {
  /** See {@link subjectOf}. */
  readonly subject: string;
  readonly verdict: Exclude<CheckVerdict, { readonly is: 'none' | 'pending' }>;
  readonly answeredMs: number;
}

/** Between two rounds. */
const roundMs = 5_000;
/**
 * An answer counts for this long. It counts for longer only while its workload waits to be asked again: with many
 * workloads, its turn may take longer than this.
 */
const freshForMs = 60_000;
const mostAtOnce = 10;
/** A free place goes to the namespace that was asked longest ago, so checks that take long delay only those of their own. */
const mostAtOnceOfNamespace = 3;

/** What the health checks of workloads say, as long as somebody waits for it. By the monotonic clock. */
export class HealthChecks {
  readonly #options: HealthChecksOptions;
  readonly #known = new Map<WorkloadKey, Known>();
  /** To be asked, in this order. */
  readonly #waiting = new Map<WorkloadKey, TrackedWorkload>();
  /** The namespace of each that is asked now. */
  readonly #underWay = new Map<WorkloadKey, string>();
  /** The turn in which each namespace was last asked. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  #term = new AbortController();
  #roundMs = -Infinity;

  constructor(options: HealthChecksOptions) {
    this.#options = options;
  }

  /** What is known now. */
  verdict({ key, record }: TrackedWorkload): CheckVerdict {
    const { clock, checker } = this.#options;
    const [name] = notAskedOf(record.gates, checker.asked);
    if (!this.hasChecks(record)) {
      if (name === undefined) return { is: 'none' };
      return { is: 'none', check: `${gateAnnotations[name]} is not asked without ${checkFlags[name]}` };
    }
    const known = this.#known.get(key);
    if (known?.subject !== subjectOf(record)) return { is: 'pending' };
    const isStale = clock.monotonicMs() - known.answeredMs > freshForMs;
    return isStale && !this.#isInTurn(key) ? { is: 'pending' } : known.verdict;
  }

  #isInTurn(key: WorkloadKey): boolean {
    return this.#waiting.has(key) || this.#underWay.has(key);
  }

  /** Whether something is asked about a workload. */
  hasChecks({ gates }: Pick<TrackedWorkload['record'], 'gates'>): boolean {
    return Object.keys(askedOf(gates, this.#options.checker.asked)).length > 0;
  }

  /** When the next round is due. */
  get dueMs(): number {
    return this.#roundMs + roundMs;
  }

  /** Asks about these, and forgets all others: nobody waits for them any more. */
  round(workloads: readonly TrackedWorkload[]): void {
    this.#roundMs = this.#options.clock.monotonicMs();
    const wanted = new Map(workloads.map((workload) => [workload.key, workload]));
    for (const key of this.#known.keys()) if (!wanted.has(key)) this.#known.delete(key);
    for (const key of this.#waiting.keys()) if (!wanted.has(key)) this.#waiting.delete(key);
    const namespaces = new Set(workloads.map(({ record }) => record.namespace));
    for (const namespace of this.#turns.keys()) if (!namespaces.has(namespace)) this.#turns.delete(namespace);
    for (const [key, workload] of wanted) {
      // What was answered long ago does not count again because it is asked anew: nothing was asked while nobody waited.
      if (this.verdict(workload).is === 'pending') this.#known.delete(key);
      // One that waits already keeps its place.
      if (!this.#underWay.has(key)) this.#waiting.set(key, workload);
    }
    this.#askNext();
  }

  /** A term ends: the next leader asks anew. */
  clear(): void {
    this.#term.abort();
    this.#term = new AbortController();
    this.#known.clear();
    this.#waiting.clear();
    this.#underWay.clear();
    this.#turns.clear();
    this.#roundMs = -Infinity;
  }

  #askNext(): void {
    while (this.#underWay.size < mostAtOnce) {
      const next = this.#next();
      if (!next) return;
      const { key, record } = next;
      this.#waiting.delete(key);
      this.#underWay.set(key, record.namespace);
      this.#turns.set(record.namespace, ++this.#turn);
      void this.#ask(next);
    }
  }

  #next(): TrackedWorkload | undefined {
    let next: TrackedWorkload | undefined;
    let nextTurn = Infinity;
    for (const workload of this.#waiting.values()) {
      const { namespace } = workload.record;
      const turn = this.#turns.get(namespace) ?? 0;
      if (turn >= nextTurn || this.#isFull(namespace)) continue;
      [next, nextTurn] = [workload, turn];
    }
    return next;
  }

  #isFull(namespace: string): boolean {
    let asked = 0;
    for (const each of this.#underWay.values()) if (each === namespace) asked++;
    return asked >= mostAtOnceOfNamespace;
  }

  async #ask(workload: TrackedWorkload): Promise<void> {
    const { gates = {}, namespace } = workload.record;
    const { signal } = this.#term;
    const answer = await this.#options.checker.ask(gates, namespace, signal);
    if (signal.aborted) return;
    this.#options.onAnswer(answer.result);
    this.#note(workload, answer);
    this.#underWay.delete(workload.key);
    this.#askNext();
  }

  #note(workload: TrackedWorkload, answer: CheckAnswer): void {
    const { key, record } = workload;
    const answeredMs = this.#options.clock.monotonicMs();
    const before = this.verdict(workload);
    const sinceMs = before.is === 'passes' ? before.sinceMs : answeredMs;
    const verdict: Known['verdict'] =
      answer.result === 'passed' ? { is: 'passes', sinceMs } : { is: 'fails', check: answer.why };
    this.#known.set(key, { subject: subjectOf(record), verdict, answeredMs });
    const isSame =
      verdict.is === 'fails' && before.is === 'fails' ? verdict.check === before.check : verdict.is === before.is;
    if (!isSame) this.#options.onChange(key);
  }
}

/** What an answer is about: one restart, and the checks as they were asked. Whoever writes another check means that one. */
function subjectOf({ lastRestart, gates }: TrackedWorkload['record']): string {
  return JSON.stringify([lastRestart?.id, gates?.healthyUrl, gates?.healthyQuery]);
}
