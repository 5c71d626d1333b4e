import type { AdmissionRequest } from './admission';
import type { JsonObject } from './json';

/** Wraps any request in an AdmissionReview (`admission.k8s.io/v1`). */
export function reviewBody(request: JsonObject): Buffer {
  return Buffer.from(JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request }));
}

/** The body that an API server sends to a webhook. */
export function admissionReview(request: AdmissionRequest): Buffer {
  const { uid, operation, kind, namespace, name, subresource, user, manager, dryRun, object, oldObject } = request;
  const { group, version, plural: resource } = kind;
  const options = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' }[operation];
  return reviewBody({
    uid,
    kind: { group, version, kind: kind.kind },
    resource: { group, version, resource },
    ...(subresource !== undefined && { subResource: subresource }),
    name,
    ...(namespace !== undefined && { namespace }),
    operation,
    userInfo: { username: user, groups: ['system:authenticated'] },
    object,
    oldObject,
    dryRun,
    options: { kind: options, apiVersion: 'meta.k8s.io/v1', fieldManager: manager },
  });
}
