import { expect } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { fromConfigMap, fromSecret } from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import { ownNamespace } from './compat-cluster';
import type { Place } from './place';
import type { Group, Spec } from './spec';
import { auto, credentials, idle, idleKinds, settings } from './workloads';

function eventsOf(place: Place, reason: string): readonly JsonObject[] {
  return place.all('Event').filter((event) => event['reason'] === reason);
}

/** §15: an Event on each workload that was restarted. */
const events: readonly Spec[] = idleKinds.flatMap((kind) => [
  {
    title: `§15 ${kind}: one Event, Normal and Reloaded, on the workload, with source and key and no content`,
    objects: [
      credentials('app', { data: { key: 'first-content' } }),
      idle[kind]({ name: 'web', annotations: auto, envFrom: [fromSecret('app')] }),
    ],
    act: async (place) => {
      await place.edit('Secret', 'app', 'second-content');
      await place.until('an Event', () => eventsOf(place, 'Reloaded').length > 0);
    },
    restarts: { [`${kind}/web`]: 1 },
    judge: (place) => {
      const uid = fieldAt(place.last(`${kind}/web`), ['metadata', 'uid']);
      expect(eventsOf(place, 'Reloaded')).toMatchObject([
        {
          type: 'Normal',
          involvedObject: { kind, namespace: place.namespace, name: 'web', uid },
          message: expect.stringContaining('Secret app: content changed (keys: key)'),
        },
      ]);
      expect(JSON.stringify(place.all('Event'))).not.toMatch(/(first|second)-content|c2Vjb25k/);
    },
  },
  {
    title: `§15 ${kind}: none where nothing was restarted`,
    objects: [settings(), idle[kind]({ name: 'web', annotations: auto })],
    act: async (place) => await place.edit('ConfigMap', 'app'),
    restarts: { [`${kind}/web`]: 0 },
    judge: (place) => expect([...eventsOf(place, 'Reloaded'), ...eventsOf(place, 'ReloadFail')]).toEqual([]),
  },
]);

/** Rejects every change of a Deployment's pod template in namespaces with the label. */
const refusal: readonly JsonObject[] = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'compat-refusal' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments'] },
        ],
      },
      validations: [{ expression: 'object.spec.template == oldObject.spec.template', message: 'not today' }],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'compat-refusal' },
    spec: {
      policyName: 'compat-refusal',
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { refuses: 'true' } } },
    },
  },
];

/** §15, and a bug of Reloader (Q28): a workload that cannot be restarted is reported, and the others are restarted. */
const refused: Spec = {
  title: '§15 a restart that is refused is a ReloadFail, Warning, and stops no other workload (Q28)',
  labels: { refuses: 'true' },
  objects: [
    settings(),
    ...idleKinds.map((kind) => idle[kind]({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] })),
  ],
  act: async (place) => {
    await place.edit('ConfigMap', 'app');
    await place.until('an Event', () => eventsOf(place, 'ReloadFail').length > 0);
  },
  restarts: Object.fromEntries(idleKinds.map((kind) => [`${kind}/web`, kind === 'Deployment' ? 0 : 1])),
  judge: (place) => {
    expect(eventsOf(place, 'ReloadFail')).toMatchObject([
      {
        type: 'Warning',
        involvedObject: { kind: 'Deployment', name: 'web' },
        message: expect.stringContaining('not today'),
      },
    ]);
  },
};

const metaInfo = `/api/v1/namespaces/${ownNamespace}/configmaps/reloader-meta-info`;

async function published(place: Place): Promise<Readonly<Record<string, JsonObject>>> {
  const { data } = (await place.read(metaInfo)) as { readonly data: Readonly<Record<string, string>> };
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, JSON.parse(text) as JsonObject]));
}

function tells(title: string, judge: (place: Place) => Promise<void>): Spec {
  const nothing = async (): Promise<void> => await Promise.resolve();
  return { title, objects: [settings()], act: nothing, restarts: {}, judge };
}

/** §16: the ConfigMap that describes the install. */
const meta: readonly Spec[] = [
  tells('§16 reloader-meta-info has its label and its three keys', async (place) => {
    const { metadata, data } = await place.read(metaInfo);
    expect(fieldAt(metadata, ['labels'])).toEqual({ 'reloader.stakater.com/meta-info': 'reloader' });
    expect(Object.keys(data as JsonObject)).toEqual(['buildInfo', 'deploymentInfo', 'reloaderOptions']);
  }),
  tells('§16 it names namespace and Deployment of the install', async (place) => {
    expect((await published(place))['deploymentInfo']).toMatchObject({ name: 'reloader', namespace: ownNamespace });
  }),
  tells('§16 it tells of the flags', async (place) => {
    expect((await published(place))['reloaderOptions']).toMatchObject({
      reloadStrategy: 'annotations',
      reloadOnCreate: true,
    });
  }),
];

/** The annotation keys that the flags rename. */
const keys = {
  'auto-annotation': 'my/auto',
  'configmap-auto-annotation': 'my/cm-auto',
  'secret-auto-annotation': 'my/secret-auto',
  'configmap-annotation': 'my/cm',
  'secret-annotation': 'my/secret',
  'auto-search-annotation': 'my/search',
  'search-match-annotation': 'my/match',
  'ignore-annotation': 'my/ignore',
} as const;

interface Named {
  readonly what: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly onSource?: Readonly<Record<string, string>>;
  readonly configMap: 0 | 1;
  readonly secret: 0 | 1;
}

const named: readonly Named[] = [
  { what: '--auto-annotation', annotations: { 'my/auto': 'true' }, configMap: 1, secret: 1 },
  { what: '--configmap-auto-annotation', annotations: { 'my/cm-auto': 'true' }, configMap: 1, secret: 0 },
  { what: '--secret-auto-annotation', annotations: { 'my/secret-auto': 'true' }, configMap: 0, secret: 1 },
  { what: '--configmap-annotation', annotations: { 'my/cm': 'app' }, configMap: 1, secret: 0 },
  { what: '--secret-annotation', annotations: { 'my/secret': 'a.*' }, configMap: 0, secret: 1 },
  {
    what: '--auto-search-annotation and --search-match-annotation',
    annotations: { 'my/search': 'true' },
    onSource: { 'my/match': 'true' },
    ...{ configMap: 1, secret: 1 },
  },
  {
    what: '--ignore-annotation',
    annotations: { 'my/auto': 'true' },
    onSource: { 'my/ignore': 'true' },
    ...{ configMap: 0, secret: 0 },
  },
  { what: 'the usual names mean nothing then', annotations: auto, configMap: 0, secret: 0 },
  {
    what: 'nor does the usual ignore',
    annotations: { 'my/auto': 'true' },
    onSource: { 'reloader.stakater.com/ignore': 'true' },
    ...{ configMap: 1, secret: 1 },
  },
];

const ofKeys: readonly Spec[] = named.map(({ what, annotations, onSource = {}, ...times }) => ({
  title: `§2.1 ${what}`,
  objects: [
    settings('app', { annotations: onSource }),
    credentials('app', { annotations: onSource }),
    idle.Deployment({ name: 'config-map', annotations, envFrom: [fromConfigMap('app')] }),
    idle.Deployment({ name: 'secret', annotations, envFrom: [fromSecret('app')] }),
  ],
  // Both sources change: a named source also restarts a workload that does not use it.
  act: async (place) => {
    await place.edit('ConfigMap', 'app');
    await place.edit('Secret', 'app');
  },
  restarts: {
    'Deployment/config-map': Math.max(times.configMap, isNamed(annotations) ? times.secret : 0),
    'Deployment/secret': Math.max(times.secret, isNamed(annotations) ? times.configMap : 0),
  },
}));

function isNamed(annotations: Readonly<Record<string, string>>): boolean {
  return 'my/cm' in annotations || 'my/secret' in annotations;
}

/** §2.1, §15, §16: names of annotations, Events, and the published data of the install. */
export const telling: readonly Group[] = [
  { name: 'events', flags: [], setUp: refusal, specs: [...events, refused] },
  {
    name: 'meta-info',
    flags: ['--reload-strategy=annotations', '--reload-on-create=true'],
    specs: meta,
  },
  {
    name: 'own-keys',
    flags: Object.entries(keys).map(([flag, key]) => `--${flag}=${key}`),
    sentinel: { 'my/auto': 'true' },
    specs: ofKeys,
  },
];
