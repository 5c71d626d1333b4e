import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { errorMessage } from '../../shared/domain/errors';
import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import {
  hasContent,
  sourceKey,
  type DigestedSource,
  type SourceKey,
  type SourceKind,
  type SourceRecord,
  type SourceRef,
} from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { mergedAuthors } from './authors';
import type { Attribution, ChangePath } from '../../shared/domain/plan/attribution';
import { Attributions } from './attributions';
import type { ChannelMetrics } from '../metrics/channel-metrics';
import { hintOf, isOfLaterWrite, isSameChange, isSameState, mergedHint, newestFirst, type Hint } from './hint';
import { RateLimitedWarning } from '../../shared/runtime/log/rate-limited-warning';
import { PendingSources, type HintedKind, type PendingSource } from './pending-sources';
import { ReadSchedule } from './read-schedule';

/** The engine's index of sources. */
export interface SourceState {
  known(source: SourceRef): SourceRecord | undefined;
  /** Whether the source held this content before, and another one since. */
  heldBefore(source: SourceRef, digest: string): boolean;
}

export interface HintsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ChannelMetrics;
  readonly sources: SourceState;
  /**
   * Reads the stored state once (a GET without resourceVersion, which no cache may answer); undefined: no such object.
   * Has its own timeout.
   */
  readonly readSource: (source: SourceRef<HintedKind>) => Promise<DigestedSource | undefined>;
  /** Receives a stored state that the index does not show. */
  readonly onStored: (record: DigestedSource) => void;
  /** A source that was to be checked does not exist. */
  readonly onAbsent: (source: SourceRef<HintedKind>) => void;
}

/** The immediate result for a hint; `superseded`: of an earlier write of the same content; `full`: it was not taken. */
export type OfferResult = 'pending' | 'confirmed' | 'superseded' | 'duplicate' | 'full';

/** A flood of hints for one source takes no room from the others. */
export const maxHintsPerSource = 64;

/** The watch shows most changes within this time. Then no read is needed. */
const patienceMs = 300;
const minGapMs = 1_000;
/** Limit of sources per namespace that are read at once. A release seldom changes more. */
const maxReadNow = 8;
const gapsMs = [minGapMs, 2_000, 5_000, 10_000];
/** Clocks that follow the `Date` header of the API server differ by less than this. */
const clocksDifferMs = 2_000;
/** The API server gives up on a write after 34 s. If a later read does not show it, it was never stored. */
const requestOverMs = 35_000;

/**
 * Keeps changes that the webhook announced until stored state confirms them. An admitted write may not be stored, and a
 * record may be forged.
 *
 *                   the index shows it already ──────────────────────────┐
 *     record ──▶ pending ── a watch event shows it ──────────────────────┼──▶ confirmed: author, path, changed keys
 *                   ├─ after 300 ms a read shows it, and goes to the index ─┘
 *                   ├─ a later one of the same object is confirmed ──▶ superseded
 *                   └─ no read of about 40 s shows it ──▶ phantom
 *
 * A hint restarts nothing and changes no baseline. It only triggers a read, and the result is put into the index.
 */
export class Hints {
  readonly #options: HintsOptions;
  readonly #sources = new PendingSources();
  readonly #attributions: Attributions;
  readonly #schedule: ReadSchedule;
  readonly #warning: RateLimitedWarning;
  #stopped = false;

  constructor(options: HintsOptions) {
    this.#options = options;
    this.#attributions = new Attributions(options.clock);
    this.#schedule = new ReadSchedule(options.clock);
    this.#warning = new RateLimitedWarning(options.clock, options.logger);
  }

  get pending(): number {
    return this.#sources.hints;
  }

  /** What is kept besides the pending hints: sources with known authors, and scheduled reads. */
  get kept(): { readonly attributed: number; readonly reads: number } {
    return { attributed: this.#attributions.size, reads: this.#schedule.size };
  }

  offer(record: ChangeRecord): OfferResult {
    const { clock, sources } = this.#options;
    const id = sourceKey(record);
    const hint = hintOf(record, clock.monotonicMs());
    if (this.#merge(id, hint)) return this.#duplicate();
    const known = sources.known(record);
    if (known && isShownBy(hint, known)) {
      if (this.#attributions.get(id, hint.digest)?.users.includes(hint.user) === true) return this.#duplicate();
      if (this.#isOfEarlierWrite(hint, known)) {
        this.#count('superseded', [hint]);
        return 'superseded';
      }
      // Nothing is superseded: the state may be older than this hint, and an earlier announced change may still follow.
      this.#attributions.add(id, { ...hint, resourceVersion: known.resourceVersion }, [hint], 'both');
      this.#count('confirmed', [hint]);
      return 'confirmed';
    }
    if (this.#sources.isFull) return 'full';
    const source = this.#sources.get(id) ?? this.#begin(record);
    this.#hasten(source);
    this.#replace(source, [...source.hints, hint]);
    if (source.hints.length > maxHintsPerSource) this.#makeRoom(source);
    this.#keepShare(record.namespace);
    return 'pending';
  }

  /** A watch event changed the content of a source. */
  observed(record: SourceRecord): void {
    const id = sourceKey(record);
    const source = this.#sources.get(id);
    if (source) source.observations++;
    // Skips sources for which nothing was announced: a first list may show a hundred thousand.
    if (hasContent(record) && (source || this.#attributions.has(id)))
      this.#shown(id, { ...record, content: record.content }, 'both');
  }

  /** The index received contradicting states: reads the source again and updates the index. */
  check({ kind, namespace, name }: SourceRef): void {
    if (kind === 'SecretProviderClass') return;
    const source = this.#sources.get(sourceKey({ kind, namespace, name })) ?? this.#begin({ kind, namespace, name });
    source.toCheck = true;
    source.observations++;
  }

  /**
   * A list was processed completely. Nobody was informed about sources that it does not show and the index did not
   * know, so a read in progress may be older than the list.
   */
  listed(kind: SourceKind, namespace: string | undefined): void {
    for (const source of this.#sources.in(namespace)) {
      if (source.kind === kind) source.observations++;
    }
  }

  /**
   * Reads the announced sources of a namespace without waiting for the watch, but each at most once a second. Resolves
   * when that is done, and never rejects.
   */
  async readNow(namespace: string): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs();
    const announced = [...this.#sources.in(namespace)].slice(0, maxReadNow);
    const reads = announced.map(async (source) => {
      if (!source.scheduled || nowMs < source.readMs + minGapMs) return await source.underWay;
      source.scheduled.cancel();
      await this.#read(source);
    });
    await Promise.all(reads);
  }

  /**
   * Who put a source into the state with this digest, for ten minutes; undefined: only the watch showed it. With `keys`, who
   * changed one of them.
   */
  attribution(source: SourceRef, digest: string, keys?: readonly string[]): Attribution | undefined {
    return this.#attributions.get(sourceKey(source), digest, keys);
  }

  stop(): void {
    this.#stopped = true;
    this.#schedule.stop();
  }

  /** A replay adds nothing. A second admission, which the API server makes on a conflict, extends the hint. */
  #merge(id: SourceKey, hint: Hint): boolean {
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

  /**
   * The first user who announces a state keeps a hint of their own: a crowd must not evict the author of another
   * change.
   */
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

  /**
   * Beyond its share, a namespace loses what it announced first. If it were refused instead, the webhook would send it
   * again, and the changes of all other namespaces would wait behind it.
   */
  #keepShare(namespace: string): void {
    for (const source of this.#sources.in(namespace)) {
      if (!this.#sources.exceedsShare(namespace)) return;
      this.#settle(source, 'superseded', source.hints.slice(0, 1));
    }
  }

  #duplicate(): 'duplicate' {
    this.#options.metrics.hintsTotal.inc({ result: 'duplicate' });
    return 'duplicate';
  }

  #begin({ kind, namespace, name }: SourceRef<HintedKind>): PendingSource {
    const identity = { id: sourceKey({ kind, namespace, name }), kind, namespace, name };
    const idle = { hints: [], toCheck: false, reads: 0, readMs: -Infinity, dueMs: 0, observations: 0 };
    const source: PendingSource = { ...identity, ...idle, scheduled: undefined, underWay: undefined };
    this.#sources.add(source);
    this.#scheduleRead(source, patienceMs);
    return source;
  }

  /**
   * A new hint does not wait for the long gaps of older, possibly phantom hints. Forged hints cost at most a read per
   * second.
   */
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
    const startedMs = clock.monotonicMs();
    const { observations } = source;
    source.reads++;
    source.readMs = startedMs;
    try {
      const before = sources.known(source);
      const stored = await readSource(source);
      if (this.#stopped) return;
      const known = sources.known(source);
      // If the watch moved meanwhile, the read may be older and would revert the index. A deletion shows in the
      // version; a source that was created and deleted again shows in the count of observations.
      const isCurrent = source.observations === observations && before?.resourceVersion === known?.resourceVersion;
      if (isCurrent) {
        if (stored) this.#stored(source, stored, known);
        else if (source.toCheck) this.#options.onAbsent(source);
        source.toCheck = false;
      }
    } catch (thrown) {
      this.#warning.warn('read', 'cannot read a source whose change was announced; trying again', {
        ...{ kind: source.kind, namespace: source.namespace, name: source.name },
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

  /**
   * Whatever is stored goes to the index, announced or not: the announcement of the newest state may have been lost.
   */
  #stored({ id, toCheck }: PendingSource, stored: DigestedSource, known: SourceRecord | undefined): void {
    const digest = stored.content.whole();
    const isNew = known?.uid !== stored.uid || !hasContent(known) || !known.content.equals(stored.content);
    this.#shown(id, stored, isNew ? 'webhook' : 'both');
    // The same content in a later version is learned too: a watch that lags must not undo it.
    const isLater = known !== undefined && isOlderVersion(known.resourceVersion, stored.resourceVersion);
    if (!isNew && !toCheck && !isLater) return;
    if (!this.#attributions.get(id, digest)) this.#attributions.add(id, { ...stored, digest }, [], 'webhook');
    // Called last, because the engine may ask for the attribution at once.
    this.#options.onStored(stored);
  }

  /** A state is stored: its hints are confirmed, and earlier ones of the same object are superseded. */
  #shown(id: SourceKey, record: DigestedSource, path: ChangePath): void {
    const state = { ...record, digest: record.content.whole() };
    this.#attributions.shown(id, state);
    const source = this.#sources.get(id);
    if (!source) return;
    const ofObject = source.hints.filter((hint) => hint.uid === state.uid);
    const confirmed = ofObject.filter((hint) => isShownBy(hint, record) && !this.#isOfEarlierWrite(hint, record));
    const newestMs = Math.max(...confirmed.map(({ observedAtMs }) => observedAtMs));
    const superseded = ofObject.filter(
      (hint) =>
        !confirmed.includes(hint) &&
        !isOfLaterWrite(hint, record.resourceVersion) &&
        (hint.digest === state.digest || hint.observedAtMs <= newestMs),
    );
    // Superseded hints name no authors: they may have been refused or forged.
    if (confirmed.length > 0) {
      this.#attributions.add(id, state, confirmed.toSorted(newestFirst), path);
      this.#settle(source, 'confirmed', confirmed);
    }
    if (superseded.length > 0) this.#settle(source, 'superseded', superseded);
  }

  /**
   * Whether somebody announced this content for an earlier write, and the source has returned to it since. Whoever changed
   * it back is the author of the state that `record` shows.
   */
  #isOfEarlierWrite({ digest, observedAtMs }: Hint, record: SourceRecord): boolean {
    const { writtenAtMs } = record;
    if (writtenAtMs === undefined || observedAtMs >= writtenAtMs - clocksDifferMs) return false;
    return this.#options.sources.heldBefore(record, digest);
  }

  #settle(source: PendingSource, result: 'confirmed' | 'superseded' | 'phantom', hints: readonly Hint[]): void {
    this.#count(result, hints);
    this.#replace(
      source,
      source.hints.filter((hint) => !hints.includes(hint)),
    );
    if (source.hints.length > 0 || source.toCheck) return;
    source.scheduled?.cancel();
    this.#sources.delete(source);
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
    this.#sources.setHints(source, hints);
    this.#options.metrics.hintsPending.set(this.pending);
  }
}

function isShownBy(hint: Hint, record: SourceRecord): boolean {
  const isOfContent = hint.uid === record.uid && hasContent(record) && record.content.whole() === hint.digest;
  return isOfContent && !isOfLaterWrite(hint, record.resourceVersion);
}
