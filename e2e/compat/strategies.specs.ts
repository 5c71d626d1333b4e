import { expect } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { fromConfigMap, fromSecret } from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import type { Place } from './place';
import type { Group, Spec } from './spec';
import { auto, credentials, idle, idleKinds, jobsOf, markedBy, settings, type IdleKind } from './workloads';

const lastReloadedFrom = 'reloader.stakater.com/last-reloaded-from';

/** §5.1: the names of variables. */
const variables: readonly Spec[] = [
  ['my-config', 'STAKATER_MY_CONFIG_CONFIGMAP'],
  ['my.config', 'STAKATER_MY_CONFIG_CONFIGMAP'],
  ['my--config', 'STAKATER_MY_CONFIG_CONFIGMAP'],
  ['app-v1.2.3', 'STAKATER_APP_V1_2_3_CONFIGMAP'],
  ['1abc', 'STAKATER_1ABC_CONFIGMAP'],
].map(([name = '', variable = '']) => ({
  title: `§5.1 ConfigMap ${name} is ${variable}`,
  objects: [settings(name), idle.Deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap(name)] })],
  act: async (place) => await place.edit('ConfigMap', name),
  restarts: { 'Deployment/web': 1 },
  judge: (place) => expect(markedBy(place, 'Deployment/web')).toEqual([`app ${variable}`]),
}));

function valueOf(place: Place): string {
  const containers = fieldAt(place.last('Deployment/web'), ['spec', 'template', 'spec', 'containers']);
  return JSON.stringify(containers);
}

const ofEnvironment: readonly Spec[] = [
  ...variables,
  {
    title: '§5.1 Secret db.creds is STAKATER_DB_CREDS_SECRET',
    objects: [
      credentials('db.creds'),
      idle.Deployment({ name: 'web', annotations: auto, envFrom: [fromSecret('db.creds')] }),
    ],
    act: async (place) => await place.edit('Secret', 'db.creds'),
    restarts: { 'Deployment/web': 1 },
    judge: (place) => expect(markedBy(place, 'Deployment/web')).toEqual(['app STAKATER_DB_CREDS_SECRET']),
  },
  {
    title: '§5.2 a variable that Reloader has left is given another value, and not a second one',
    objects: [
      settings(),
      idle.Deployment({
        ...{ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] },
        env: [
          { name: 'STAKATER_APP_CONFIGMAP', value: 'b3cefbcce711f8574b0e66c41fc1dcf06eb5b6db' },
          { name: 'MINE', value: '1' },
        ],
      }),
    ],
    act: async (place) => await place.edit('ConfigMap', 'app'),
    restarts: { 'Deployment/web': 1 },
    judge: (place) => {
      expect(markedBy(place, 'Deployment/web')).toEqual(['app STAKATER_APP_CONFIGMAP']);
      expect(valueOf(place)).not.toContain('b3cefbcce711f8574b0e66c41fc1dcf06eb5b6db');
      expect(valueOf(place)).toContain('"MINE"');
    },
  },
  {
    title: '§4 the value is no hash that anybody can compute from the content',
    objects: [
      credentials('app', { data: { test: 'x' } }),
      idle.Deployment({ name: 'web', annotations: auto, envFrom: [fromSecret('app')] }),
    ],
    // Reloader would write the SHA-1 of `test=test`.
    act: async (place) => await place.patch('Secret', 'app', { stringData: { test: 'test' } }),
    restarts: { 'Deployment/web': 1 },
    judge: (place) => {
      expect(markedBy(place, 'Deployment/web')).toEqual(['app STAKATER_APP_SECRET']);
      expect(valueOf(place)).not.toContain('b3cefbcce711f8574b0e66c41fc1dcf06eb5b6db');
    },
  },
  {
    title: '§5.2 what was marked for one source stays when another changes',
    objects: [
      settings(),
      credentials('db'),
      idle.Deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app'), fromSecret('db')] }),
    ],
    act: async (place) => {
      await place.edit('ConfigMap', 'app');
      await place.restarted('Deployment/web', 1);
      await place.edit('Secret', 'db');
    },
    restarts: { 'Deployment/web': 2 },
    judge: (place) =>
      expect(markedBy(place, 'Deployment/web').toSorted()).toEqual([
        'app STAKATER_APP_CONFIGMAP',
        'app STAKATER_DB_SECRET',
      ]),
  },
];

/** The pod template with the marker: that of the workload, or of the Job that a CronJob was run as. */
function templateOf(place: Place, kind: IdleKind): JsonObject {
  const carrier = kind === 'CronJob' ? jobsOf(place, 'web')[0] : place.last(`${kind}/web`);
  return (fieldAt(carrier, ['spec', 'template']) ?? {}) as JsonObject;
}

const ofAnnotations: readonly Spec[] = idleKinds.flatMap((kind) =>
  (['ConfigMap', 'Secret'] as const).map((source) => ({
    title: `§5.5 ${kind}: annotations says of a ${source} what Reloader says, and adds no variable`,
    objects: [
      settings(),
      credentials(),
      idle[kind]({
        ...{ name: 'web', annotations: auto, podAnnotations: { mine: 'kept' } },
        envFrom: [source === 'Secret' ? fromSecret('app') : fromConfigMap('app')],
      }),
    ],
    act: async (place) => await place.edit(source, 'app'),
    restarts: { [`${kind}/web`]: 1 },
    judge: (place) => {
      const annotations = fieldAt(templateOf(place, kind), ['metadata', 'annotations']);
      const told = JSON.parse(String(fieldAt(annotations, [lastReloadedFrom]))) as JsonObject;
      expect(told).toMatchObject({
        ...{ type: source.toUpperCase(), name: 'app', namespace: place.namespace, containerRefs: ['app'] },
        ...{ hash: expect.any(String), observedAt: expect.any(Number) },
      });
      const order = ['type', 'name', 'namespace', 'hash', 'containerRefs', 'observedAt'];
      expect(Object.keys(told).slice(0, order.length)).toEqual(order);
      expect(fieldAt(annotations, ['mine'])).toBe('kept');
      expect(markedBy(place, `${kind}/web`)).toEqual([]);
    },
  })),
);

const byAnnotationStrategy: readonly Spec[] = [
  ...ofAnnotations,
  {
    title: '§5.5 annotations: a write of the same content restarts nothing, where Reloader rolls again (Q18)',
    objects: [settings(), idle.Deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] })],
    act: async (place) => {
      await place.edit('ConfigMap', 'app');
      await place.restarted('Deployment/web', 1);
      await place.edit('ConfigMap', 'app');
      await place.patch('ConfigMap', 'app', { metadata: { labels: { a: 'b' } } });
    },
    restarts: { 'Deployment/web': 1 },
  },
];

/** §5: what a restart writes into the pod template. */
export const strategies: readonly Group[] = [
  { name: 'env-vars', flags: ['--reload-strategy=env-vars'], specs: ofEnvironment },
  { name: 'annotations', flags: ['--reload-strategy=annotations'], specs: byAnnotationStrategy },
];
