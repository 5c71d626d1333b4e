/** Writes protobuf like an API server, for tests. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

export function bytesField(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

export function varintField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

export function envelope(object: Buffer, kind = 'Secret'): Buffer {
  const typeMeta = Buffer.concat([bytesField(1, 'v1'), bytesField(2, kind)]);
  return Buffer.concat([
    Buffer.from('k8s\0'),
    bytesField(1, typeMeta),
    bytesField(2, object),
    bytesField(3, ''),
    bytesField(4, ''),
  ]);
}

export function watchFrame(type: string, object: Buffer): Buffer {
  const event = Buffer.concat([bytesField(1, type), bytesField(2, bytesField(1, envelope(object)))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

export interface FixtureObject {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAtSeconds: number;
  readonly writtenAtSeconds: readonly number[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, string | Buffer>>;
  readonly binaryData: Readonly<Record<string, Buffer>>;
}

export function objectMeta(object: FixtureObject): Buffer {
  return Buffer.concat([
    bytesField(1, object.name),
    bytesField(2, ''),
    bytesField(3, object.namespace),
    bytesField(5, object.uid),
    bytesField(6, object.resourceVersion),
    varintField(7, 3),
    bytesField(8, varintField(1, object.createdAtSeconds)),
    ...Object.entries(object.annotations).map(([key, value]) => mapField(12, key, value)),
    ...object.writtenAtSeconds.map((seconds) =>
      bytesField(17, Buffer.concat([bytesField(1, 'kubectl'), bytesField(4, varintField(1, seconds))])),
    ),
  ]);
}

export function sourceMessage(object: FixtureObject): Buffer {
  return Buffer.concat([
    bytesField(1, objectMeta(object)),
    ...Object.entries(object.data).map(([key, value]) => mapField(2, key, value)),
    ...Object.entries(object.binaryData).map(([key, value]) => mapField(3, key, value)),
    varintField(99, 1),
  ]);
}

export function sourceJson(
  kind: 'ConfigMap' | 'Secret',
  object: FixtureObject,
): { readonly [field: string]: unknown; readonly metadata: object } {
  const time = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
  const base64 = (values: Readonly<Record<string, string | Buffer>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name: object.name,
      namespace: object.namespace,
      uid: object.uid,
      resourceVersion: object.resourceVersion,
      creationTimestamp: time(object.createdAtSeconds),
      annotations: object.annotations,
      managedFields: object.writtenAtSeconds.map((seconds) => ({ manager: 'kubectl', time: time(seconds) })),
    },
    ...(kind === 'Secret'
      ? { data: base64(object.data), type: 'Opaque' }
      : { data: object.data, binaryData: base64(object.binaryData) }),
  };
}

export function protobufList(
  items: readonly Buffer[],
  metadata: { resourceVersion: string; continue?: string },
): Buffer {
  const listMeta = Buffer.concat([
    bytesField(1, ''),
    bytesField(2, metadata.resourceVersion),
    bytesField(3, metadata.continue ?? ''),
  ]);
  return envelope(Buffer.concat([bytesField(1, listMeta), ...items.map((item) => bytesField(2, item))]), 'SecretList');
}

function mapField(number: number, key: string, value: string | Buffer): Buffer {
  return bytesField(number, Buffer.concat([bytesField(1, key), bytesField(2, value)]));
}
