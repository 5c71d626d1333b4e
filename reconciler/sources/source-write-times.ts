import { textOfKeys } from '../../shared/domain/gate-settings/gate-settings';
import { absent, type ContentDigest } from '../../shared/domain/sources/content-digest';
import type { SourceRecord } from '../../shared/domain/sources/source';
import type { FlagTimes, SourceEntry } from './source-entry';
import { beforeNextWriteMs, writeTimeMs, type WriteTimes } from './write-time';

/** What is known about when a content came into force, before the previous content is known. */
export interface WriteTimeEvidence extends WriteTimes {
  /** A watch shows each write; a list or a read shows the last of several. */
  readonly origin: 'list' | 'watch' | 'read';
}

/**
 * When a content came into force. If one is `metadata-only`, or its keys are not distinguished, the difference is
 * unknown, and the latest possible time is used.
 */
export function changedAtMs(
  evidence: WriteTimeEvidence,
  before: ContentDigest | 'metadata-only',
  after: ContentDigest | 'metadata-only',
): number {
  const isKnown = before !== 'metadata-only' && after !== 'metadata-only' && !before.isCoarse && !after.isCoarse;
  const differing = isKnown ? after.differingKeys(before) : [];
  const isSet = (name: string): boolean => isKnown && after.key(name) !== absent;
  const [sets, removes] = isKnown ? [differing.some(isSet), !differing.every(isSet)] : [false, true];
  // A list or a read shows only the last of several writes. The newest time may be that of another write, and the
  // removal may be later.
  if (removes && evidence.origin !== 'watch') return Math.max(evidence.writtenAtMs, evidence.seenMs);
  return writeTimeMs(evidence, sets);
}

/** Since when the annotations of a source have had their current values. */
export function flagsSince(entry: SourceEntry | undefined, record: SourceRecord, seenMs: number): FlagTimes {
  const { record: before, ignoreSinceMs = 0, matchSinceMs = 0, keysSinceMs = 0 } = entry ?? {};
  if (before?.uid !== record.uid) return { ignoreSinceMs, matchSinceMs, keysSinceMs };
  const times = timesOf(before, record, seenMs);
  const hasOtherKeys = textOfKeys(before.gates?.keys) !== textOfKeys(record.gates?.keys);
  const setsAny =
    (record.ignore && !before.ignore) ||
    (record.match && !before.match) ||
    (hasOtherKeys && record.gates?.keys !== undefined);
  // The times of a class are those of its rotations, so a write of its annotations leaves none.
  const sets = setsAny && record.kind !== 'SecretProviderClass';
  const sinceMs = (isChanged: boolean, fromMs: number): number =>
    isChanged ? writeTimeMs(times, sets) : beforeNextWriteMs(fromMs, times);
  return {
    ignoreSinceMs: sinceMs(before.ignore !== record.ignore, ignoreSinceMs),
    matchSinceMs: sinceMs(before.match !== record.match, matchSinceMs),
    keysSinceMs: sinceMs(hasOtherKeys, keysSinceMs),
  };
}

export function timesOf(before: SourceRecord, { writtenAtMs = 0 }: SourceRecord, seenMs: number): WriteTimes {
  return { formerMs: before.writtenAtMs ?? before.createdAtMs, writtenAtMs, seenMs };
}
