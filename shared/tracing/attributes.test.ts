import { describe, expect, it } from '@jest/globals';
import { workloadKinds } from '../domain/kubernetes/workload-kinds';
import { changeAttributes, serverAttributes, workloadAttributes } from './attributes';

describe('the attributes of a workload', () => {
  it('are those of OpenTelemetry for each kind of Kubernetes, and of every kind its full name', () => {
    const names = workloadKinds.map(({ kind }) => {
      const attributes = workloadAttributes({ kind, namespace: 'shop', name: 'web', uid: 'u1' });
      expect(attributes).toMatchObject({ 'k8s.namespace.name': 'shop', 'reroll.workload': `${kind} shop/web` });
      return Object.keys(attributes).filter(
        (name) => /^k8s\..*\.(name|uid)$/.test(name) && !name.includes('namespace'),
      );
    });
    expect(names.flat().toSorted()).toEqual(
      ['cronjob', 'daemonset', 'deployment', 'job', 'statefulset'].flatMap((kind) => [
        `k8s.${kind}.name`,
        `k8s.${kind}.uid`,
      ]),
    );
  });
});

describe('the attributes of a change', () => {
  const source = { kind: 'Secret', namespace: 'shop', name: 'db' } as const;

  it('leave out what is not known', () => {
    expect(changeAttributes({ source, changeId: '9f3e11aa', keys: [], user: undefined })).toEqual({
      ...{ 'k8s.namespace.name': 'shop', 'reroll.source': 'Secret shop/db', 'reroll.change.id': '9f3e11aa' },
    });
  });
});

it.each([
  ['10.0.0.1:8444', '10.0.0.1', 8444],
  ['[fd00::1]:8444', 'fd00::1', 8444],
  ['reconciler.reroll:443', 'reconciler.reroll', 443],
])('the server at %s is %s, port %i', (address, host, port) => {
  expect(serverAttributes(address)).toEqual({ 'server.address': host, 'server.port': port });
});
