import { isObject } from '../../domain/kubernetes/json-value';
import type { Decoded, Decoder, ListSplitter } from './decoder';
import { ProtocolError } from '../errors';
import { identityInJson, watchEventInJson } from './json-identity';
import { JsonLines } from './json-lines';
import { JsonList } from './json-list';
import { metadataFromJson, metadataFromProtobuf } from './object-metadata';
import { protobufBytes, protobufFields } from './protobuf';
import { openEnvelope, protobufType } from './protobuf-envelope';
import { ProtobufFrames } from './protobuf-frames';
import { ProtobufList } from './protobuf-list';
import { statusFromJson, statusFromProtobuf } from './status-body';
import type { WatchEvent } from './watch-event';
import { initialEventsEndAnnotation, watchEvent } from './watch-event';

const json = 'application/json';

/** The encoding of lists and watches: it splits bodies and decodes their parts. */
export interface Encoding<T> {
  newListSplitter(): ListSplitter;
  /** @throws MalformedObjectError, ProtocolError */
  decodeItem(bytes: Buffer): Decoded<T>;
  newFrameSplitter(): FrameSplitter;
  /** @throws ProtocolError */
  decodeEvent(frame: Buffer): WatchEvent<T>;
}

/** Splits the body of a watch into the bytes of each event. */
export interface FrameSplitter {
  push(chunk: Buffer): Iterable<Buffer>;
  /** @throws ProtocolError if the stream ended within an event. */
  end(): void;
}

/**
 * The encodings to request. JSON is always acceptable: errors, aggregated APIs and proxies may support nothing else.
 */
export function acceptHeader<T>({ accepts }: Pick<Decoder<T>, 'accepts'>, what: 'list' | 'watch'): string {
  if (accepts === 'json') return json;
  const stream = what === 'watch' ? ';stream=watch' : '';
  if (accepts === 'protobuf') return `${protobufType}${stream},${json}`;
  const partial = `;as=PartialObjectMetadata${what === 'list' ? 'List' : ''};g=meta.k8s.io;v=v1`;
  return `${protobufType}${partial}${stream},${json}${partial},${json}`;
}

/**
 * The encoding that the server chose.
 * @throws ProtocolError if it is an unsupported one, such as the HTML of a proxy.
 */
export function encodingOf<T>(contentType: string | undefined, decoder: Decoder<T>): Encoding<T> {
  const mediaType = contentType?.split(';', 1)[0]?.trim() ?? '';
  if (mediaType === json) return jsonEncoding(decoder);
  const fromProtobuf = decoder.fromProtobuf?.bind(decoder);
  if (mediaType === protobufType && fromProtobuf) return protobufEncoding(fromProtobuf);
  throw new ProtocolError(`the server answered content type "${mediaType}" instead of JSON or protobuf`);
}

function jsonEncoding<T>(decoder: Decoder<T>): Encoding<T> {
  const { large } = decoder;
  return {
    newListSplitter: () => new JsonList(),
    decodeItem: (bytes) =>
      large && bytes.length > large.overBytes
        ? large.fromIdentity(identityInJson(bytes))
        : decoder.fromJson(parseJson(bytes)),
    newFrameSplitter: () => new JsonLines(),
    decodeEvent(frame) {
      if (large && frame.length > large.overBytes) return largeEvent(frame, large);
      const event = parseJson(frame);
      if (!isObject(event) || typeof event['type'] !== 'string')
        throw new ProtocolError('the line is not a watch event');
      const object = event['object'];
      return watchEvent(event['type'], {
        decoded: () => decoder.fromJson(object),
        metadata: () => metadataFromJson(object, [initialEventsEndAnnotation]),
        status: () => statusFromJson(object),
      });
    },
  };
}

function largeEvent<T>(frame: Buffer, large: NonNullable<Decoder<T>['large']>): WatchEvent<T> {
  const event = watchEventInJson(frame);
  if (!event) throw new ProtocolError('the line is not a watch event');
  const identity = identityInJson(frame, event.objectAt);
  return watchEvent(event.type, {
    decoded: () => large.fromIdentity(identity),
    metadata: () => metadataFromJson(identity),
    status: () => undefined,
  });
}

/** `WatchEvent {1: type, 2: RawExtension {1: an enveloped object}}`. */
function protobufEncoding<T>(fromProtobuf: (bytes: Buffer) => Decoded<T>): Encoding<T> {
  return {
    newListSplitter: () => new ProtobufList(),
    decodeItem: fromProtobuf,
    newFrameSplitter: () => new ProtobufFrames(),
    decodeEvent(frame) {
      let type = '';
      let extension: Buffer | undefined;
      for (const field of protobufFields(frame)) {
        if (field.number === 1) type = field.text;
        if (field.number === 2) extension = field.bytes;
      }
      const enveloped = extension && protobufBytes(extension, 1);
      if (!enveloped) throw new ProtocolError('the frame is not a watch event');
      const object = openEnvelope(enveloped);
      return watchEvent(type, {
        decoded: () => fromProtobuf(object),
        metadata: () => metadataFromProtobuf(object, [initialEventsEndAnnotation]),
        status: () => statusFromProtobuf(object),
      });
    },
  };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's own message quotes the text, which may be the content of a Secret.
    throw new ProtocolError(`an object of ${bytes.length} bytes is not JSON`);
  }
}
