import { unlimited } from '../../shared/domain/gate-settings/pace-settings';
import { parseRestartWindows } from '../../shared/domain/gate-settings/restart-windows';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import { FakePostTransport } from '../../shared/outbound/post.fixture';
import {
  csiVolume,
  secretProviderClass,
  secretProviderClassKind,
  secretProviderClassPodStatus,
  secretProviderClassPodStatusKind,
} from '../apiserver/add-ons';
import {
  configMap,
  cronJob,
  deployment,
  envFromKey,
  fromConfigMap,
  fromSecret,
  namespace,
  secret,
  statefulSet,
} from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { ownNamespace } from '../engine-settings';
import type { ObjectInput } from '../apiserver/objects';
import { engineUser, type Harness } from './harness';
import { rule } from './rights.fixture';
import { annotated, app, auto, changeColor, readAll, settled, uses, web, type Situation } from './situations.fixture';

/** Situations besides those of the inspection interface: where a person needs more than the state of the workload. */

const hold = 'reroll.dev/hold';
const exclude = 'configmaps.exclude.reloader.stakater.com/reload';
const answer = {};
const twoSources = deployment({
  ...{ name: 'web', envFrom: [fromConfigMap('app'), fromConfigMap('theme')] },
  annotations: { ...auto, [exclude]: 'theme' },
});

/** Writes as another program than the one that wrote before. */
async function editAs(harness: Harness, manager: string, path: string, patch: object): Promise<void> {
  await harness.admin.request({
    ...{ method: 'PATCH', path, query: { fieldManager: manager } },
    ...{ body: patch, contentType: 'application/merge-patch+json' },
  });
}

/** The same program as the one that wrote the pod template. */
async function annotateLater(harness: Harness): Promise<void> {
  await harness.patch('Deployment', 'web', { metadata: { annotations: { note: 'written by the same program' } } });
  await harness.clock.advance(settled);
}

async function replaceSource(harness: Harness, color: string): Promise<void> {
  await harness.delete('ConfigMap', 'app');
  await harness.clock.advance(100);
  harness.seed(configMap({ name: 'app', data: { color, size: 'small' } }));
  await harness.clock.advance(settled);
}

async function createSource(harness: Harness): Promise<void> {
  harness.seed(app);
  await harness.clock.advance(settled);
}

async function refusedChange(harness: Harness): Promise<void> {
  const match = ({ method }: { readonly method: string }) => method === 'PATCH';
  harness.faults.add({ match, fault: { kind: 'status', code: 422 } });
  await changeColor(harness);
}

const usesColor = { name: 'web', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] };

const classed: Pick<Situation, 'objects' | 'settings' | 'customKinds'> = {
  objects: [
    secretProviderClass('vault'),
    secretProviderClassPodStatus('a', 'vault', { password: '1' }),
    deployment({ name: 'web', annotations: auto, ...csiVolume('vault') }),
  ],
  settings: { csi: true },
  customKinds: [secretProviderClassKind, secretProviderClassPodStatusKind],
};

/** Of the Deployment. */
function pod(name: string): ObjectInput {
  const metadata = { name, namespace: 'default', labels: { app: 'web' } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
}

const configMapPath = '/api/v1/namespaces/default/configmaps/app';
const classPath = '/apis/secrets-store.csi.x-k8s.io/v1/namespaces/default/secretproviderclasses/vault';
const deploymentPath = '/apis/apps/v1/namespaces/default/deployments/web';

export const whySituations: Readonly<Record<string, Situation>> = {
  'another key was changed by another program': {
    objects: [app, deployment(usesColor)],
    then: async (harness) => {
      await editAs(harness, 'ci', configMapPath, { data: { size: 'large' } });
      await harness.clock.advance(settled);
    },
    answer,
  },
  'another key was changed, and an annotation of it was written after that': {
    objects: [app, pod('web-1'), deployment(usesColor)],
    then: async (harness) => {
      await editAs(harness, 'ci', configMapPath, { data: { size: 'large' } });
      await harness.clock.advance(settled);
      await annotateLater(harness);
    },
    answer,
  },
  'another key was changed, and somebody rolled it out after that': {
    objects: [app, deployment(usesColor)],
    then: async (harness) => {
      await editAs(harness, 'ci', configMapPath, { data: { size: 'large' } });
      await harness.clock.advance(settled);
      await annotateLater(harness);
      harness.seed(pod('web-2'));
    },
    answer,
  },
  'a change was taken back, and an annotation of it was written after that': {
    objects: [app, pod('web-1'), annotated({ 'reroll.dev/settle': '10s' })],
    then: async (harness) => {
      await changeColor(harness, 2_000);
      await harness.edit('ConfigMap', 'app', { color: 'red' });
      await harness.clock.advance(settled);
      await annotateLater(harness);
    },
    answer,
  },
  'its source was created a minute ago, and creations do not count': {
    objects: [web],
    then: createSource,
    answer,
  },
  'its source was created again with the same content': {
    objects: [app, web],
    then: async (harness) => await replaceSource(harness, 'red'),
    answer,
  },
  'its source was created again with the same content, and creations count': {
    objects: [app, web],
    settings: { reloadOnCreate: true },
    then: async (harness) => await replaceSource(harness, 'red'),
    answer,
  },
  'its source was created again with another content, and it is held': {
    objects: [app, annotated({ [hold]: 'true' })],
    then: async (harness) => await replaceSource(harness, 'blue'),
    answer,
  },
  'it was restarted because its source was created': {
    objects: [web],
    settings: { reloadOnCreate: true },
    then: createSource,
    answer,
  },
  'it was restarted because its source was deleted': {
    objects: [app, web],
    settings: { reloadOnDelete: true },
    then: async (harness) => {
      await harness.delete('ConfigMap', 'app');
      await harness.clock.advance(settled);
    },
    answer,
  },
  'it was restarted for one source, and is held for another': {
    objects: [
      app,
      secret({ name: 'db', data: { password: 'a' } }),
      deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app'), fromSecret('db')] }),
    ],
    then: async (harness) => {
      await changeColor(harness);
      await harness.patch('Deployment', 'web', { metadata: { annotations: { [hold]: 'true' } } });
      await harness.clock.advance(settled);
      await harness.edit('Secret', 'db', { password: 'b' });
      await harness.clock.advance(settled);
    },
    answer,
  },
  'its class was never rotated': { ...classed, answer },
  'its class was edited, which rotates nothing': {
    ...classed,
    then: async (harness) => {
      await harness.clock.advance(settled);
      await editAs(harness, 'kubectl', classPath, { spec: { parameters: { role: 'web' } } });
      await harness.clock.advance(10_000);
    },
    answer,
  },
  'there is no such class': { ...classed, objects: classed.objects.slice(2), answer },
  'alice caused the last restart': {
    objects: [app, web],
    then: async (harness) => {
      const at = new Date(harness.clock.nowMs()).toISOString();
      const note = JSON.stringify({ at, id: '3f9c2a71', sources: { 'cm/app': ['color'] }, by: ['alice'] });
      await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reroll.dev/last-restart': note } } });
      await harness.clock.advance(12 * settled);
    },
    answer,
  },
  'an excluded source was changed after a restart': {
    objects: [app, configMap({ name: 'theme', data: { font: 'serif' } }), twoSources],
    then: async (harness) => {
      await changeColor(harness);
      await harness.edit('ConfigMap', 'theme', { font: 'mono' });
      await harness.clock.advance(settled);
    },
    answer,
  },
  'its switch is misspelt': {
    objects: [app, deployment({ ...uses, name: 'web', annotations: { 'reloader.stakater.com/atuo': 'true' } })],
    answer,
  },
  'its switch is no boolean': {
    objects: [app, deployment({ ...uses, name: 'web', annotations: { 'reloader.stakater.com/auto': 'yes' } })],
    answer,
  },
  'it has switched restarts off, and its settle window is no time': {
    objects: [app, annotated({ 'reloader.stakater.com/auto': 'false', 'reroll.dev/settle': 'half' })],
    answer,
  },
  'it asks for nothing, and its windows are none': {
    objects: [app, deployment({ ...uses, name: 'web', annotations: { 'reroll.dev/windows': 'nonsense' } })],
    answer,
  },
  'it asks for nothing, and its settle window is misspelt': {
    objects: [app, deployment({ ...uses, name: 'web', annotations: { 'reroll.dev/setle': '5s' } })],
    answer,
  },
  'it asks for nothing, and has a settle window': {
    objects: [app, deployment({ ...uses, name: 'web', annotations: { 'reroll.dev/settle': '5s' } })],
    answer,
  },
  'it lists a source of another namespace': {
    objects: [
      app,
      deployment({ ...uses, name: 'web', annotations: { 'configmap.reloader.stakater.com/reload': 'shop/app' } }),
    ],
    answer,
  },
  'it is narrowed to Secrets': { objects: [app, annotated({ 'reloader.stakater.com/kind': 'secret' })], answer },
  'it has switched off all but a list': {
    objects: [
      app,
      secret({ name: 'db', data: { password: 'a' } }),
      deployment({
        ...{ name: 'web', envFrom: [fromConfigMap('app'), fromSecret('db')] },
        annotations: { 'reloader.stakater.com/auto': 'false', 'secret.reloader.stakater.com/reload': 'db' },
      }),
    ],
    then: changeColor,
    answer,
  },
  'it searches, and the source does not match': {
    objects: [app, deployment({ ...uses, name: 'web', annotations: { 'reloader.stakater.com/search': 'true' } })],
    then: changeColor,
    answer,
  },
  'it does not exist, and its namespace is not selected': {
    objects: [app],
    settings: { namespaceSelector: parseSelector('env=prod') },
    answer,
  },
  'it does not exist, and its namespace is not watched': {
    objects: [app],
    settings: { namespacesToIgnore: ['default'] },
    answer,
  },
  'ConfigMaps are not watched': { objects: [app, web], settings: { ignoredSourceKind: 'ConfigMap' }, answer },
  'the labels of its source are not selected': {
    objects: [app, web],
    settings: { sourceSelector: parseSelector('reload=yes') },
    then: changeColor,
    answer,
  },
  'it is paused by somebody else': {
    objects: [app, deployment({ ...uses, name: 'web', spec: { paused: true } })],
    then: changeColor,
    answer,
  },
  'its pods are replaced by hand': {
    objects: [app, statefulSet({ ...uses, name: 'web', spec: { updateStrategy: { type: 'OnDelete' } } })],
    then: changeColor,
    path: 'StatefulSet/default/web',
    answer,
  },
  'its change is left to the next run': {
    objects: [
      app,
      cronJob({ ...uses, name: 'web', annotations: { ...auto, 'reroll.dev/cronjob-policy': 'next-run' } }),
    ],
    then: changeColor,
    path: 'CronJob/default/web',
    answer,
  },
  "somebody else's rollout brought the change": {
    objects: [app, annotated({ 'reroll.dev/settle': '30s', 'reroll.dev/settle-max': '1m' })],
    first: (harness) => new Controllers(harness.server).start(),
    then: async (harness) => {
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.clock.advance(5_000);
      const containers = [{ name: 'app', image: 'app:2', envFrom: [fromConfigMap('app')] }];
      await editAs(harness, 'helm', deploymentPath, { spec: { template: { spec: { containers } } } });
      await harness.clock.advance(settled);
      harness.seed(pod('web-2'));
    },
    answer,
  },
  'an annotation of it was written after the change': {
    objects: [app, pod('web-1'), annotated({ 'reroll.dev/settle': '5m', 'reroll.dev/settle-max': '5m' })],
    then: async (harness) => {
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.clock.advance(5_000);
      await annotateLater(harness);
    },
    answer,
  },
  'the API server refuses the restart': { objects: [app, web], then: refusedChange, answer },
  'the API server refused an earlier restart, and now RBAC does': {
    objects: [app, web],
    then: async (harness) => {
      await refusedChange(harness);
      harness.faults.clear();
      await harness.edit('ConfigMap', 'app', { color: 'green' });
      await harness.clock.advance(settled);
      harness.server.rbac.restrict(engineUser, [readAll, rule('*', 'leases secrets', '*', [ownNamespace])]);
      await harness.edit('ConfigMap', 'app', { color: 'pink' });
      await harness.clock.advance(settled);
    },
    answer,
  },
  'it is being deleted': {
    objects: [app, { ...web, metadata: { ...web.metadata, finalizers: ['example.com/wait'] } }],
    then: async (harness) => {
      await harness.delete('Deployment', 'web');
      await changeColor(harness);
    },
    answer,
  },
  'only its labels were changed': {
    objects: [app, web],
    then: async (harness) => {
      await harness.label('ConfigMap', 'app', { team: 'a' });
      await harness.clock.advance(settled);
    },
    answer,
  },
  'everything is held': {
    objects: [app, web],
    then: async (harness) => {
      const annotations = { [hold]: 'because=incident 42' };
      harness.seed(configMap({ name: 'reroll-hold', namespace: ownNamespace, annotations }));
      await harness.clock.advance(settled);
      await changeColor(harness);
    },
    answer,
  },
  'its namespace is held until a time': {
    objects: [
      namespace('default', { annotations: { [hold]: 'until=2026-01-03T00:00:00Z, because=release freeze' } }),
      app,
      web,
    ],
    then: changeColor,
    answer,
  },
  'it is held itself': { objects: [app, annotated({ [hold]: 'true' })], then: changeColor, answer },
  'its source is held': {
    objects: [configMap({ name: 'app', data: { color: 'red' }, annotations: { [hold]: 'true' } }), web],
    then: changeColor,
    answer,
  },
  'its windows are closed': {
    objects: [app, web],
    settings: { gates: { windows: parseRestartWindows('Sat,Sun') } },
    then: changeColor,
    answer,
  },
  'its minimum interval is not over': {
    objects: [app, annotated({ 'reroll.dev/min-interval': '1h' })],
    then: async (harness) => {
      await changeColor(harness);
      await harness.edit('ConfigMap', 'app', { color: 'green' });
      await harness.clock.advance(settled);
    },
    answer,
  },
  'it restarts with the next rollout': {
    objects: [app, annotated({ 'reroll.dev/restart': 'next-rollout' })],
    then: changeColor,
    answer,
  },
  'as many roll out as may': {
    objects: [app, deployment({ name: 'other', annotations: auto, envFrom: [fromConfigMap('app')] }), web],
    settings: { pace: { ...unlimited, maxRolling: { count: 1, unit: 'workloads' } } },
    then: changeColor,
    answer,
  },
  'others restart first': {
    objects: [
      configMap({ name: 'app', data: { color: 'red', size: 'small' }, annotations: { 'reroll.dev/stages': 'on' } }),
      deployment({ name: 'canary', annotations: auto, envFrom: [fromConfigMap('app')] }),
      web,
    ],
    then: changeColor,
    answer,
  },
  'another comes first': {
    objects: [
      app,
      deployment({ name: 'first', annotations: { ...auto, [hold]: 'true' }, envFrom: [fromConfigMap('app')] }),
      annotated({ 'reroll.dev/wave': '10' }),
    ],
    then: changeColor,
    answer,
  },
  'it uses nothing': { objects: [deployment({ name: 'web', annotations: auto })], answer },
};

/** An engine that calls a URL instead of restarting. */
export const webhookMode = () => ({ webhook: new FakePostTransport() });
