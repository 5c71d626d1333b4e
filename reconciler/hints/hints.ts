import { budgets } from '../../shared/domain/budgets';
import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { errorMessage } from '../../shared/domain/errors';
import {
  hasContent,
  type DigestedSource,
  type SourceKind,
  type SourceRecord,
} from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { mergedAuthors } from './authors';
import type { Attribution, ChangePath } from '../../shared/domain/plan/attribution';
import { Attributions } from './attributions';
import type { ChannelMetrics } from '../metrics/channel-metrics';
import { bytesOfHints, hintOf, isSameChange, isSameState, mergedHint, newestFirst, type Hint } from './hint';
import { RateLimitedWarning } from '../../shared/runtime/log/rate-limited-warning';
import { ReadSchedule, type ScheduledRead } from './read-schedule';

/** What the engine knows of sources: its index. */
export interface SourceState {
  known(kind: SourceKind, namespace: string, name: string): SourceRecord | undefined;
}

export interface HintsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ChannelMetrics;
  readonly sources: SourceState;
  /**
   * One read of what is stored now (a GET without resourceVersion, which may be answered from no cache); undefined: no
   * such object. Settles within a deadline of its own.
   */
  readonly readSource: (kind: HintedKind, namespace: string, name: string) => Promise<DigestedSource | undefined>;
  /** Takes a state that is stored and that the index does not show. */
  readonly onStored: (record: DigestedSource) => void;
  /** Takes that a source which was to be checked is not there. */
  readonly onAbsent: (kind: HintedKind, namespace: string, name: string) => void;
}

export type HintedKind = ChangeRecord['kind'];

/** What became of a hint at once; `full`: it was not taken. */
export type Offered = 'pending' | 'confirmed' | 'duplicate' | 'full';

interface PendingSource {
  readonly id: string;
  readonly kind: HintedKind;
  readonly namespace: string;
  readonly name: string;
  /** In the order of their arrival; never empty while the source is pending, unless it is to be checked. */
  hints: readonly Hint[];
  /** What was read before and what was listed since differ: what a read shows next is the truth. */
  toCheck: boolean;
  reads: number;
  /** When the newest read began, and when the next one does. */
  readMs: number;
  dueMs: number;
  /** How often the index was told something of it: what a read under way brings may then be older. */
  told: number;
  /** One of the two there is: the read to come, or the one under way. */
  scheduled: ScheduledRead | undefined;
  underWay: Promise<void> | undefined;
}

export const maxPendingHints = 10_000;
/** A flood on one source takes no room from the others. */
export const maxHintsPerSource = 64;

/** The watch shows most changes within this time: no read is needed then. */
const patienceMs = 300;
const minGapMs = 1_000;
/** Of what is announced in one namespace at once; a release seldom has more. */
const maxReadNow = 8;
const gapsMs = [minGapMs, 2_000, 5_000, 10_000];
/** The API server gives up on a write after 34 s: what a read shows later than that was never stored. */
const requestOverMs = 35_000;

/**
 * Changes that the webhook announced, until stored state confirms them: admitted is not stored, and a record may be
 * forged.
 *
 *                   the index shows it already ──────────────────────────┐
 *     record ──▶ pending ── a watch event shows it ──────────────────────┼──▶ confirmed: who, how, which keys
 *                   ├─ after 300 ms a read shows it, and goes to the index ─┘
 *                   ├─ a later one of the same object is confirmed ──▶ superseded
 *                   └─ no read of about 40 s shows it ──▶ phantom
 *
 * A hint restarts nothing and moves no baseline: at most it makes us read, and what was read is put into the index.
 */
export class Hints {
  readonly #options: HintsOptions;
  readonly #sources = new Map<string, PendingSource>();
  readonly #attributions: Attributions;
  readonly #schedule: ReadSchedule;
  readonly #warning: RateLimitedWarning;
  #pending = 0;
  #pendingBytes = 0;
  #stopped = false;

  constructor(options: HintsOptions) {
    this.#options = options;
    this.#attributions = new Attributions(options.clock);
    this.#schedule = new ReadSchedule(options.clock);
    this.#warning = new RateLimitedWarning(options.clock, options.logger);
  }

  get pending(): number {
    return this.#pending;
  }

  /** What is kept beside the pending hints: sources whose authors are known, and reads to come. */
  get kept(): { readonly attributed: number; readonly reads: number } {
    return { attributed: this.#attributions.size, reads: this.#schedule.size };
  }

  offer(record: ChangeRecord): Offered {
    const { clock, sources } = this.#options;
    const { kind, namespace, name } = record;
    const id = sourceKey(kind, namespace, name);
    const hint = hintOf(record, clock.monotonicMs());
    if (this.#merge(id, hint)) return this.#duplicate();
    const known = sources.known(kind, namespace, name);
    if (known?.uid === hint.uid && hasContent(known) && known.content.whole() === hint.digest) {
      if (this.#attributions.get(id, hint.digest)?.users.includes(hint.user) === true) return this.#duplicate();
      // Nothing is superseded: the state may be older than this hint, and a change announced before it still come.
      this.#attributions.add(id, hint.digest, [hint], 'both');
      this.#count('confirmed', [hint]);
      return 'confirmed';
    }
    if (this.#pending >= maxPendingHints) return 'full';
    if (this.#pendingBytes >= budgets.hintBytes) return 'full';
    const source = this.#sources.get(id) ?? this.#begin({ id, kind, namespace, name });
    this.#hasten(source);
    this.#replace(source, [...source.hints, hint]);
    if (source.hints.length > maxHintsPerSource) this.#makeRoom(source);
    return 'pending';
  }

  /** A watch event has changed the content of a source. */
  observed(record: SourceRecord): void {
    const { kind, namespace, name, uid } = record;
    const id = sourceKey(kind, namespace, name);
    const source = this.#sources.get(id);
    if (source) source.told++;
    // A first list brings a hundred thousand of which nothing was announced.
    if (hasContent(record) && (source || this.#attributions.has(id)))
      this.#shown(id, uid, record.content.whole(), 'both');
  }

  /** The index has been told two things: reads the source anew, and gives the index what is there. */
  check(kind: SourceKind, namespace: string, name: string): void {
    if (kind === 'SecretProviderClass') return;
    const id = sourceKey(kind, namespace, name);
    const source = this.#sources.get(id) ?? this.#begin({ id, kind, namespace, name });
    source.toCheck = true;
    source.told++;
  }

  /**
   * A list was taken whole: what it does not show and the index did not know has been told to nobody, and a read under way
   * may be of before its end.
   */
  listed(kind: SourceKind, namespace: string | undefined): void {
    for (const source of this.#sources.values()) {
      if (source.kind === kind && (namespace === undefined || source.namespace === namespace)) source.told++;
    }
  }

  /**
   * Reads what is announced in a namespace without waiting for the watch, but none of it more than once a second. Resolves
   * when that is done, and never rejects.
   */
  async readNow(namespace: string): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs();
    const announced = [...this.#sources.values()].filter((source) => source.namespace === namespace);
    const reads = announced.slice(0, maxReadNow).map(async (source) => {
      if (!source.scheduled || nowMs < source.readMs + minGapMs) return await source.underWay;
      source.scheduled.cancel();
      await this.#read(source);
    });
    await Promise.all(reads);
  }

  /** Who put a source into the state of this digest, for ten minutes; undefined: the watch alone knows of it. */
  attribution(kind: SourceKind, namespace: string, name: string, digest: string): Attribution | undefined {
    return this.#attributions.get(sourceKey(kind, namespace, name), digest);
  }

  stop(): void {
    this.#stopped = true;
    this.#schedule.stop();
  }

  /** A replay adds nothing; a second admission, as the API server makes on a conflict, prolongs the hint. */
  #merge(id: string, hint: Hint): boolean {
    const source = this.#sources.get(id);
    const same = source?.hints.find((other) => isSameChange(other, hint));
    if (!source || !same) return false;
    const renewed = mergedHint(same, hint);
    this.#replace(
      source,
      source.hints.map((other) => (other === same ? renewed : other)),
    );
    return true;
  }

  /** Of those who announce one state the first stays a hint of its own: a crowd must not push out who made another change. */
  #makeRoom(source: PendingSource): void {
    const isFirst = (hint: Hint): boolean => source.hints.find((other) => isSameState(other, hint)) === hint;
    const oldest = source.hints.find((hint) => !isFirst(hint)) ?? source.hints[0];
    if (!oldest) return;
    const first = source.hints.find((hint) => hint !== oldest && isSameState(hint, oldest));
    if (first) {
      const authors = mergedAuthors(first.authors, oldest.authors);
      this.#replace(
        source,
        source.hints.map((hint) => (hint === first ? { ...first, authors } : hint)),
      );
    }
    this.#settle(source, 'superseded', [oldest]);
  }

  #duplicate(): 'duplicate' {
    this.#options.metrics.hintsTotal.inc({ result: 'duplicate' });
    return 'duplicate';
  }

  #begin(identity: Pick<PendingSource, 'id' | 'kind' | 'namespace' | 'name'>): PendingSource {
    const idle = { hints: [], toCheck: false, reads: 0, readMs: -Infinity, dueMs: 0, told: 0 };
    const source: PendingSource = { ...identity, ...idle, scheduled: undefined, underWay: undefined };
    this.#sources.set(source.id, source);
    this.#scheduleRead(source, patienceMs);
    return source;
  }

  /** News is not to wait out the gaps that older hints, maybe phantoms, have come to; forged news costs a read a second. */
  #hasten(source: PendingSource): void {
    source.reads = Math.min(source.reads, 1);
    const nowMs = this.#options.clock.monotonicMs();
    const dueMs = Math.max(nowMs + patienceMs, source.readMs + minGapMs);
    if (!source.scheduled || dueMs >= source.dueMs) return;
    source.scheduled.cancel();
    this.#scheduleRead(source, dueMs - nowMs);
  }

  #scheduleRead(source: PendingSource, delayMs: number): void {
    source.dueMs = this.#options.clock.monotonicMs() + delayMs;
    source.scheduled = this.#schedule.add(delayMs, async () => await this.#read(source));
  }

  /** Never rejects. */
  async #read(source: PendingSource): Promise<void> {
    source.scheduled = undefined;
    source.underWay = this.#readOnce(source);
    await source.underWay;
  }

  async #readOnce(source: PendingSource): Promise<void> {
    const { clock, sources, readSource } = this.#options;
    const { kind, namespace, name } = source;
    const startedMs = clock.monotonicMs();
    const { told } = source;
    source.reads++;
    source.readMs = startedMs;
    try {
      const before = sources.known(kind, namespace, name);
      const stored = await readSource(kind, namespace, name);
      if (this.#stopped) return;
      const known = sources.known(kind, namespace, name);
      // If the watch moved meanwhile, the read may be the older of the two and would take the index back. An end is not
      // observed: it shows in the version; that something came and went shows in what was observed.
      const isCurrent = source.told === told && before?.resourceVersion === known?.resourceVersion;
      if (isCurrent) {
        if (stored) this.#stored(source, stored, known);
        else if (source.toCheck) this.#options.onAbsent(kind, namespace, name);
        source.toCheck = false;
      }
    } catch (thrown) {
      this.#warning.warn('read', 'cannot read a source whose change was announced; trying again', {
        ...{ kind, namespace, name },
        error: errorMessage(thrown),
      });
    }
    if (this.#stopped || this.#sources.get(source.id) !== source) return;
    this.#settle(
      source,
      'phantom',
      source.hints.filter(({ receivedMs }) => startedMs - receivedMs >= requestOverMs),
    );
    if (source.hints.length > 0 || source.toCheck) {
      this.#scheduleRead(source, gapsMs[Math.min(source.reads, gapsMs.length) - 1] ?? 0);
    }
  }

  /** Whatever is stored goes to the index, announced or not: the announcement of the newest may have been lost. */
  #stored({ id, toCheck }: PendingSource, stored: DigestedSource, known: SourceRecord | undefined): void {
    const digest = stored.content.whole();
    const isNew = known?.uid !== stored.uid || !hasContent(known) || !known.content.equals(stored.content);
    this.#shown(id, stored.uid, digest, isNew ? 'webhook' : 'both');
    if (!isNew && !toCheck) return;
    if (!this.#attributions.get(id, digest)) this.#attributions.add(id, digest, [], 'webhook');
    // Last, because the engine may ask for the attribution at once.
    this.#options.onStored(stored);
  }

  /** A state is stored: its hints are confirmed, and those of the same object before them are over. */
  #shown(id: string, uid: string, digest: string, path: ChangePath): void {
    this.#attributions.shown(id, digest);
    const source = this.#sources.get(id);
    const ofObject = (source?.hints ?? []).filter((hint) => hint.uid === uid);
    const confirmed = ofObject.filter((hint) => hint.digest === digest);
    if (!source || confirmed.length === 0) return;
    const newestMs = Math.max(...confirmed.map(({ observedAtMs }) => observedAtMs));
    const superseded = ofObject.filter((hint) => hint.digest !== digest && hint.observedAtMs <= newestMs);
    // Not those of superseded ones: whether they were ever stored, or refused, or forged, nobody has seen.
    this.#attributions.add(id, digest, confirmed.toSorted(newestFirst), path);
    this.#settle(source, 'confirmed', confirmed);
    this.#settle(source, 'superseded', superseded);
  }

  #settle(source: PendingSource, result: 'confirmed' | 'superseded' | 'phantom', hints: readonly Hint[]): void {
    this.#count(result, hints);
    this.#replace(
      source,
      source.hints.filter((hint) => !hints.includes(hint)),
    );
    if (source.hints.length > 0 || source.toCheck) return;
    source.scheduled?.cancel();
    this.#sources.delete(source.id);
  }

  #count(result: 'confirmed' | 'superseded' | 'phantom', hints: readonly Hint[]): void {
    const { clock, metrics } = this.#options;
    metrics.hintsTotal.inc({ result }, hints.length);
    if (result !== 'confirmed') return;
    for (const { receivedMs } of hints) {
      metrics.hintConfirmationSeconds.observe((clock.monotonicMs() - receivedMs) / 1000);
    }
  }

  #replace(source: PendingSource, hints: readonly Hint[]): void {
    this.#pending += hints.length - source.hints.length;
    this.#pendingBytes += bytesOfHints(hints) - bytesOfHints(source.hints);
    source.hints = hints;
    this.#options.metrics.hintsPending.set(this.#pending);
  }
}

function sourceKey(kind: SourceKind, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}
