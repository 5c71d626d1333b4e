import { ByteQueue } from './byte-queue';
import { ProtocolError } from '../errors';
import { type ListMetadata, type ListSplitter, requireObjectSize } from './decoder';
import { protobufFields, readVarint, wireType } from './protobuf';
import { protobufMagic, unknownRaw } from './protobuf-envelope';

/** `XList {1: ListMeta, 2: items}`. */
const listMeta = 1;
const listItem = 2;

/** A header is a tag and a length, of up to ten bytes each. */
const maxHeaderBytes = 20;

interface FieldHeader {
  readonly number: number;
  readonly headerBytes: number;
  /** Bytes after the header that belong to the field. */
  readonly contentBytes: number;
}

/**
 * Splits a protobuf list:
 *
 *     "k8s\0" Unknown{ 1: TypeMeta, 2: XList{ 1: ListMeta, 2: item, 2: item, … }, 3, 4 }
 *             └ envelope ──────────┘        └ list, until its length is used up ┘
 */
export class ProtobufList implements ListSplitter {
  readonly #queue = new ByteQueue();
  #magicSeen = false;
  /** Remaining bytes of the list; undefined outside of it. */
  #listBytes: number | undefined;
  #listSeen = false;
  #skipBytes = 0;
  #metadata: ListMetadata = { resourceVersion: undefined, continue: undefined };

  *push(chunk: Buffer): Generator<Buffer> {
    this.#queue.append(chunk);
    if (!this.#readMagic()) return;
    for (;;) {
      this.#skipBytes -= this.#queue.discard(this.#skipBytes);
      if (this.#listBytes === 0) this.#listBytes = undefined;
      const header = this.#skipBytes === 0 ? this.#peekHeader() : undefined;
      if (!header) return;
      if (this.#listBytes === undefined) {
        this.#enterEnvelopeField(header);
        continue;
      }
      const { number, headerBytes, contentBytes } = header;
      if (headerBytes + contentBytes > this.#listBytes)
        throw new ProtocolError('protobuf: an item reaches beyond its list');
      const wanted = number === listItem || number === listMeta;
      if (wanted) {
        requireObjectSize(contentBytes);
        if (this.#queue.length < headerBytes + contentBytes) return;
      }
      this.#listBytes -= headerBytes + contentBytes;
      this.#queue.discard(headerBytes);
      if (!wanted) this.#skipBytes = contentBytes;
      else if (number === listItem) yield this.#queue.take(contentBytes);
      else this.#metadata = readListMeta(this.#queue.take(contentBytes));
    }
  }

  end(): ListMetadata {
    if (!this.#listSeen || this.#listBytes !== undefined || this.#skipBytes > 0 || this.#queue.length > 0) {
      throw new ProtocolError('protobuf: the stream ended within a list');
    }
    return this.#metadata;
  }

  #readMagic(): boolean {
    if (this.#magicSeen) return true;
    if (this.#queue.length < protobufMagic.length) return false;
    if (!this.#queue.take(protobufMagic.length).equals(protobufMagic)) {
      throw new ProtocolError('protobuf: the list does not begin with the Kubernetes magic number');
    }
    this.#magicSeen = true;
    return true;
  }

  #enterEnvelopeField({ number, headerBytes, contentBytes }: FieldHeader): void {
    this.#queue.discard(headerBytes);
    if (number === unknownRaw) {
      this.#listBytes = contentBytes;
      this.#listSeen = true;
    } else {
      this.#skipBytes = contentBytes;
    }
  }

  /** The next field's header, or undefined until it is complete. */
  #peekHeader(): FieldHeader | undefined {
    const bytes = this.#queue.peek(maxHeaderBytes);
    const tag = readVarint(bytes, 0);
    if (!tag) return undefined;
    const number = Math.floor(tag.value / 8);
    if (number === 0) throw new ProtocolError('protobuf: field number 0');
    switch (tag.value % 8) {
      case wireType.varint: {
        const varint = readVarint(bytes, tag.end);
        return varint && { number: 0, headerBytes: varint.end, contentBytes: 0 };
      }
      case wireType.fixed64:
        return { number: 0, headerBytes: tag.end, contentBytes: 8 };
      case wireType.fixed32:
        return { number: 0, headerBytes: tag.end, contentBytes: 4 };
      case wireType.bytes: {
        const length = readVarint(bytes, tag.end);
        return length && { number, headerBytes: length.end, contentBytes: length.value };
      }
      default:
        throw new ProtocolError(`protobuf: wire type ${tag.value % 8} is not in use`);
    }
  }
}

/** `ListMeta {2: resourceVersion, 3: continue}`. */
function readListMeta(message: Buffer): ListMetadata {
  let metadata: ListMetadata = { resourceVersion: undefined, continue: undefined };
  for (const { number, bytes } of protobufFields(message)) {
    const text = bytes.length === 0 ? undefined : bytes.toString('utf8');
    if (number === 2) metadata = { ...metadata, resourceVersion: text };
    if (number === 3) metadata = { ...metadata, continue: text };
  }
  return metadata;
}
