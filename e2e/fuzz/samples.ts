import { ContentDigester } from '../../shared/domain/sources/content-digest';
import { secretMarker } from './target';

/** Objects as an API server stores them, for the seeds of targets. */

export const digester = new ContentDigester(Buffer.alloc(32, 7));

/** {@link secretMarker} in the encoding of a Secret's data. */
export const markedValue = Buffer.from(secretMarker).toString('base64');

/** A Secret without content. */
export const bareSecret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    ...{ name: 'db', namespace: 'shop', uid: 'uid-db', resourceVersion: '7' },
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'shop' },
    annotations: { 'reloader.stakater.com/match': 'true', 'reroll.dev/validate': 'warn' },
    managedFields: [{ manager: 'kubectl-edit', operation: 'Update', time: '2026-01-02T00:00:00Z' }],
  },
  type: 'Opaque',
};

export const sampleSecret = {
  ...bareSecret,
  data: { password: markedValue, 'app.yaml': markedValue },
};

export const sampleConfigMap = {
  ...bareSecret,
  kind: 'ConfigMap',
  metadata: { ...bareSecret.metadata, name: 'app', annotations: { 'reroll.dev/max-bytes': '64Ki' } },
  data: { 'app.json': '{"a":1}', 'b.properties': 'a=1' },
  binaryData: { c: 'AAAA' },
};

const podTemplate = {
  metadata: { annotations: { 'reloader.stakater.com/last-reloaded-from': '{"kind":"ConfigMap"}' } },
  spec: {
    volumes: [
      { name: 'conf', configMap: { name: 'app', items: [{ key: 'app.json', path: 'conf/app.json' }] } },
      { name: 'cert', secret: { secretName: 'tls', optional: true } },
      { name: 'all', projected: { sources: [{ secret: { name: 'db' } }, { configMap: { name: 'common' } }] } },
      { name: 'csi', csi: { volumeAttributes: { secretProviderClass: 'vault' } } },
    ],
    initContainers: [{ name: 'init', envFrom: [{ configMapRef: { name: 'app' } }] }],
    containers: [
      {
        name: 'main',
        env: [
          { name: 'STAKATER_APP_CONFIGMAP', value: 'AAAAAAAAAAAAAAAAAAAAAA.1f' },
          { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
          { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'app', key: 'level', optional: true } } },
        ],
        envFrom: [{ secretRef: { name: 'db' } }],
        volumeMounts: [
          ...[{ name: 'conf', subPath: 'conf' }, { name: 'cert' }, { name: 'all' }],
          { name: 'csi', subPathExpr: '$(A)' },
        ],
      },
    ],
  },
};

export const samplePodSpec = podTemplate.spec;

export const sampleBaseline =
  '{"v":1,"n":3,"key":"AAAAAAAA","sources":{"cm/app":"AAAAAAAAAAAAAAAAAAAAAA","cm/gone":"-","secret/db":{"password":"AAAAAAAAAAAAAAAAAAAAAA"}}}';

/** One of each annotation that Reroll reads, and a misspelt one. */
export const sampleAnnotations = {
  'reloader.stakater.com/auto': 'true',
  'configmap.reloader.stakater.com/auto': 'false',
  'configmap.reloader.stakater.com/reload': 'app,common-.*',
  'secret.reloader.stakater.com/reload': 'db|tls, [a-z]{3}',
  'configmaps.exclude.reloader.stakater.com/reload': 'noise,more',
  'reloader.stakater.com/search': 'true',
  'reloader.stakater.com/match': 'configmap|secret',
  'reloader.stakater.com/rollout-strategy': 'restart',
  'deployment.reloader.stakater.com/pause-period': '5m',
  'deployment.reloader.stakater.com/paused-at': '2026-01-02T03:04:05Z',
  'reroll.dev/baseline': sampleBaseline,
  'reroll.dev/last-restart': '{"at":"2026-01-02T03:04:05Z","id":"a1"}',
  'reroll.dev/strategy': 'annotations',
  'reroll.dev/settle': '1s',
  'reroll.dev/settle-max': '10s',
  'reroll.dev/job-policy': 'next-run',
  'reroll.dev/lint': 'on',
  'reroll.dev/setle': '1s',
};

export const sampleDeployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    ...{ name: 'web', namespace: 'shop', uid: 'uid-web', resourceVersion: '9', generation: 2 },
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web' },
    annotations: sampleAnnotations,
    ownerReferences: [{ kind: 'Rollout', name: 'web', controller: true }],
    managedFields: [
      { manager: 'helm', operation: 'Update', time: '2026-01-02T00:00:00Z' },
      { manager: 'kube-controller-manager', operation: 'Update', subresource: 'status', time: '2026-01-03T00:00:00Z' },
    ],
  },
  spec: { replicas: 2, paused: false, workloadRef: { kind: 'Deployment', name: 'web' }, template: podTemplate },
  status: { observedGeneration: 2, replicas: 2, updatedReplicas: 2 },
};

/** The object as a seed. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}
