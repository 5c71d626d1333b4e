import { attempt, promise, requireFitToShow, type Target } from '../target';
import { defaultAnnotationKeys } from '../../../shared/domain/annotations/annotations';
import { MalformedObjectError } from '../../../shared/domain/kubernetes/malformed-object-error';
import { encodingOf } from '../../../shared/kube/wire/encoding';
import { ProtocolError } from '../../../shared/kube/errors';
import { openEnvelope, protobufType } from '../../../shared/kube/wire/protobuf-envelope';
import { bytesField, envelope, watchFrame } from '../../../shared/kube/wire/protobuf.fixture';
import { sourceDecoder } from '../../../shared/kube/sources/source-decoder';
import { protobufSecret } from '../protobuf-samples';
import { digester } from '../samples';

const decoder = sourceDecoder('Secret', digester, defaultAnnotationKeys);
const encoding = encodingOf(protobufType, decoder);

/** One event, one envelope or one object in protobuf. Mutations keep most lengths valid. */
export const target: Target = {
  format: 'protobuf',
  seeds: [
    ...['ADDED', 'DELETED', 'BOOKMARK', 'ERROR', 'ODD'].map((type) => watchFrame(type, protobufSecret).subarray(4)),
    watchFrame('ERROR', Buffer.concat([bytesField(3, 'gone'), bytesField(5, Buffer.from([0x28, 3]))])).subarray(4),
    envelope(protobufSecret),
    protobufSecret,
  ],
  run: (input) => {
    const event = attempt(() => encoding.decodeEvent(input), ProtocolError);
    if (event?.type === 'malformed') requireFitToShow(event.error.message);
    attempt(() => openEnvelope(input), ProtocolError);
    const decoded = attempt(() => decoder.fromProtobuf(input), ProtocolError, MalformedObjectError);
    const listed = attempt(() => decoder.metadata.fromProtobuf?.(input), ProtocolError, MalformedObjectError);
    promise(decoded === undefined || decoded.key === listed?.key, 'an object and its metadata have one name');
  },
};
