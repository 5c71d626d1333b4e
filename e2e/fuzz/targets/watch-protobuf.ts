import { attempt, requireFitToShow, type Target } from '../target';
import { defaultAnnotationKeys } from '../../../shared/domain/annotations/annotations';
import { encodingOf } from '../../../shared/kube/wire/encoding';
import { ProtocolError } from '../../../shared/kube/errors';
import { protobufType } from '../../../shared/kube/wire/protobuf-envelope';
import { watchFrame } from '../../../shared/kube/wire/protobuf.fixture';
import { sourceDecoder } from '../../../shared/kube/sources/source-decoder';
import { protobufSecret } from '../protobuf-samples';
import { digester } from '../samples';
import { splitAnywhere } from '../split-stream';

const encoding = encodingOf(protobufType, sourceDecoder('Secret', digester, defaultAnnotationKeys));

/** A watch in protobuf, split at every byte. */
export const target: Target = {
  seeds: [
    Buffer.concat([watchFrame('ADDED', protobufSecret), watchFrame('BOOKMARK', protobufSecret)]),
    watchFrame('DELETED', protobufSecret),
    watchFrame('ERROR', Buffer.from([0x30, 0x9a, 0x03])),
  ],
  // Each input is read about twenty times.
  maxBytes: 8 * 1024,
  run: (input) => {
    for (const frame of splitAnywhere(input, () => encoding.newFrameSplitter()).pieces) {
      const event = attempt(() => encoding.decodeEvent(frame), ProtocolError);
      // As in a watch, an invalid event ends it.
      if (!event) return;
      if (event.type === 'malformed') requireFitToShow(event.error.message);
    }
  },
};
