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
 * Turns one object of a list or a watch into what its sink keeps. Nothing it returns may hold on to `bytes` or to a
 * slice of it: that would pin a whole chunk of the stream.
 */
export interface Decoder<T> {
  /** What to ask for; `metadata` is an object without the rest of it. The server may answer whole objects in JSON all the same. */
  readonly accepts: 'json' | 'protobuf' | 'metadata';
  /** @throws MalformedObjectError when the shape of the object is wrong. */
  fromJson(object: unknown): Decoded<T>;
  /** What is longer than so many bytes of JSON is not parsed: to do that would keep everybody else waiting. */
  readonly large?: {
    readonly overBytes: number;
    /** @throws MalformedObjectError when not even the identity can be read. */
    fromIdentity(object: IdentityOnly): Decoded<T>;
  };
  /**
   * `bytes` is the object's own message, without envelope.
   *
   * @throws MalformedObjectError when the shape of the object is wrong; ProtocolError when the bytes do not parse.
   */
  fromProtobuf?(bytes: Buffer): Decoded<T>;
  /** Lists are read by this one, where they are not asked to be whole: most objects never matter beyond their metadata. */
  readonly metadata?: Decoder<T>;
}
