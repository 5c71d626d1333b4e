import { ProtocolError } from '../errors';
import { protobufBytes } from './protobuf';

/** Content type of Kubernetes' protobuf, for whole objects and for lists. */
export const protobufType = 'application/vnd.kubernetes.protobuf';

/** First bytes of every object in Kubernetes' protobuf encoding. */
export const protobufMagic = Buffer.from('k8s\0', 'latin1');

/** Field of `runtime.Unknown` that holds the object. */
export const unknownRaw = 2;

/**
 * Extracts the object's own message from `"k8s\0"` + `runtime.Unknown`.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 * @throws ProtocolError if it is not an envelope.
 */
export function openEnvelope(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, protobufMagic.length).equals(protobufMagic)) {
    throw new ProtocolError('protobuf: the object does not begin with the Kubernetes magic number');
  }
  const raw = protobufBytes(bytes.subarray(protobufMagic.length), unknownRaw);
  if (!raw) throw new ProtocolError('protobuf: the envelope holds no object');
  return raw;
}
