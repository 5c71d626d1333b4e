import {
  configMap,
  cronJob,
  deployment,
  envFromKey,
  fromConfigMap,
  fromSecret,
  job,
  namespace,
  secret,
  statefulSet,
} from '../apiserver/cluster';
import { merge, strategic } from '../apiserver/contract/contract-client';
import type { ObjectInput } from '../apiserver/objects';
import { collectionPath, objectPath } from '../compat/object-paths';
import { annotated, app, auto, uses, web } from '../engine/situations.fixture';
import type { CliCluster, ExitCode } from './cli-cluster';
import { installs, ownNamespaceOf, type InstallName } from './installs';
import { untilKept } from '../cluster/kept-content';
import { patient, type TestNamespace } from '../cluster/test-namespace';
import { pollUntil } from '../control-plane/poll';

/** A situation that is planted in a namespace of its own, and what the first line of `reroll why` must say. */
export interface Situation {
  /** The install that looks after the namespace; `main` by default. */
  readonly install?: InstallName;
  /** The install that is asked, if it is another. */
  readonly asked?: string;
  /** The label of the namespace; that of its install by default. */
  readonly label?: string;
  /** The name of the namespace; a number by default. */
  readonly namespace?: string;
  readonly objects: readonly ObjectInput[];
  /** What happens once the reconciler has seen the objects. */
  readonly then?: (place: TestNamespace, cluster: CliCluster) => Promise<void>;
  /** `deployment/web` by default. */
  readonly workload?: string;
  /** The workload is not in step before anything happens. */
  readonly isNeverInStep?: true;
  /** The beginning or another part of the first line, if the leader may be asked. */
  readonly leader: string;
  /** The same for somebody who may only read; that of the leader by default. */
  readonly reader?: string;
  /** 0 by default. */
  readonly code?: ExitCode;
}

const restarted = 'because key color of ConfigMap app changed';
const paint = async (place: TestNamespace): Promise<void> => await place.paint('app', 'blue');
const slow = annotated({ 'reroll.dev/settle': '10m', 'reroll.dev/settle-max': '10m' });
const isBad = 1;
const hold = 'reroll.dev/hold';
const owed = 'is not restarted yet although key color of ConfigMap app changed';
const perhapsOwed = 'does not restart for ConfigMap app yet';

export const planted: Readonly<Record<string, Situation>> = {
  'nothing has happened': {
    objects: [app, web],
    leader: 'is in step: Reroll has not restarted it, and nothing that it uses differs',
    reader: 'was not restarted by Reroll, and nothing shows that what it uses was written since',
  },
  'it was restarted': { objects: [app, web], then: paint, leader: restarted },
  'it is annotated on the pod template only': {
    objects: [app, deployment({ ...uses, name: 'web', annotations: {}, podAnnotations: auto })],
    then: paint,
    leader: restarted,
  },
  'another key was changed': {
    objects: [app, deployment({ name: 'web', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] })],
    then: async (place) => await place.patch('ConfigMap', 'app', { data: { size: 'large' } }),
    leader: 'does not restart for ConfigMap app: the workload uses key color, and the change',
    reader: 'counts key color of ConfigMap app, and whether it differs',
  },
  'another key was changed, and an annotation of the workload was written after that': {
    objects: [app, deployment({ name: 'web', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] })],
    then: async (place) => {
      await place.patch('ConfigMap', 'app', { data: { size: 'large' } });
      // managedFields has whole seconds, and the order must show.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await place.patch('Deployment', 'web', { metadata: { annotations: { note: 'nothing rolls out for it' } } });
    },
    leader: 'does not restart for ConfigMap app: the workload uses key color, and the change',
    reader: 'counts key color of ConfigMap app, and whether it differs',
  },
  'a key was changed that does not count': {
    objects: [app, annotated({ 'reroll.dev/keys': '!size' })],
    then: async (place) => await place.patch('ConfigMap', 'app', { data: { size: 'large' } }),
    leader:
      'does not restart for ConfigMap app: reroll.dev/keys: !size on the workload says what counts, and the change',
    reader: 'counts ConfigMap app, and whether it differs',
  },
  'the source is in another namespace': {
    objects: [web],
    leader: 'there is no ConfigMap app in namespace',
  },
  'it lists a source of another namespace': {
    objects: [
      app,
      deployment({ ...uses, name: 'web', annotations: { 'configmap.reloader.stakater.com/reload': 'shop/app' } }),
    ],
    leader: 'names a source in another namespace',
  },
  'the source is excluded': {
    objects: [app, annotated({ 'configmaps.exclude.reloader.stakater.com/reload': 'app' })],
    then: paint,
    leader:
      'does not restart for ConfigMap app: configmaps.exclude.reloader.stakater.com/reload on the workload excludes it',
  },
  'the source is annotated to be ignored': {
    objects: [
      configMap({ name: 'app', data: { color: 'red' }, annotations: { 'reloader.stakater.com/ignore': 'true' } }),
      web,
    ],
    then: paint,
    leader: 'the ConfigMap is annotated reloader.stakater.com/ignore: "true"',
  },
  'it is narrowed to Secrets': {
    objects: [app, annotated({ 'reloader.stakater.com/kind': 'secret' })],
    then: paint,
    leader: 'on the workload leaves ConfigMaps out',
  },
  'it searches, and the source does not match': {
    objects: [app, deployment({ ...uses, name: 'web', annotations: { 'reloader.stakater.com/search': 'true' } })],
    then: paint,
    leader: 'the workload searches, and the ConfigMap is not annotated reloader.stakater.com/match: "true"',
  },
  'it has switched off all but a list': {
    objects: [
      ...[app, secret({ name: 'db', data: { password: 'a' } })],
      deployment({
        ...{ name: 'web', envFrom: [fromConfigMap('app'), fromSecret('db')] },
        annotations: { 'reloader.stakater.com/auto': 'false', 'secret.reloader.stakater.com/reload': 'db' },
      }),
    ],
    then: paint,
    leader: 'does not restart for ConfigMap app: reloader.stakater.com/auto',
  },
  'it asks for nothing': {
    objects: [app, deployment({ name: 'web', envFrom: [fromConfigMap('app')] })],
    then: paint,
    leader: 'does not restart: nothing on it asks for restarts',
  },
  'it asks for nothing, and its windows are none': {
    objects: [app, deployment({ ...uses, name: 'web', annotations: { 'reroll.dev/windows': 'nonsense' } })],
    leader: 'does not restart: nothing on it asks for restarts',
  },
  'its switch is misspelt': {
    objects: [app, deployment({ ...uses, name: 'web', annotations: { 'reloader.stakater.com/atuo': 'true' } })],
    then: paint,
    leader: 'reloader.stakater.com/atuo is not known and has no effect; did you mean reloader.stakater.com/auto?',
  },
  'its switch is no boolean': {
    objects: [app, deployment({ ...uses, name: 'web', annotations: { 'reloader.stakater.com/auto': 'yes' } })],
    then: paint,
    leader: 'reloader.stakater.com/auto="yes" is not a boolean',
  },
  'it uses nothing': {
    objects: [deployment({ name: 'web', annotations: auto })],
    leader: 'has no effect: the pod template uses no ConfigMap or Secret',
  },
  'Reroll holds it paused': {
    objects: [app, annotated({ 'deployment.reloader.stakater.com/pause-period': '10m' })],
    then: paint,
    leader: `${restarted}: Reroll holds it paused until then`,
  },
  'it is paused by somebody else': {
    objects: [app, deployment({ ...uses, name: 'web', spec: { paused: true } })],
    then: paint,
    leader: `${restarted}, but the Deployment is paused, so its pods are not replaced`,
  },
  'its pods are replaced by hand': {
    objects: [app, statefulSet({ ...uses, name: 'web', spec: { updateStrategy: { type: 'OnDelete' } } })],
    then: paint,
    workload: 'statefulset/web',
    leader: `${restarted}, but its pods are replaced only when somebody deletes them`,
  },
  'its settle window is open': {
    objects: [app, slow],
    then: paint,
    leader: `minutes ${restarted}: Reroll waits until its sources are quiet (--settle)`,
    reader: 'for ConfigMap app: Reroll waits until its sources are quiet (--settle)',
  },
  "somebody else's rollout brought the change": {
    objects: [
      app,
      deployment({
        ...uses,
        name: 'web',
        annotations: { ...auto, 'reroll.dev/settle': '5s', 'reroll.dev/settle-max': '5s' },
      }),
    ],
    then: async (place, { admin, plane }) => {
      // Only if all pods have one template, a rollout answers a change.
      await plane.kubectl(['-n', place.name, 'rollout', 'status', 'deployment/web', '--timeout=90s']);
      await place.paint('app', 'blue');
      const containers = [{ name: 'app', image: 'app:2' }];
      const path = `${objectPath('Deployment', place.name, 'web')}?fieldManager=helm`;
      // managedFields has whole seconds, and the order must show.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await admin.patch(path, strategic, { spec: { template: { spec: { containers } } } });
    },
    leader: 'does not restart for ConfigMap app: helm wrote the workload',
  },
  'a source is created, and creations do not count': {
    objects: [web],
    then: async (place) => {
      await place.create(app);
    },
    leader: 'does not restart for ConfigMap app: it was created',
  },
  'a source is created, and creations count': {
    install: 'selective',
    objects: [web],
    then: async (place) => {
      await place.create(configMap({ name: 'app', labels: { reload: 'yes' }, data: { color: 'red' } }));
    },
    leader: 'because ConfigMap app was created',
  },
  'a source is created again with the same content': {
    objects: [app, web],
    then: async (place) => {
      // The API server's times are whole seconds, and the order must show.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await place.delete('ConfigMap', 'app');
      await place.create(app);
    },
    leader: 'does not restart for ConfigMap app: the content that the workload uses is what its pods run with',
    reader: 'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only',
  },
  'a source is deleted, and deletions count': {
    install: 'selective',
    objects: [configMap({ name: 'app', labels: { reload: 'yes' }, data: { color: 'red' } }), web],
    then: async (place) => await place.delete('ConfigMap', 'app'),
    leader: 'because ConfigMap app was deleted',
  },
  'a source is deleted, and deletions do not count': {
    objects: [app, web],
    then: async (place) => await place.delete('ConfigMap', 'app'),
    leader: 'does not restart for ConfigMap app: it was deleted, and --reload-on-delete is off',
    reader: 'does not restart for ConfigMap app: there is no ConfigMap app in namespace',
  },
  'the labels of the source are not selected': {
    install: 'selective',
    objects: [app, web],
    then: paint,
    leader:
      'does not restart for ConfigMap app: the labels of the ConfigMap do not match --resource-label-selector=reload=yes',
  },
  'Secrets are not watched': {
    install: 'selective',
    objects: [
      secret({ name: 'db', labels: { reload: 'yes' }, data: { a: 'b' } }),
      deployment({ name: 'web', annotations: auto, envFrom: [fromSecret('db')] }),
    ],
    then: async (place) => await place.patch('Secret', 'db', { stringData: { a: 'c' } }),
    leader: 'does not restart for Secret db: Reroll does not watch Secrets: --resources-to-ignore leaves them out',
  },
  'it has switched restarts off': {
    install: 'selective',
    objects: [app, annotated({ 'reloader.stakater.com/auto': 'false' })],
    leader: 'does not restart: reloader.stakater.com/auto: "false" switches restarts off',
  },
  'its kind is ignored': {
    install: 'selective',
    objects: [app, job({ ...uses, name: 'web' })],
    workload: 'job/web',
    leader: 'does not restart: Reroll leaves every Job alone (--ignored-workload-types)',
  },
  'its namespace is not selected': {
    label: 'nobody',
    objects: [app, web],
    then: paint,
    leader: `do not match --namespace-selector`,
  },
  'its namespace is ignored': {
    namespace: 'ignored',
    objects: [app, web],
    then: paint,
    leader: 'does not restart: Reroll does not watch namespace ignored (--namespaces, --namespaces-to-ignore)',
  },
  'a CronJob controls it': {
    objects: [app, cronJob({ name: 'report', envFrom: [fromConfigMap('app')] })],
    then: async (place, { admin }) => {
      const { uid } = (await place.stored('CronJob', 'report')).metadata;
      const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid, controller: true };
      const object = job({ ...uses, name: 'web', podLabels: { 'control-plane.e2e/pod': 'keeps-running' } });
      await admin.post(collectionPath('Job', place.name), {
        ...object,
        metadata: { name: 'web', namespace: place.name, annotations: auto, ownerReferences: [owner] },
      });
    },
    isNeverInStep: true,
    workload: 'job/web',
    leader: 'does not restart: CronJob report controls this Job, so annotate the CronJob',
  },
  'it is held': {
    objects: [app, annotated({ [hold]: 'because=audit' })],
    then: paint,
    leader: `${owed}: held by reroll.dev/hold on the workload: audit`,
    reader: `${perhapsOwed}: held by reroll.dev/hold on the workload: audit (last written `,
  },
  'a content is kept': {
    objects: [
      configMap({ name: 'app', data: { color: 'red' }, annotations: { 'reroll.dev/on-failure': 'keep' } }),
      web,
    ],
    then: async (place) => {
      await untilKept(place, 'ConfigMap', 'good');
      // Without a hold, the next content proves itself, too, and is kept instead.
      const annotations = { [hold]: 'until=2999-01-01T00:00:00Z' };
      await place.patch('ConfigMap', 'app', { metadata: { annotations }, data: { color: 'blue' } });
    },
    leader: `${owed}: held until 2999-01-01T00:00:00Z (in `,
    reader: `${perhapsOwed}: held until 2999-01-01T00:00:00Z (in `,
  },
  'its source is held': {
    objects: [
      configMap({ name: 'app', data: { color: 'red' }, annotations: { [hold]: 'until=2999-01-01T00:00:00Z' } }),
      web,
    ],
    then: paint,
    leader: `${owed}: held until 2999-01-01T00:00:00Z (in `,
    reader: `${perhapsOwed}: held until 2999-01-01T00:00:00Z (in `,
  },
  'its namespace is held': {
    objects: [app, web],
    then: async (place, { admin }) => {
      const annotations = { [hold]: 'true' };
      await admin.patch(`${collectionPath('Namespace')}/${place.name}`, merge, { metadata: { annotations } });
      // The reconciler has two watches, and must see the hold before the change.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await place.paint('app', 'blue');
    },
    leader: `${owed}: held by reroll.dev/hold on namespace situation-`,
    reader: `${perhapsOwed}: held by reroll.dev/hold on namespace situation-`,
  },
  'its windows are closed': {
    objects: [app, annotated({ 'reroll.dev/windows': '0 0 29 2 * +1h' })],
    then: paint,
    leader: `${owed}: it restarts once its windows open, `,
    reader: `${perhapsOwed}: it restarts once its windows open, `,
  },
  'its minimum interval is not over': {
    objects: [app, annotated({ 'reroll.dev/min-interval': '24h' })],
    then: async (place) => {
      await place.paint('app', 'blue');
      await pollUntil(
        'the first restart',
        async () => (await place.stored('Deployment', 'web')).metadata.annotations?.['reroll.dev/last-restart'],
        patient,
      );
      // Only a change after that is told from the one that it was restarted for, by who sees times alone.
      await new Promise((resolve) => setTimeout(resolve, 7_000));
      await place.paint('app', 'green');
    },
    leader: `${owed}: it restarts once its minimum interval is over, `,
    reader: `${perhapsOwed}: it restarts once its minimum interval is over, `,
  },
  'it restarts with the next rollout': {
    objects: [app, annotated({ 'reroll.dev/restart': 'next-rollout' })],
    then: paint,
    leader: `${owed}: it restarts with the next rollout that somebody else makes (reroll.dev/restart on the workload)`,
    reader: `${perhapsOwed}: it restarts with the next rollout that somebody else makes (reroll.dev/restart on `,
  },
  'others restart first': {
    objects: [
      configMap({ name: 'app', data: { color: 'red', size: 'small' }, annotations: { 'reroll.dev/stages': 'on' } }),
      deployment({
        ...{ ...uses, name: 'canary', podLabels: { 'control-plane.e2e/pod': 'crash-loop' } },
        annotations: { ...auto, 'reroll.dev/canary': 'true' },
      }),
      annotated({}),
    ],
    then: paint,
    leader: `${owed}: ConfigMap app restarts its users in stages: Deployment canary must first be healthy for 1s`,
    reader: 'and whether it differs from what the pods run with is known to the leader only',
  },
  'another comes first': {
    objects: [
      app,
      deployment({ ...uses, name: 'first', annotations: { ...auto, 'reroll.dev/hold': 'true' } }),
      annotated({ 'reroll.dev/wave': '10' }),
    ],
    then: paint,
    leader: `${owed}: it restarts after others (reroll.dev/wave 0 comes first: Deployment first has still to restart)`,
    reader: 'and whether it differs from what the pods run with is known to the leader only',
  },
  'its policy is never': {
    objects: [app, cronJob({ ...uses, name: 'web', annotations: { ...auto, 'reroll.dev/cronjob-policy': 'never' } })],
    then: paint,
    workload: 'cronjob/web',
    leader: 'does not restart: its annotation reroll.dev/cronjob-policy is "never"',
  },
  'its change is left to the next run': {
    objects: [
      app,
      cronJob({ ...uses, name: 'web', annotations: { ...auto, 'reroll.dev/cronjob-policy': 'next-run' } }),
    ],
    then: paint,
    workload: 'cronjob/web',
    leader: 'has the change for its next run since',
  },
  'it does not exist': {
    objects: [app],
    isNeverInStep: true,
    leader: 'Deployment web does not exist in namespace',
    code: isBad,
  },
  'its kind is not served': {
    objects: [app],
    isNeverInStep: true,
    workload: 'rollout/web',
    leader: 'does not restart: Reroll does not see any Rollout: the API server does not serve them',
    reader: 'Rollout web does not exist in namespace',
    code: isBad,
  },
  'it is being deleted': {
    objects: [app, { ...web, metadata: { ...web.metadata, finalizers: ['example.com/wait'] } }],
    then: async (place, { admin }) => {
      await admin.delete(objectPath('Deployment', place.name, 'web'));
    },
    leader: 'does not restart: it is being deleted',
  },
  'only labels of the source were changed': {
    objects: [app, web],
    then: async (place) => await place.patch('ConfigMap', 'app', { metadata: { labels: { team: 'a' } } }),
    leader: 'does not restart for ConfigMap app: the content that the workload uses is what its pods run with',
    reader: 'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only',
  },
  'a policy of the API server refuses the restart': {
    objects: [app, web],
    then: async (place, cluster) => {
      await cluster.apply(...refusing(place.name));
      // A new policy is in force a moment later.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await place.paint('app', 'blue');
    },
    leader: `cannot be restarted although key color of ConfigMap app changed: the API server refuses the write`,
    reader: 'could not be restarted for ConfigMap app: patch deployments.apps',
    code: isBad,
  },
  'a right is missing': {
    install: 'reading',
    objects: [app, web],
    then: paint,
    isNeverInStep: true,
    leader: 'cannot be restarted although key color of ConfigMap app changed: Reroll lacks a permission',
    reader: 'does not restart for ConfigMap app yet: Reroll has not recorded what its pods run with',
    code: { asker: isBad, reader: 0 },
  },
  'Reroll runs dry': {
    install: 'dry',
    objects: [app, web],
    then: paint,
    isNeverInStep: true,
    leader: 'Reroll runs with --dry-run, and writes nothing',
  },
  'Reroll calls a URL instead': {
    install: 'calling',
    objects: [app, web],
    then: paint,
    isNeverInStep: true,
    leader: 'does not restart: for each change Reroll calls --webhook-url instead',
  },
  'the webhook is down': {
    objects: [app, web],
    then: async (place, cluster) => {
      await cluster.apply(deadWebhook(place.name));
      await place.paint('app', 'blue');
    },
    leader: restarted,
  },
  'the leader is gone': {
    asked: 'gone',
    objects: [app, web],
    leader:
      'does not restart: no replica of Reroll leads (nobody leads: somebody who is gone has not renewed Lease reroll-gone/reroll',
    code: isBad,
  },
  'nobody leads': {
    asked: 'free',
    objects: [app, web],
    leader: 'does not restart: no replica of Reroll leads (nobody holds Lease reroll-free/reroll)',
    code: isBad,
  },
  'there is no Lease': {
    asked: 'nowhere',
    objects: [app, web],
    leader:
      "does not restart, unless Reroll leads elsewhere (there is no Lease reroll in namespace reroll-nowhere: name Reroll's namespace with --reroll-namespace",
    code: isBad,
  },
  'the leader is of a newer version': { asked: 'newer', objects: [app, web], then: paint, leader: restarted },
  'the leader is of an older version': { asked: 'older', objects: [app, web], then: paint, leader: restarted },
};

/** What standard error says if the leader does not answer somebody who may ask it. */
export const silences: Readonly<Record<string, string>> = {
  'Reroll runs dry': 'there is no Lease reroll in namespace reroll-dry',
  'Reroll calls a URL instead': 'the leader reroll-0 answers: ',
  'the leader is gone': 'nobody leads: somebody who is gone has not renewed Lease reroll-gone/reroll',
  'nobody leads': 'nobody holds Lease reroll-free/reroll',
  'there is no Lease': 'there is no Lease reroll in namespace reroll-nowhere',
  'the leader is of a newer version': 'speaks another version of the interface (2)',
  'the leader is of an older version': 'nothing answers on port 9095 of the leader reroll-0',
};

/** The namespace with the reconciler's own objects that a question is put to. */
export function askedNamespace({ asked, install = 'main' }: Situation): string {
  return ownNamespaceOf(asked ?? installs[install].name);
}

/** The namespace in which a situation is planted. */
export function place(
  number: number,
  { namespace: name, install = 'main', label = install }: Situation,
  key: string,
): ObjectInput {
  return namespace(name ?? `situation-${number}`, { labels: { [key]: label } });
}

/** A policy by which Reroll may not change pod templates. */
function refusing(within: string): readonly object[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': within } } };
  const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments'] };
  const expression = "request.userInfo.username != 'reroll' || object.spec.template == oldObject.spec.template";
  return [
    {
      ...{ apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'no-restarts' } },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression, message: 'no restarts here' }] },
    },
    {
      ...{ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'no-restarts' } },
      spec: { policyName: 'no-restarts', validationActions: ['Deny'], matchResources },
    },
  ];
}

/** Reroll's webhook for one namespace, where nothing listens. */
function deadWebhook(within: string): object {
  const webhook = {
    ...{ name: 'changes.reroll.dev', admissionReviewVersions: ['v1'], sideEffects: 'None', timeoutSeconds: 1 },
    ...{ failurePolicy: 'Ignore', clientConfig: { url: 'https://127.0.0.1:9/' } },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': within } },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] }],
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'reroll' },
    webhooks: [webhook],
  };
}
