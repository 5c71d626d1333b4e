import { attempt, type Target } from '../target';
import { defaultAnnotationKeys } from '../../../shared/domain/annotations/annotations';
import { MalformedObjectError } from '../../../shared/domain/kubernetes/malformed-object-error';
import { ProtocolError } from '../../../shared/kube/errors';
import { ProtobufList } from '../../../shared/kube/wire/protobuf-list';
import { protobufList } from '../../../shared/kube/wire/protobuf.fixture';
import { sourceDecoder } from '../../../shared/kube/sources/source-decoder';
import { protobufSecret } from '../protobuf-samples';
import { digester } from '../samples';
import { splitAnywhere } from '../split-stream';

const decoder = sourceDecoder('ConfigMap', digester, defaultAnnotationKeys);

/** A list in protobuf, split at every byte. */
export const target: Target = {
  format: 'protobuf',
  seeds: [
    protobufList([protobufSecret, protobufSecret], { resourceVersion: '7', continue: 'token' }),
    protobufList([], { resourceVersion: '1' }),
  ],
  // Each input is read about twenty times.
  maxBytes: 8 * 1024,
  run: (input) => {
    for (const item of splitAnywhere(input, () => new ProtobufList()).pieces) {
      attempt(() => decoder.fromProtobuf(item), ProtocolError, MalformedObjectError);
    }
  },
};
