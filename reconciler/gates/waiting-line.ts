import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';

/** A restart that waits for its turn. */
export interface WaitingRestart {
  readonly workload: TrackedWorkload;
  /** One of its sources is urgent. */
  readonly isUrgent: boolean;
  /** When the first of its sources was written, by the API server's clock. */
  readonly owedSinceMs: number;
}

/** How much each namespace has had of what all namespaces share. */
export interface NamespaceShares {
  /** The namespace with the smallest share comes first. */
  of(namespace: string): number;
  /** Whether the urgent restarts of a namespace come before all others. */
  mayBeUrgent(namespace: string): boolean;
}

/** What happens to the one at the head of a namespace. */
export type Turn =
  /** It goes. */
  | 'goes'
  /** Others of its namespace may go. */
  | 'stays'
  /** Nobody of its namespace may go. */
  | 'namespace-stays'
  /** Nobody may go. */
  | 'all-stay';

/**
 * The restarts that wait for their turn: urgent ones first, then, within a namespace, by wave, by how long they are
 * owed, and by name. Among namespaces, the one with the smallest share comes first: a change that concerns a thousand
 * workloads of one team must not keep those of all others.
 */
export class WaitingLine {
  readonly #waiting = new Map<WorkloadKey, WaitingRestart>();
  /** Of each namespace, in order as far as they are not news. Some may not wait any more. */
  readonly #namespaces = new Map<string, { line: WaitingRestart[]; hasNews: boolean }>();
  /** Of each limit in pods, the first one for whose pods there was no room. Some may not wait any more. */
  readonly #blocked = new Map<string, WaitingRestart>();

  get size(): number {
    return this.#waiting.size;
  }

  get(key: WorkloadKey): WaitingRestart | undefined {
    return this.#waiting.get(key);
  }

  add(restart: WaitingRestart): void {
    const { key, record } = restart.workload;
    this.#waiting.set(key, restart);
    const known = this.#namespaces.get(record.namespace);
    if (!known) this.#namespaces.set(record.namespace, { line: [restart], hasNews: false });
    else {
      known.line.push(restart);
      known.hasNews = true;
    }
  }

  /** Returns whether others waited because of this one. */
  delete(key: WorkloadKey): boolean {
    const restart = this.#waiting.get(key);
    this.#waiting.delete(key);
    return restart !== undefined && [...this.#blocked.values()].includes(restart);
  }

  clear(): void {
    this.#waiting.clear();
    this.#namespaces.clear();
    this.#blocked.clear();
  }

  /** There is no room for the pods of this one. Those with fewer pods that come later would keep it waiting for ever. */
  block(limit: string, restart: WaitingRestart, shares: NamespaceShares): void {
    if (!this.isBehind(limit, restart, shares)) this.#blocked.set(limit, restart);
  }

  /** Whether one comes first for whose pods there was no room in this limit. */
  isBehind(limit: string, restart: WaitingRestart, shares: NamespaceShares): boolean {
    const first = this.#blocked.get(limit);
    if (!first || this.#waiting.get(first.workload.key) !== first) return false;
    if (first.workload.key === restart.workload.key) return false;
    return isBefore(placeOf(first, shares), placeOf(restart, shares));
  }

  /** Asks about one after the other, until nobody may go. */
  take(shares: NamespaceShares, ask: (restart: WaitingRestart) => Turn): void {
    this.#blocked.clear();
    const lines = new Map([...this.#namespaces].map(([namespace]) => [namespace, this.#inOrder(namespace)]));
    for (;;) {
      const next = firstOf(lines, shares);
      if (!next) return;
      const [namespace, line] = next;
      const turn = ask(line.head);
      if (turn === 'all-stay') return;
      if (turn === 'goes') this.#waiting.delete(line.head.workload.key);
      if (turn === 'namespace-stays' || !line.advance()) lines.delete(namespace);
    }
  }

  #inOrder(namespace: string): Line | undefined {
    const known = this.#namespaces.get(namespace);
    if (!known) return undefined;
    // One that was added again is there twice.
    known.line = known.line.filter((restart) => this.#waiting.get(restart.workload.key) === restart);
    if (known.hasNews) known.line.sort(inLine);
    known.hasNews = false;
    if (known.line.length === 0) this.#namespaces.delete(namespace);
    return Line.of(known.line);
  }
}

/** A walk along the restarts of a namespace. */
class Line {
  readonly #restarts: readonly WaitingRestart[];
  #index = 0;
  head: WaitingRestart;

  static of(restarts: readonly WaitingRestart[]): Line | undefined {
    const [first] = restarts;
    return first && new Line([...restarts], first);
  }

  private constructor(restarts: readonly WaitingRestart[], first: WaitingRestart) {
    this.#restarts = restarts;
    this.head = first;
  }

  advance(): boolean {
    const next = this.#restarts[++this.#index];
    if (next) this.head = next;
    return next !== undefined;
  }
}

function firstOf(
  lines: ReadonlyMap<string, Line | undefined>,
  shares: NamespaceShares,
): readonly [string, Line] | undefined {
  let first: readonly [string, Line, Place] | undefined;
  for (const [namespace, line] of lines) {
    if (!line) continue;
    const place = placeOf(line.head, shares);
    if (!first || isBefore(place, first[2])) first = [namespace, line, place];
  }
  return first && [first[0], first[1]];
}

interface Place {
  readonly restart: WaitingRestart;
  readonly isUrgent: boolean;
  readonly share: number;
}

function placeOf(restart: WaitingRestart, shares: NamespaceShares): Place {
  const { namespace } = restart.workload.record;
  const isUrgent = restart.isUrgent && shares.mayBeUrgent(namespace);
  return { restart, isUrgent, share: shares.of(namespace) };
}

function isBefore(left: Place, right: Place): boolean {
  if (left.isUrgent !== right.isUrgent) return left.isUrgent;
  if (left.share !== right.share) return left.share < right.share;
  return inLine(left.restart, right.restart) < 0;
}

function inLine(left: WaitingRestart, right: WaitingRestart): number {
  if (left.isUrgent !== right.isUrgent) return left.isUrgent ? -1 : 1;
  const byWave = waveOf(left) - waveOf(right);
  if (byWave !== 0) return byWave;
  if (left.owedSinceMs !== right.owedSinceMs) return left.owedSinceMs - right.owedSinceMs;
  return left.workload.key < right.workload.key ? -1 : 1;
}

function waveOf({ workload }: WaitingRestart): number {
  return workload.record.gates?.wave ?? 0;
}
