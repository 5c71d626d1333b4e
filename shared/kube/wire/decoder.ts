import type { ObjectKey } from '../../domain/kubernetes/object-key';
import type { IdentityOnly } from './json-identity';

/** One object, reduced to what its sink keeps. */
export interface Decoded<T> {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly object: T;
}

/**
 * Converts one object of a list or a watch into what its sink keeps. The result must not reference `bytes` or a slice
 * of it: that would keep a whole chunk of the stream in memory.
 */
export interface Decoder<T> {
  /**
   * The encoding to request; `metadata` is an object without spec and status. The server may still answer with whole
   * objects in JSON.
   */
  readonly accepts: 'json' | 'protobuf' | 'metadata';
  /** @throws MalformedObjectError if the object has the wrong shape. */
  fromJson(object: unknown): Decoded<T>;
  /** JSON beyond this size is not parsed, because parsing it would block everything else. */
  readonly large?: {
    readonly overBytes: number;
    /** @throws MalformedObjectError if not even the identity can be read. */
    fromIdentity(object: IdentityOnly): Decoded<T>;
  };
  /**
   * `bytes` is the object's own message, without envelope.
   *
   * @throws MalformedObjectError if the object has the wrong shape; ProtocolError if the bytes do not parse.
   */
  fromProtobuf?(bytes: Buffer): Decoded<T>;
  /** Decodes lists that need not contain whole objects: of most objects, only the metadata ever matters. */
  readonly metadata?: Decoder<T>;
}
