import { configMap, deployment, fromConfigMap, secret } from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import type { ObjectInput } from '../apiserver/objects';

/** The namespace of a hostile tenant. */
export const tenant = 'tenant';

/** An object about as large as an API server accepts, made to cost as much as possible. */
export interface HostileRow {
  readonly what: string;
  /** Different objects for each turn, so that nothing about them is known yet. `turn` counts from 0. */
  readonly objects: (turn: number) => readonly ObjectInput[];
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const auto = { 'reloader.stakater.com/auto': 'true' };
const list = 'configmap.reloader.stakater.com/reload';

/** As many names as fit, separated by commas. */
export function namesOf(maxBytes: number, turn: number): string {
  const bytesOfEach = codeLength + 1;
  return Array.from({ length: Math.floor(maxBytes / bytesOfEach) }, (_, index) => code(index, turn)).join(',');
}

const codeLength = 5;

/** Different for each index below 1,679,616 (36 to the power of 4), and for each turn. */
function code(index: number, turn: number): string {
  const base = letters.length;
  const digits = [...[0, 1, 2, 3].map((place) => Math.floor(index / base ** place)), turn];
  return digits.map((digit) => letters[digit % base]).join('');
}

function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Patterns that are as expensive as possible: each searches the whole name, and almost matches it. */
export function patternsOf(count: number, turn: number): string {
  return times(count, (index) => `.*a.*a${code(index, turn)}`).join(',');
}

/** `count` volumes that are mounted, each with a ConfigMap of its own. */
function volumesOf(
  count: number,
  turn: number,
): { readonly volumes: JsonObject[]; readonly volumeMounts: JsonObject[] } {
  return {
    volumes: [...times(count, (index) => ({ name: code(index, turn), configMap: { name: code(index, turn) } }))],
    volumeMounts: [...times(count, (index) => ({ name: code(index, turn), mountPath: `/${code(index, turn)}` }))],
  };
}

/** Variables, each from a key of a ConfigMap of its own. */
function variablesOf(count: number, turn: number): JsonObject[] {
  const key = (index: number): JsonObject => ({ name: code(index, turn), key: 'k', optional: true });
  return [...times(count, (index) => ({ name: code(index, turn), valueFrom: { configMapKeyRef: key(index) } }))];
}

/** A well-formed baseline of sources that nobody uses. */
function baselineOf(maxBytes: number, turn: number): string {
  const sources = Object.fromEntries(times(Math.floor(maxBytes / 15), (index) => [`cm/${code(index, turn)}`, '-']));
  return JSON.stringify({ v: 1, n: 1, key: 'AAAAAAAA', sources });
}

function deep(levels: number): JsonObject {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as JsonObject;
}

function managedFieldsOf(count: number): NonNullable<ObjectInput['metadata']['managedFields']> {
  return times(count, (index) => ({
    ...{ manager: `m${String(index)}`, operation: 'Update', apiVersion: 'v1', time: '2024-01-01T00:00:00Z' },
    ...{ fieldsType: 'FieldsV1', fieldsV1: {} },
  }));
}

const keysOf = (count: number, turn: number, length = codeLength): Record<string, string> =>
  Object.fromEntries(
    times(
      count,
      (index) => [code(index, turn) + 'k'.repeat(length - codeLength), String(index % 10)] as const,
    ).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );

/** A name of 250 letters a and b, in no order. */
function bitsOf(index: number): string {
  let state = index * 7919 + 1;
  return times(250, () => 'ab'[((state = (state * 48271) % 2147483647) >> 8) & 1] ?? 'a').join('');
}

const inTenant = { namespace: tenant };

/** The hostile objects that watches deliver. */
export const hostileRows: readonly HostileRow[] = [
  {
    what: 'a workload with a list of 250 KB',
    objects: (turn) => [
      deployment({ ...inTenant, name: `list-${String(turn)}`, annotations: { [list]: namesOf(250_000, turn) } }),
    ],
  },
  {
    what: 'an exclude list of 250 KB',
    objects: (turn) => {
      const exclude = { 'configmaps.exclude.reloader.stakater.com/reload': namesOf(250_000, turn) };
      const annotations = { ...auto, ...exclude };
      return [deployment({ ...inTenant, name: `excl-${String(turn)}`, annotations, ...volumesOf(2_000, turn) })];
    },
  },
  {
    what: 'patterns at the limit, and 500 ConfigMaps to try them on',
    objects: (turn) => [
      ...(turn === 0
        ? times(500, (index) =>
            configMap({ ...inTenant, name: `${'a'.repeat(240)}${String(index)}`, data: { a: 'b' } }),
          )
        : []),
      deployment({ ...inTenant, name: `pattern-${String(turn)}`, annotations: { [list]: patternsOf(480, turn) } }),
    ],
  },
  {
    what: 'patterns that RE2 makes many states of, and 500 ConfigMaps to try them on',
    objects: (turn) => [
      ...(turn === 0 ? times(500, (index) => configMap({ ...inTenant, name: bitsOf(index), data: { a: 'b' } })) : []),
      deployment({
        ...{ ...inTenant, name: `states-${String(turn)}` },
        annotations: { [list]: times(10, (index) => `.*a.{60}[c-y${String((index + turn) % 10)}]`).join(',') },
      }),
    ],
  },
  {
    what: 'a list of keys at the limit, and 256 keys to try it on',
    objects: (turn) => [
      configMap({
        ...{ ...inTenant, name: `keys-${String(turn)}`, annotations: { 'reroll.dev/keys': `${'*a'.repeat(249)}b` } },
        data: Object.fromEntries(times(256, (index) => [`${'a'.repeat(248)}${String(index)}`, String(turn)])),
      }),
      deployment({
        ...{ ...inTenant, name: `keys-${String(turn)}`, annotations: auto },
        envFrom: [fromConfigMap(`keys-${String(turn)}`)],
      }),
    ],
  },
  {
    what: 'a source that is compared parsed, of YAML that takes long to parse',
    objects: (turn) => [
      configMap({
        ...{ ...inTenant, name: `parsed-${String(turn)}`, annotations: { 'reroll.dev/compare': 'parsed' } },
        data: {
          'a.yaml': `${'? - '.repeat(60)}${'[{a: '.repeat(60)}`,
          'b.yaml': `a: ${'&a *a, '.repeat(4_000)}${String(turn)}`,
        },
      }),
      deployment({
        ...{ ...inTenant, name: `parsed-${String(turn)}`, annotations: auto },
        envFrom: [fromConfigMap(`parsed-${String(turn)}`)],
      }),
    ],
  },
  {
    what: 'one large pattern',
    objects: (turn) => [
      deployment({
        ...{ ...inTenant, name: `large-${String(turn)}` },
        annotations: { [list]: `${'(([a-z]*)*)*'.repeat(400)}${String(turn)}` },
      }),
    ],
  },
  {
    what: 'a template of 20,000 volumes',
    objects: (turn) => [
      deployment({ ...inTenant, name: `vol-${String(turn)}`, annotations: auto, ...volumesOf(20_000, turn) }),
    ],
  },
  {
    what: 'a volume of 5,000 sources that is mounted 10,000 times',
    objects: (turn) => [
      deployment({
        ...{ ...inTenant, name: `mount-${String(turn)}`, annotations: auto },
        volumes: [
          {
            name: 'v',
            projected: { sources: [...times(5_000, (index) => ({ configMap: { name: code(index, turn) } }))] },
          },
        ],
        volumeMounts: [
          ...times(10_000, (index) => ({ name: 'v', mountPath: `/${String(index)}`, subPath: code(index, turn) })),
        ],
      }),
    ],
  },
  {
    what: 'a template of 9,000 volumes, as many as are read',
    objects: (turn) => [
      deployment({ ...inTenant, name: `full-${String(turn)}`, annotations: auto, ...volumesOf(9_000, turn) }),
    ],
  },
  {
    what: '8,000 environment variables, as many as are read',
    objects: (turn) => [
      deployment({ ...inTenant, name: `vars-${String(turn)}`, annotations: auto, env: variablesOf(8_000, turn) }),
    ],
  },
  {
    what: 'a path of 400,000 parts',
    objects: (turn) => [
      deployment({
        ...{ ...inTenant, name: `path-${String(turn)}`, annotations: auto },
        volumes: [{ name: 'v', configMap: { name: 'x', items: [{ key: 'k', path: `${'a/'.repeat(400_000)}b` }] } }],
        volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'c' }],
      }),
    ],
  },
  {
    what: '100,000 environment variables',
    objects: (turn) => [
      deployment({ ...inTenant, name: `env-${String(turn)}`, annotations: auto, env: variablesOf(100_000, turn) }),
    ],
  },
  {
    what: 'a baseline of 256 KB',
    objects: (turn) => [
      deployment({
        ...{ ...inTenant, name: `base-${String(turn)}`, envFrom: [fromConfigMap('app')] },
        annotations: { ...auto, 'reroll.dev/baseline': baselineOf(256_000, turn) },
      }),
    ],
  },
  {
    what: '8,000 annotations that look like ours',
    objects: (turn) => [
      deployment({
        ...{ ...inTenant, name: `anno-${String(turn)}` },
        annotations: Object.fromEntries(times(8_000, (index) => [`reloader.stakater.com/${code(index, turn)}`, ''])),
      }),
    ],
  },
  {
    what: 'a ConfigMap with 100,000 keys, in use',
    objects: (turn) => [
      ...(turn === 0
        ? [deployment({ ...inTenant, name: 'keys', annotations: auto, envFrom: [fromConfigMap('keys')] })]
        : []),
      configMap({ ...inTenant, name: 'keys', data: keysOf(100_000, turn) }),
    ],
  },
  {
    what: 'a ConfigMap with 7,500 keys of 120 characters, in use',
    objects: (turn) => [
      ...(turn === 0
        ? [deployment({ ...inTenant, name: 'long', annotations: auto, envFrom: [fromConfigMap('long')] })]
        : []),
      configMap({ ...inTenant, name: 'long', data: keysOf(7_500, turn, 120) }),
    ],
  },
  {
    what: 'a Secret with 4,096 keys, in use by key',
    objects: (turn) => [
      ...(turn === 0
        ? [
            deployment({
              ...{ ...inTenant, name: 'bykey', annotations: auto },
              env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'bykey', key: code(0, 0) } } }],
            }),
          ]
        : []),
      secret({ ...inTenant, name: 'bykey', data: keysOf(4_096, turn) }),
    ],
  },
  {
    what: 'a variable of 1.4 MB, of which each byte takes six in JSON',
    objects: (turn) => [
      deployment({
        ...{ ...inTenant, name: `escaped-${String(turn)}`, annotations: auto },
        env: [{ name: 'A', value: `${String(turn)}${'\u0001'.repeat(1_400_000)}` }],
      }),
    ],
  },
  {
    what: 'JSON of 500 levels',
    objects: (turn) => [
      deployment({ ...inTenant, name: `deep-${String(turn)}`, annotations: auto, spec: { strange: deep(500) } }),
    ],
  },
  {
    what: '20,000 managedFields',
    objects: (turn) => {
      const object = deployment({ ...inTenant, name: `managed-${String(turn)}`, annotations: auto });
      return [{ ...object, metadata: { ...object.metadata, managedFields: managedFieldsOf(20_000) } }];
    },
  },
];
