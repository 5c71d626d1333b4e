import type { ObjectKey } from '../../domain/kubernetes/object-key';
import type { Decoded } from './decoder';
import { MalformedObjectError } from '../../domain/kubernetes/malformed-object-error';
import type { ObjectMetadata } from './object-metadata';
import type { KubeStatus } from '../errors';

/** One event of a watch, decoded. */
export type WatchEvent<T> =
  | { readonly type: 'upsert'; readonly decoded: Decoded<T> }
  | {
      readonly type: 'remove';
      readonly key: ObjectKey;
      /** Undefined if the deleted object could not be read. */
      readonly uid: string | undefined;
      readonly resourceVersion: string | undefined;
    }
  /** All changes up to this version have been sent. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'malformed'; readonly error: MalformedObjectError }
  | { readonly type: 'error'; readonly status: KubeStatus | undefined }
  | { readonly type: 'unknown'; readonly name: string };

/** Annotation of the bookmark that ends the initial events of a watch-list. */
export const initialEventsEndAnnotation = 'k8s.io/initial-events-end';

/** Reads the object of an event; the event's type decides which method is called. */
export interface EventObject<T> {
  decoded(): Decoded<T>;
  metadata(): ObjectMetadata;
  status(): KubeStatus | undefined;
}

/** @throws ProtocolError if the object's bytes do not parse. */
export function watchEvent<T>(type: string, object: EventObject<T>): WatchEvent<T> {
  try {
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
        return { type: 'upsert', decoded: object.decoded() };
      case 'DELETED':
        return removal(object);
      case 'BOOKMARK': {
        const { resourceVersion, annotations } = object.metadata();
        return {
          type: 'bookmark',
          resourceVersion,
          initialEventsEnd: annotations.get(initialEventsEndAnnotation) === 'true',
        };
      }
      case 'ERROR':
        return { type: 'error', status: object.status() };
      default:
        return { type: 'unknown', name: type.slice(0, 32) };
    }
  } catch (thrown) {
    if (thrown instanceof MalformedObjectError) return { type: 'malformed', error: thrown };
    throw thrown;
  }
}

/** A removal needs only the object's name, so the rest of the object may be malformed. */
function removal<T>(object: EventObject<T>): WatchEvent<T> {
  try {
    const { key, uid, resourceVersion } = object.decoded();
    return { type: 'remove', key, uid, resourceVersion };
  } catch (thrown) {
    if (!(thrown instanceof MalformedObjectError) || thrown.key === undefined) throw thrown;
    return { type: 'remove', key: thrown.key, uid: undefined, resourceVersion: thrown.resourceVersion };
  }
}
