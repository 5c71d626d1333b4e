import { expect } from '@jest/globals';
import { envFromKey, fromConfigMap, fromSecret, volumeOf } from '../apiserver/cluster';
import type { Place } from './place';
import type { Group, Spec } from './spec';
import { auto, credentials, idle, idleKinds, settings, type IdleKind } from './workloads';

const web = (kind: IdleKind) =>
  idle[kind]({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app'), fromSecret('db')] });

type Act = (place: Place) => Promise<void>;

/** §4: which writes change the content, by kind of source. */
const writes: readonly (readonly [what: string, act: Act, restarts: number])[] = [
  ['another value', async (place) => await place.edit('ConfigMap', 'app'), 1],
  ['another key', async (place) => await place.patch('ConfigMap', 'app', { data: { more: 'x' } }), 1],
  ['a key less', async (place) => await place.patch('ConfigMap', 'app', { data: { key: null } }), 1],
  ['binaryData', async (place) => await place.patch('ConfigMap', 'app', { binaryData: { bin: 'AAEC' } }), 1],
  ['another value of a Secret', async (place) => await place.edit('Secret', 'db'), 1],
  [
    'bytes of a Secret that are no text',
    async (place) => await place.patch('Secret', 'db', { data: { key: '//79' } }),
    1,
  ],
  ['a key more in a Secret', async (place) => await place.patch('Secret', 'db', { stringData: { more: 'x' } }), 1],
  ['a label', async (place) => await place.patch('ConfigMap', 'app', { metadata: { labels: { a: 'b' } } }), 0],
  [
    'an annotation',
    async (place) => await place.patch('ConfigMap', 'app', { metadata: { annotations: { a: 'b' } } }),
    0,
  ],
  ['a label of a Secret', async (place) => await place.patch('Secret', 'db', { metadata: { labels: { a: 'b' } } }), 0],
  [
    'an annotation of a Secret',
    async (place) => await place.patch('Secret', 'db', { metadata: { annotations: { a: 'b' } } }),
    0,
  ],
  ['immutable', async (place) => await place.patch('ConfigMap', 'app', { immutable: true }), 0],
  ['the same content again', async (place) => await place.edit('ConfigMap', 'app', 'first'), 0],
  ['the same content of a Secret again', async (place) => await place.edit('Secret', 'db', 'first'), 0],
];

const ofWrites: readonly Spec[] = writes.map(([what, act, times]) => ({
  title: `§4 ${what} is ${times === 0 ? 'no change' : 'a change'}`,
  objects: [settings(), credentials('db'), web('Deployment')],
  act,
  restarts: { 'Deployment/web': times },
}));

/** Several writes at once lead to one restart, a later change to a second one. */
const ofMany: readonly Spec[] = idleKinds.flatMap((kind) => [
  {
    title: `§4 ${kind}: ten edits of one moment are one restart`,
    objects: [settings(), credentials('db'), web(kind)],
    act: async (place) => {
      for (let n = 0; n < 10; n += 1) await place.edit('ConfigMap', 'app', String(n));
    },
    restarts: { [`${kind}/web`]: 1 },
  },
  {
    title: `§4 ${kind}: two sources of one moment are one restart, where Reloader makes two`,
    objects: [settings(), credentials('db'), web(kind)],
    act: async (place) => {
      await Promise.all([place.edit('ConfigMap', 'app'), place.edit('Secret', 'db')]);
    },
    restarts: { [`${kind}/web`]: 1 },
  },
  {
    title: `§4 ${kind}: the next change is the next restart, also back to what was`,
    objects: [settings(), credentials('db'), web(kind)],
    act: async (place) => {
      await place.edit('ConfigMap', 'app', 'second');
      await place.restarted(`${kind}/web`, 1);
      await place.edit('ConfigMap', 'app', 'first');
    },
    restarts: { [`${kind}/web`]: 2 },
  },
]);

const ofKeys: readonly Spec[] = [
  {
    title: '§4 a key that the workload does not use is no change for it, where Reloader restarts',
    objects: [
      settings('app', { data: { key: 'first', other: 'first' } }),
      idle.Deployment({ name: 'web', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'key')] }),
    ],
    act: async (place) => await place.patch('ConfigMap', 'app', { data: { other: 'second' } }),
    restarts: { 'Deployment/web': 0 },
  },
  {
    title: '§4 Secret: of a volume with items these keys count',
    objects: [
      credentials('db', { data: { key: 'first', other: 'first' } }),
      idle.StatefulSet({
        ...{ name: 'uses', annotations: auto, volumes: [volumeOf('Secret', 'db', ['key'])] },
        volumeMounts: [{ name: 'secret-db', mountPath: '/db' }],
      }),
      idle.StatefulSet({
        ...{ name: 'other', annotations: auto, volumes: [volumeOf('Secret', 'db', ['other'])] },
        volumeMounts: [{ name: 'secret-db', mountPath: '/db' }],
      }),
    ],
    act: async (place) => await place.edit('Secret', 'db'),
    restarts: { 'StatefulSet/uses': 1, 'StatefulSet/other': 0 },
  },
];

const ofUsers: readonly Spec[] = [
  {
    title: '§2.3 all workloads of all kinds that use a source are restarted, each once',
    objects: [settings(), credentials('db'), ...idleKinds.map(web)],
    act: async (place) => await place.edit('ConfigMap', 'app'),
    restarts: Object.fromEntries(idleKinds.map((kind) => [`${kind}/web`, 1])),
  },
  {
    title: '§2.3 a workload that cannot be restarted does not stop the others',
    objects: [
      settings(),
      // Two containers cannot share a name, but a variable with the marker's name can take its value from elsewhere.
      idle.Deployment({
        ...{ name: 'odd', annotations: auto, envFrom: [fromConfigMap('app')] },
        env: [envFromKey('ConfigMap', 'app', 'key', 'STAKATER_APP_CONFIGMAP')],
      }),
      idle.Deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }),
    ],
    act: async (place) => await place.edit('ConfigMap', 'app'),
    restarts: { 'Deployment/odd': 1, 'Deployment/web': 1 },
    judge: (place) => expect(place.log('error')).toEqual([]),
  },
];

/** §4: when a change counts. */
export const changes: readonly Group[] = [
  { name: 'changes', flags: [], specs: [...ofWrites, ...ofMany, ...ofKeys, ...ofUsers] },
];
