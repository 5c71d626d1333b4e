import type { ObjectKey } from '../../domain/kubernetes/object-key';
import type { IdentityOnly } from './json-identity';
import { ProtocolError } from '../errors';

/**
 * An object in etcd is at most 1.5 MB, unless a flag of etcd allows more. In JSON, one byte may take up to six: a
 * control character is `\u0001`. The limit is generous, because an object beyond it would end its list or watch for
 * everybody, again and again.
 */
const maxObjectBytes = 16 * 1024 * 1024;

/** Call it before the bytes are collected: a wrong length must not fill the memory. @throws ProtocolError */
export function requireObjectSize(bytes: number): void {
  if (bytes > maxObjectBytes) throw new ProtocolError(`an object of ${bytes} bytes: the limit is ${maxObjectBytes}`);
}

/** The relevant metadata of a list. */
export interface ListMetadata {
  readonly resourceVersion: string | undefined;
  /** Token for the next page; undefined on the last. */
  readonly continue: string | undefined;
}

/** Splits the body of a list into its items as the bytes arrive: no list is ever held whole. */
export interface ListSplitter {
  /** The items that `chunk` completes, each as its raw bytes. @throws ProtocolError */
  push(chunk: Buffer): Iterable<Buffer>;
  /** The metadata, which may follow the items. @throws ProtocolError if the list is not complete. */
  end(): ListMetadata;
}

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
   * @throws MalformedObjectError if the object has the wrong shape; ProtocolError if the bytes do not parse.
   */
  fromProtobuf?(bytes: Buffer): Decoded<T>;
  /** Decodes lists that need not contain whole objects: for most objects, only the metadata ever matters. */
  readonly metadata?: Decoder<T>;
}
