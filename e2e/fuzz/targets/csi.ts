import { attempt, jsonOf, type Target } from '../target';
import { defaultAnnotationKeys } from '../../../shared/domain/annotations/annotations';
import { MalformedObjectError } from '../../../shared/domain/kubernetes/malformed-object-error';
import { csiClassDecoder, csiPodStatusDecoder } from '../../../shared/kube/sources/csi-decoder';
import { digester, json, sampleSecret } from '../samples';

const { metadata } = sampleSecret;
const podStatus = csiPodStatusDecoder(digester);
const csiClass = csiClassDecoder(defaultAnnotationKeys);

/** The objects of the CSI driver, which the API server has not validated for Reroll. */
export const target: Target = {
  seeds: [
    json({
      metadata: { ...metadata, managedFields: [{ time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:status': {} } }] },
      status: {
        secretProviderClassName: 'vault',
        objects: [
          { id: 'db', version: '1' },
          { id: 'api', version: '2' },
        ],
      },
    }),
    json({ metadata }),
  ],
  maxBytes: 256 * 1024,
  run: (input) => {
    const object = jsonOf(input);
    attempt(() => podStatus.fromJson(object), MalformedObjectError)?.object.content?.whole();
    attempt(() => csiClass.fromJson(object), MalformedObjectError);
  },
};
