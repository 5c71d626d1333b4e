import { attempt, requireFitToShow, type Target } from '../target';
import { defaultAnnotationKeys } from '../../../shared/domain/annotations/annotations';
import { encodingOf } from '../../../shared/kube/wire/encoding';
import { ProtocolError } from '../../../shared/kube/errors';
import { sourceDecoder } from '../../../shared/kube/sources/source-decoder';
import { digester, bareSecret } from '../samples';
import { splitAnywhere } from '../split-stream';

const encoding = encodingOf('application/json', sourceDecoder('Secret', digester, defaultAnnotationKeys));

const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const bookmark = { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } };

/** A watch in JSON, split at every byte. Secrets have no values here, because mutations would turn them into keys. */
export const target: Target = {
  seeds: [
    line('ADDED', bareSecret) + line('BOOKMARK', bookmark),
    line('DELETED', bareSecret),
    line('ERROR', { kind: 'Status', code: 410, reason: 'Expired', details: { retryAfterSeconds: 3 } }),
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
