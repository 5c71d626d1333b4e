import { expect } from '@jest/globals';
import { csiVolume, secretProviderClass, secretProviderClassPodStatus } from '../apiserver/add-ons';
import { envFromKey, fromConfigMap, fromSecret, volumeOf, type PodOptions } from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import type { Group, Spec } from './spec';
import { auto, credentials, idle, idleKinds, markedBy, settings, type IdleKind } from './workloads';

type SourceKind = 'ConfigMap' | 'Secret';

/** How a pod template may use a source named `app`. */
interface Situation {
  readonly what: string;
  readonly pod: (kind: SourceKind) => PodOptions;
  /** The container that gets the variable; undefined means no restart. */
  readonly auto: string | undefined;
  readonly named: string | undefined;
}

const from = (kind: SourceKind): JsonObject => (kind === 'Secret' ? fromSecret('app') : fromConfigMap('app'));
const volume = (kind: SourceKind, name = 'v'): JsonObject => ({ ...volumeOf(kind, 'app'), name });
const mount = (extra: JsonObject = {}, name = 'v'): JsonObject => ({ name, mountPath: `/etc/${name}`, ...extra });
const container = (name: string, rest: JsonObject = {}): JsonObject => ({
  name,
  image: 'registry.example/app:1',
  ...rest,
});
const mounts = { volumeMounts: [mount()] };
const projected = (kind: SourceKind): JsonObject => {
  const { configMap, secret } = volumeOf(kind, 'app') as Record<string, JsonObject | undefined>;
  const source = configMap ? { configMap } : { secret: { name: secret?.['secretName'] ?? '' } };
  return { name: 'v', projected: { sources: [{ downwardAPI: { items: [] } }, source] } };
};

/** §3.1: each way to use a source, in the second of two containers. */
const shapes: readonly Situation[] = bySecond([
  ['env', (kind) => ({ containers: [container('one'), container('two', { env: [envFromKey(kind, 'app', 'key')] })] })],
  ['envFrom', (kind) => ({ containers: [container('one'), container('two', { envFrom: [from(kind)] })] })],
  ['a volume', (kind) => ({ volumes: [volume(kind)], containers: [container('one'), container('two', mounts)] })],
  [
    'a volume by subPath',
    (kind) => ({
      volumes: [volume(kind)],
      containers: [container('one'), container('two', { volumeMounts: [mount({ subPath: 'key' })] })],
    }),
  ],
  [
    'a volume with items',
    (kind) => ({
      volumes: [{ ...volumeOf(kind, 'app', ['key']), name: 'v' }],
      containers: [container('one'), container('two', mounts)],
    }),
  ],
  [
    'a projected volume',
    (kind) => ({ volumes: [projected(kind)], containers: [container('one'), container('two', mounts)] }),
  ],
]);

function bySecond(uses: readonly (readonly [what: string, pod: Situation['pod']])[]): readonly Situation[] {
  return uses.map(([what, pod]) => ({ what, pod, auto: 'two', named: 'two' }));
}

/** §3.2: which container is the target. */
const targets: readonly Situation[] = [
  {
    what: 'the first has envFrom, the second mounts it: the mount wins',
    pod: (kind) => ({
      volumes: [volume(kind)],
      containers: [container('one', { envFrom: [from(kind)] }), container('two', mounts)],
    }),
    ...{ auto: 'two', named: 'two' },
  },
  {
    what: 'the first and the third mount it: only the first',
    pod: (kind) => ({
      volumes: [volume(kind)],
      containers: [container('one', mounts), container('two'), container('three', mounts)],
    }),
    ...{ auto: 'one', named: 'one' },
  },
  {
    what: 'only an init container mounts it',
    pod: (kind) => ({
      volumes: [volume(kind)],
      initContainers: [container('init', mounts)],
      containers: [container('one'), container('two')],
    }),
    ...{ auto: 'one', named: 'one' },
  },
  {
    what: 'only an init container has it in its environment',
    pod: (kind) => ({
      initContainers: [container('init', { envFrom: [from(kind)] })],
      containers: [container('one'), container('two')],
    }),
    ...{ auto: 'one', named: 'one' },
  },
  {
    what: 'only a sidecar uses it',
    pod: (kind) => ({
      initContainers: [container('side', { restartPolicy: 'Always', env: [envFromKey(kind, 'app', 'key')] })],
      containers: [container('one')],
    }),
    ...{ auto: 'one', named: 'one' },
  },
  {
    what: 'an init container mounts it, the second has envFrom: the first container',
    pod: (kind) => ({
      volumes: [volume(kind)],
      initContainers: [container('init', mounts)],
      containers: [container('one'), container('two', { envFrom: [from(kind)] })],
    }),
    ...{ auto: 'one', named: 'one' },
  },
  {
    what: 'a volume that nobody mounts',
    pod: (kind) => ({ volumes: [volume(kind)], containers: [container('one')] }),
    ...{ auto: undefined, named: 'one' },
  },
  {
    what: 'two volumes of it, and only the second is mounted, which Reloader does not find',
    pod: (kind) => ({
      volumes: [volume(kind), volume(kind, 'w')],
      containers: [container('one'), container('two', { volumeMounts: [mount({}, 'w')] })],
    }),
    ...{ auto: 'two', named: 'two' },
  },
  {
    what: 'no use at all',
    pod: () => ({ containers: [container('one'), container('two')] }),
    ...{ auto: undefined, named: 'one' },
  },
];

const named = (kind: SourceKind): Record<string, string> => ({
  [`${kind.toLowerCase()}.reloader.stakater.com/reload`]: 'app',
});

function specOf(
  section: string,
  situation: Situation,
  source: SourceKind,
  kind: IdleKind,
  mode: 'auto' | 'named',
): Spec {
  const workload = `${kind}/web`;
  const target = situation[mode];
  const annotations = mode === 'auto' ? auto : named(source);
  // One source of each kind with the same name: confusing them would cause too many restarts.
  const objects = [settings(), credentials(), idle[kind]({ name: 'web', annotations, ...situation.pod(source) })];
  return {
    title: `§${section} ${kind}, ${source}, ${mode}: ${situation.what}`,
    objects,
    act: async (place) => await place.edit(source, 'app'),
    restarts: { [workload]: target === undefined ? 0 : 1 },
    judge: (place) => {
      const expected = target === undefined ? [] : [`${target} STAKATER_APP_${source.toUpperCase()}`];
      expect(markedBy(place, workload)).toEqual(expected);
    },
  };
}

/** The source that changes has the same name but another kind than the one in use: nothing restarts. */
function sameName(source: SourceKind, other: SourceKind, kind: IdleKind): Spec {
  return {
    title: `§3.1 ${kind}: a ${other} of the same name is not the ${source} that it uses`,
    objects: [settings(), credentials(), idle[kind]({ name: 'web', annotations: auto, envFrom: [from(source)] })],
    act: async (place) => await place.edit(other, 'app'),
    restarts: { [`${kind}/web`]: 0 },
  };
}

/** §3.1: references that do not count as a use. */
const unseen: readonly Spec[] = [
  notUsed('imagePullSecrets are', { imagePullSecrets: [{ name: 'app' }] }),
  notUsed('the nodePublishSecretRef of a CSI volume is', {
    volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 'app' } } }],
  }),
  notUsed('the Secret of another kind of volume is', {
    volumes: [{ name: 'v', rbd: { monitors: ['m'], image: 'i', secretRef: { name: 'app' } } }],
  }),
];

function notUsed(what: string, pod: JsonObject): Spec {
  const mounted = 'volumes' in pod ? mounts : {};
  const { spec, ...rest } = idle.Deployment({
    name: 'web',
    annotations: auto,
    containers: [container('one', mounted)],
  });
  const { template, ...fields } = spec as JsonObject & { readonly template: JsonObject };
  const merged = { ...template, spec: { ...(template['spec'] as JsonObject), ...pod } };
  return {
    title: `§3.1 ${what} no use of a Secret`,
    objects: [credentials(), { ...rest, spec: { ...fields, template: merged } }],
    act: async (place) => await place.edit('Secret', 'app'),
    restarts: { 'Deployment/web': 0 },
  };
}

const csi: readonly Spec[] = idleKinds.map((kind) => ({
  title: `§3.1 ${kind}: a CSI volume uses its SecretProviderClass`,
  objects: [
    secretProviderClass('app'),
    secretProviderClassPodStatus('a', 'app', { pw: '1' }),
    ...[settings(), idle[kind]({ name: 'web', annotations: auto, ...csiVolume('app') })],
  ],
  act: async (place) => await place.rotate('a', 'app'),
  restarts: { [`${kind}/web`]: 1 },
  judge: (place) => expect(markedBy(place, `${kind}/web`)).toEqual(['app STAKATER_APP_SECRETPROVIDERCLASS']),
}));

const sources = ['ConfigMap', 'Secret'] as const;

/** §3: what counts as a use, and which container is marked for it. */
export const references: readonly Group[] = [
  {
    name: 'references',
    flags: ['--enable-csi-integration'],
    specs: [
      ...idleKinds.flatMap((kind) =>
        sources.flatMap((source) => shapes.map((shape) => specOf('3.1', shape, source, kind, 'auto'))),
      ),
      ...sources.flatMap((source) =>
        targets.flatMap((target) =>
          (['auto', 'named'] as const).map((mode) => specOf('3.2', target, source, 'Deployment', mode)),
        ),
      ),
      ...idleKinds.flatMap((kind) => [sameName('ConfigMap', 'Secret', kind), sameName('Secret', 'ConfigMap', kind)]),
      ...unseen,
      ...csi,
    ],
  },
];
