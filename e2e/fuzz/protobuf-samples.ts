import { sourceMessage } from '../../shared/kube/wire/protobuf.fixture';
import { secretMarker } from './target';

/** A Secret as a bare message, without an envelope. */
export const protobufSecret = sourceMessage({
  ...{ name: 'db', namespace: 'shop', uid: 'uid-db', resourceVersion: '7' },
  ...{ createdAtSeconds: 1_767_225_600, writtenAtSeconds: [1_767_225_601] },
  annotations: { 'reloader.stakater.com/match': 'true', 'k8s.io/initial-events-end': 'true' },
  data: { password: secretMarker, user: 'app' },
  binaryData: {},
});
