import { describe, expect, it } from '@jest/globals';
import { connectExistingCluster, existingClusterKubeconfig, optInVariable } from './existing-cluster';

describe('without the opt-in', () => {
  it.each([
    ['nothing is set', {}],
    ['it is empty', { [optInVariable]: '' }],
    ['only the usual variable is set', { KUBECONFIG: '/home/jane/.kube/config' }],
  ])('refuses when %s', async (_case, env) => {
    expect(existingClusterKubeconfig(env)).toBeUndefined();
    await expect(connectExistingCluster(env)).rejects.toThrow(`set ${optInVariable} to the path of its kubeconfig`);
  });
});

it('takes the kubeconfig from the opt-in', () => {
  expect(existingClusterKubeconfig({ [optInVariable]: '/tmp/kind.yaml' })).toBe('/tmp/kind.yaml');
});
