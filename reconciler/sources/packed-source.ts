import { ContentDigest } from '../../shared/domain/sources/content-digest';
import type { SourceRef } from '../../shared/domain/sources/source';
import { noPast, type SourceEntry } from './source-entry';

/** The header in front of the digests: uid, three times in seconds, version, flags. */
const layout = { uid: 0, createdS: 16, writtenS: 20, fromS: 24, version: 28, flags: 34, digests: 35 } as const;
const versionBytes = 6;
const flag = { ignore: 1, match: 2, metadataOnly: 4, firstForgotten: 8 } as const;

/** The content of a source that was not read. */
const noContent = new ContentDigest([], '');

/** The packed form of a missing time. */
const never = 0xffff_ffff;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A number that fits into six bytes and is printed as it was read. */
const decimal = /^(?:0|[1-9]\d{0,13})$/;

/**
 * A source at rest, packed into two words and a byte string. Nearly all of a hundred thousand sources are at rest, and
 * as objects they would take three times as much memory. Kind, namespace and name are known from where it is stored.
 */
export class PackedSource {
  readonly #keyNames: readonly string[];
  /** One byte per character. */
  readonly #bytes: string;

  /**
   * Undefined if the source has a past or gate settings, the watch has not caught up with a read, or its fields do not
   * look like the API server's.
   */
  static of(entry: SourceEntry): PackedSource | undefined {
    const { record, fromMs, ignoreSinceMs, matchSinceMs, keysSinceMs, isRead, former, isFirstForgotten } = entry;
    if (!record || isRead || former.length > 0) return undefined;
    if (ignoreSinceMs !== 0 || matchSinceMs !== 0 || keysSinceMs !== 0) return undefined;
    const content = record.content === 'metadata-only' ? noContent : record.content;
    if (content.former || content.parsed || record.gates) return undefined;
    const { uid, resourceVersion, createdAtMs, writtenAtMs, ignore, match } = record;
    if (!uuid.test(uid) || !decimal.test(resourceVersion)) return undefined;
    if (![createdAtMs, fromMs, writtenAtMs ?? 0].every(isPackedTime)) return undefined;
    const bytes = Buffer.allocUnsafe(layout.digests + content.digests.length);
    bytes.write(uid.replaceAll('-', ''), layout.uid, 'hex');
    bytes.writeUInt32BE(createdAtMs / 1000, layout.createdS);
    bytes.writeUInt32BE(writtenAtMs === undefined ? never : writtenAtMs / 1000, layout.writtenS);
    bytes.writeUInt32BE(fromMs / 1000, layout.fromS);
    bytes.writeUIntBE(Number(resourceVersion), layout.version, versionBytes);
    const ofRecord = (ignore ? flag.ignore : 0) + (match ? flag.match : 0);
    const ofState =
      (record.content === 'metadata-only' ? flag.metadataOnly : 0) + (isFirstForgotten ? flag.firstForgotten : 0);
    bytes.writeUInt8(ofRecord + ofState, layout.flags);
    bytes.write(content.digests, layout.digests, 'latin1');
    return new PackedSource(content.keyNames, bytes.toString('latin1'));
  }

  private constructor(keyNames: readonly string[], bytes: string) {
    this.#keyNames = keyNames;
    this.#bytes = bytes;
  }

  /** The bytes that it keeps, without the key names that it shares with other sources. */
  get retainedBytes(): number {
    return this.#bytes.length;
  }

  /** The source as it was packed. */
  entry({ kind, namespace, name }: SourceRef): SourceEntry {
    const bytes = Buffer.from(this.#bytes, 'latin1');
    const writtenS = bytes.readUInt32BE(layout.writtenS);
    const flags = bytes.readUInt8(layout.flags);
    const record = {
      ...{ kind, namespace, name, uid: uuidOf(bytes.toString('hex', layout.uid, layout.createdS)) },
      resourceVersion: String(bytes.readUIntBE(layout.version, versionBytes)),
      createdAtMs: bytes.readUInt32BE(layout.createdS) * 1000,
      writtenAtMs: writtenS === never ? undefined : writtenS * 1000,
      ignore: (flags & flag.ignore) !== 0,
      match: (flags & flag.match) !== 0,
      content:
        (flags & flag.metadataOnly) === 0
          ? new ContentDigest(this.#keyNames, this.#bytes.slice(layout.digests))
          : ('metadata-only' as const),
    };
    const fromMs = bytes.readUInt32BE(layout.fromS) * 1000;
    const isFirstForgotten = (flags & flag.firstForgotten) !== 0;
    const flagTimes = { ignoreSinceMs: 0, matchSinceMs: 0, keysSinceMs: 0 };
    return { record, fromMs, ...flagTimes, isRead: false, former: noPast, isFirstForgotten };
  }
}

/** Whole seconds, from 1970 to 2106. */
function isPackedTime(ms: number): boolean {
  return ms % 1000 === 0 && ms >= 0 && ms / 1000 < never;
}

function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
