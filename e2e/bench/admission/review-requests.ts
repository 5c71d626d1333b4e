import { randomBytes } from 'node:crypto';
import { tokenPath } from '../../../shared/domain/protocol/webhook-token';

/** Of the Secret's content, before base64. */
export const secretBytes = 16 * 1024;
const keys = 16;
/** More than one, so that changes are of different Secrets, as in a cluster. */
export const secretNames = 500;

/** Digits are put where these stand: they are valid in a uid, in a name and in base64 alike. */
const numberMark = '@@@@@@@@';
const nameMark = '########';

const host = 'reroll-webhook.reroll.svc';

/**
 * UPDATE reviews as an API server sends them, each of another change: one key of a Secret has a new value. They are
 * whole HTTP requests, and made out of one template: whoever measures must have little to do.
 */
export class ReviewRequests {
  readonly #template: Buffer;
  readonly #numberOffsets: readonly number[];
  readonly #nameOffsets: readonly number[];
  /** Of the body of one review. */
  readonly bodyBytes: number;
  #count = 0;

  /** `token`: what the webhook knows an API server by. */
  constructor(token: string) {
    const body = Buffer.from(JSON.stringify(reviewTemplate()));
    this.bodyBytes = body.length;
    const head = [
      `POST ${tokenPath('validate', token)}?timeout=2s HTTP/1.1`,
      `Host: ${host}`,
      'User-Agent: kube-apiserver-admission',
      'Accept: application/json, */*',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Accept-Encoding: gzip',
    ];
    this.#template = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
    this.#numberOffsets = offsetsOf(this.#template, numberMark);
    this.#nameOffsets = offsetsOf(this.#template, nameMark);
  }

  next(): Buffer {
    const request = Buffer.from(this.#template);
    const count = this.#count++;
    const digits = (value: number): string => String(value).padStart(numberMark.length, '0');
    for (const offset of this.#numberOffsets) request.write(digits(count), offset, 'latin1');
    for (const offset of this.#nameOffsets) request.write(digits(count % secretNames), offset, 'latin1');
    return request;
  }
}

function reviewTemplate() {
  const name = `source-${nameMark}`;
  const uid = `00000000-0000-4000-8000-0000${numberMark}`;
  const resource = { group: '', version: 'v1', resource: 'secrets' };
  const kind = { group: '', version: 'v1', kind: 'Secret' };
  const unchanged = Array.from({ length: keys - 1 }, (_, index) => [`key-${index}`, value()] as const);
  const object = (changing: string) => ({
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace: 'shop',
      uid: `11111111-0000-4000-8000-0000${nameMark}`,
      resourceVersion: '123456',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { 'app.kubernetes.io/name': 'shop', 'app.kubernetes.io/managed-by': 'kubectl' },
      managedFields: [managedFields('kubectl-create'), managedFields('kubectl-edit')],
    },
    data: { ...Object.fromEntries(unchanged), changing },
    type: 'Opaque',
  });
  const before = value();
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      ...{ uid, kind, resource, requestKind: kind, requestResource: resource },
      ...{ name, namespace: 'shop', operation: 'UPDATE' },
      // Nobody writes two hundred Secrets a second by hand; a person would also be told what that restarts.
      userInfo: {
        username: 'system:serviceaccount:flux-system:kustomize-controller',
        groups: ['system:serviceaccounts', 'system:authenticated'],
      },
      object: object(`${numberMark}${before.slice(numberMark.length)}`),
      oldObject: object(before),
      dryRun: false,
      options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'kustomize-controller' },
    },
  };
}

function value(): string {
  return randomBytes(secretBytes / keys).toString('base64');
}

function managedFields(manager: string) {
  const fields = Array.from({ length: keys - 1 }, (_, index) => [`f:key-${index}`, {}] as const);
  return {
    ...{ manager, operation: 'Update', apiVersion: 'v1', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1' },
    fieldsV1: { 'f:data': { '.': {}, ...Object.fromEntries(fields), 'f:changing': {} }, 'f:type': {} },
  };
}

function offsetsOf(template: Buffer, mark: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = template.indexOf(mark); at >= 0; at = template.indexOf(mark, at + 1)) offsets.push(at);
  return offsets;
}
