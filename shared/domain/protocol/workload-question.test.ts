import { expect, it, test } from '@jest/globals';
import { defaultAnnotationKeys } from '../annotations/annotations';
import { readWorkloadSpec } from '../workloads/workload';
import { workloadKind, type WorkloadKindName } from '../kubernetes/workload-kinds';
import { readWorkloadQuestion, workloadQuestion } from './workload-question';

const secret = 'hunter2';
const podTemplate = {
  metadata: { labels: { app: 'web' }, annotations: { 'secret.reloader.stakater.com/reload': 'tls' } },
  spec: {
    volumes: [
      { name: 'files', configMap: { name: 'files', items: [{ key: 'a', path: 'a' }] } },
      { name: 'all', projected: { sources: [{ secret: { name: 'projected' } }] } },
      { name: 'host', hostPath: { path: secret } },
    ],
    containers: [
      {
        ...{ name: 'web', image: secret, command: [secret], args: [secret] },
        env: [
          { name: 'PASSWORD', value: secret },
          { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'app', key: 'level' } } },
        ],
        envFrom: [{ secretRef: { name: 'db' } }],
        volumeMounts: [
          { name: 'files', mountPath: '/f' },
          { name: 'all', mountPath: '/a', subPath: 'b' },
        ],
      },
    ],
    initContainers: [
      { name: 'init', env: [{ name: 'P', value: secret }], envFrom: [{ configMapRef: { name: 'init' } }] },
    ],
  },
};

function workload(kind: WorkloadKindName) {
  return {
    metadata: {
      ...{ name: 'web', uid: 'u', labels: { a: 'b' } },
      annotations: {
        'reloader.stakater.com/auto': 'true',
        'deployment.reloader.stakater.com/pause-period': '5m',
        'kubectl.kubernetes.io/last-applied-configuration': secret,
      },
      ownerReferences: [{ kind: 'Other', name: 'o', controller: true }],
    },
    spec: {
      ...{ replicas: 1, paused: true, workloadRef: { kind: 'Deployment', name: 'web' } },
      ...(kind === 'CronJob' ? { jobTemplate: { spec: { template: podTemplate } } } : { template: podTemplate }),
    },
  };
}

test.each<WorkloadKindName>(['Deployment', 'StatefulSet', 'CronJob', 'Rollout'])(
  'a question about a %s has all that a decision needs, and no values',
  (name) => {
    const kind = workloadKind(name);
    const object = workload(name);
    const question = workloadQuestion({ group: kind.resource.group, kind: name }, 'shop', object);
    const read = (from: unknown) =>
      readWorkloadSpec(kind, from, defaultAnnotationKeys, { autoReloadAll: false, ignoredWorkloadKinds: [] });
    expect(read(question.object)).toEqual(read(object));
    expect(read(object).references.map((reference) => reference.name)).toEqual([
      'app',
      'files',
      'init',
      'db',
      'projected',
    ]);
    expect(JSON.stringify(question)).not.toContain(secret);
    expect(readWorkloadQuestion(JSON.parse(JSON.stringify(question)))).toEqual(question);
  },
);

it.each([
  null,
  {},
  { v: 2, group: 'apps', kind: 'Deployment', namespace: 'shop', object: {} },
  { v: 1, kind: 'Deployment', namespace: 'shop', object: {} },
  { v: 1, group: 'apps', kind: 'Deployment', namespace: '', object: {} },
  { v: 1, group: 'apps', kind: 'Deployment', namespace: 'shop', object: [] },
])('%j is not a question', (value) => {
  expect(readWorkloadQuestion(value)).toBeUndefined();
});
