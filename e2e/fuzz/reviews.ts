import { isObject, objectOf } from '../../shared/domain/kubernetes/json-value';
import { parseAdmissionReview, type AdmissionRequest } from '../../webhook/admission/admission-review';
import { markedValue, bareSecret, sampleConfigMap, sampleDeployment, sampleSecret, json } from './samples';

/** A review of a write, as an API server sends it. */
function review(kind: object, object: unknown, oldObject: unknown, operation: string): string {
  return json({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      ...{ uid: 'review-1', kind, name: 'db', namespace: 'shop', operation, object, oldObject, dryRun: false },
      userInfo: { username: 'alice', groups: ['dev'] },
      options: { kind: 'UpdateOptions', fieldManager: 'kubectl-edit' },
    },
  });
}

const core = (kind: string): object => ({ group: '', version: 'v1', kind });

/** A review of each kind of write that a plugin handles. */
export const sampleReviews: readonly string[] = [
  review(core('Secret'), sampleSecret, bareSecret, 'UPDATE'),
  review(core('Secret'), sampleSecret, null, 'CREATE'),
  review(core('ConfigMap'), sampleConfigMap, { ...sampleConfigMap, data: { 'app.json': '{' } }, 'UPDATE'),
  review(
    { group: 'apps', version: 'v1', kind: 'Deployment' },
    {
      ...sampleDeployment,
      metadata: { ...sampleDeployment.metadata, annotations: { 'reloader.stakater.com/auto': 'true' } },
    },
    sampleDeployment,
    'UPDATE',
  ),
  review({ group: 'apps', version: 'v1', kind: 'Deployment' }, sampleDeployment, null, 'CREATE'),
];

/**
 * The request in a body, with the marker as each value in `data`: a mutation may have put the value into a name, too.
 */
export function markedRequest(body: Buffer): AdmissionRequest | undefined {
  const request = parseAdmissionReview(body)?.request;
  if (!request) return undefined;
  return { ...request, object: marked(request.object), oldObject: marked(request.oldObject) };
}

function marked(object: unknown): unknown {
  const { data } = objectOf(object);
  if (!isObject(data)) return object;
  const values = Object.entries(data).map(([key, value]) => [key, typeof value === 'string' ? markedValue : value]);
  return { ...objectOf(object), data: Object.fromEntries(values) };
}
