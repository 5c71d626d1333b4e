/**
 * The wire types that the encoder distinguishes. `bytes` are base64 in JSON; `time` is a metav1.Time or MicroTime;
 * `raw` is metav1.FieldsV1, whose bytes are the JSON itself.
 */
export type ScalarType = 'string' | 'bytes' | 'int' | 'bool' | 'time' | 'raw';

export interface FieldSchema {
  readonly number: number;
  readonly type: ScalarType | { readonly message: string } | { readonly map: 'string' | 'bytes' };
  readonly repeated?: boolean;
}

export type MessageSchema = Readonly<Record<string, FieldSchema>>;

const scalar = (number: number, type: ScalarType = 'string'): FieldSchema => ({ number, type });
const strings = (number: number): FieldSchema => ({ number, type: 'string', repeated: true });
const message = (number: number, name: string): FieldSchema => ({ number, type: { message: name } });
const messages = (number: number, name: string): FieldSchema => ({ number, type: { message: name }, repeated: true });
const map = (number: number, of: 'string' | 'bytes' = 'string'): FieldSchema => ({ number, type: { map: of } });

const metadata = message(1, 'ObjectMeta');
const listOf = (name: string): MessageSchema => ({ metadata: message(1, 'ListMeta'), items: messages(2, name) });

/** Fields by their JSON names, with the numbers of generated.proto in k8s.io/api and k8s.io/apimachinery. */
export const messageSchemas: Readonly<Record<string, MessageSchema>> = {
  ObjectMeta: {
    name: scalar(1),
    generateName: scalar(2),
    namespace: scalar(3),
    uid: scalar(5),
    resourceVersion: scalar(6),
    generation: scalar(7, 'int'),
    creationTimestamp: scalar(8, 'time'),
    deletionTimestamp: scalar(9, 'time'),
    deletionGracePeriodSeconds: scalar(10, 'int'),
    labels: map(11),
    annotations: map(12),
    ownerReferences: messages(13, 'OwnerReference'),
    finalizers: strings(14),
    managedFields: messages(17, 'ManagedFieldsEntry'),
  },
  OwnerReference: {
    kind: scalar(1),
    name: scalar(3),
    uid: scalar(4),
    apiVersion: scalar(5),
    controller: scalar(6, 'bool'),
    blockOwnerDeletion: scalar(7, 'bool'),
  },
  ManagedFieldsEntry: {
    manager: scalar(1),
    operation: scalar(2),
    apiVersion: scalar(3),
    time: scalar(4, 'time'),
    fieldsType: scalar(6),
    fieldsV1: scalar(7, 'raw'),
    subresource: scalar(8),
  },
  ListMeta: { resourceVersion: scalar(2), continue: scalar(3), remainingItemCount: scalar(4, 'int') },
  Secret: {
    metadata,
    data: map(2, 'bytes'),
    type: scalar(3),
    immutable: scalar(5, 'bool'),
  },
  ConfigMap: { metadata, data: map(2), binaryData: map(3, 'bytes'), immutable: scalar(4, 'bool') },
  Namespace: { metadata, spec: message(2, 'NamespaceSpec'), status: message(3, 'NamespaceStatus') },
  NamespaceSpec: { finalizers: strings(1) },
  NamespaceStatus: { phase: scalar(1) },
  Lease: { metadata, spec: message(2, 'LeaseSpec') },
  LeaseSpec: {
    holderIdentity: scalar(1),
    leaseDurationSeconds: scalar(2, 'int'),
    acquireTime: scalar(3, 'time'),
    renewTime: scalar(4, 'time'),
    leaseTransitions: scalar(5, 'int'),
  },
  SecretList: listOf('Secret'),
  PartialObjectMetadata: { metadata },
  PartialObjectMetadataList: listOf('PartialObjectMetadata'),
  ConfigMapList: listOf('ConfigMap'),
  NamespaceList: listOf('Namespace'),
  LeaseList: listOf('Lease'),
  Status: {
    metadata: message(1, 'ListMeta'),
    status: scalar(2),
    message: scalar(3),
    reason: scalar(4),
    details: message(5, 'StatusDetails'),
    code: scalar(6, 'int'),
  },
  StatusDetails: {
    name: scalar(1),
    group: scalar(2),
    kind: scalar(3),
    causes: messages(4, 'StatusCause'),
    retryAfterSeconds: scalar(5, 'int'),
    uid: scalar(6),
  },
  StatusCause: { reason: scalar(1), message: scalar(2), field: scalar(3) },
};
