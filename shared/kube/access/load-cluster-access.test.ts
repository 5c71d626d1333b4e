import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { FakeClock } from '../../runtime/fake-clock';
import { CredentialsError } from './credentials';
import { loadClusterAccess, type ClusterAccessOptions } from './load-cluster-access';

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'reroll-access-'));
  mkdirSync(join(home, '.kube'));
  for (const [path, host] of [
    ['.kube/config', 'home'],
    ['environment', 'environment'],
    ['flag', 'flag'],
  ] as const) {
    writeFileSync(join(home, path), kubeconfig(host));
  }
});

afterAll(() => rmSync(home, { recursive: true }));

/** A kubeconfig with the current context `main` for that host, and another context `other` for `other-<host>`. */
function kubeconfig(host: string): string {
  const names = [host, `other-${host}`];
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    clusters: names.map((name) => ({ name, cluster: { server: `https://${name}` } })),
    users: [{ name: 'user', user: { token: 't' } }],
    contexts: ['main', 'other'].map((name, index) => ({ name, context: { cluster: names[index], user: 'user' } })),
  });
}

interface Given {
  readonly kubeconfig?: 'flag';
  readonly context?: 'other';
  readonly KUBECONFIG?: 'environment' | '';
  readonly inCluster?: true;
  readonly forPerson?: true;
  readonly home?: 'empty';
}

async function load({ kubeconfig, context, KUBECONFIG, inCluster, forPerson, home: ofHome }: Given): Promise<string> {
  const options: ClusterAccessOptions = {
    kubeconfig: kubeconfig && join(home, kubeconfig),
    context,
    ...(forPerson && { forPerson }),
    env: {
      HOME: ofHome === 'empty' ? join(home, '.kube') : home,
      ...(KUBECONFIG !== undefined && { KUBECONFIG: KUBECONFIG && join(home, KUBECONFIG) }),
      ...(inCluster && { KUBERNETES_SERVICE_HOST: '10.0.0.1' }),
    },
    clock: new FakeClock(),
  };
  return await loadClusterAccess(options).then(
    ({ server }) => server.replace('https://', ''),
    // No service account is mounted where tests run.
    (error: unknown) =>
      error instanceof CredentialsError && error.message.includes('serviceaccount')
        ? 'service account'
        : Promise.reject(error as Error),
  );
}

describe('loadClusterAccess', () => {
  it.each<[Given, string]>([
    [{ kubeconfig: 'flag', KUBECONFIG: 'environment', inCluster: true }, 'flag'],
    [{ kubeconfig: 'flag' }, 'flag'],
    [{ KUBECONFIG: 'environment', inCluster: true }, 'environment'],
    [{ KUBECONFIG: 'environment' }, 'environment'],
    [{ KUBECONFIG: '', inCluster: true }, 'service account'],
    [{ inCluster: true }, 'service account'],
    [{ inCluster: true, forPerson: true }, 'home'],
    [{ inCluster: true, forPerson: true, home: 'empty' }, 'service account'],
    [{ KUBECONFIG: 'environment', inCluster: true, forPerson: true }, 'environment'],
    [{ context: 'other', inCluster: true }, 'other-home'],
    [{ context: 'other', KUBECONFIG: 'environment' }, 'other-environment'],
    [{ context: 'other', kubeconfig: 'flag' }, 'other-flag'],
    [{ KUBECONFIG: '' }, 'home'],
    [{}, 'home'],
  ])('%j: %s', async (options, expected) => {
    expect(await load(options)).toBe(expected);
  });

  it('names the file that is missing', async () => {
    const options = { kubeconfig: undefined, context: undefined, env: { HOME: '/nowhere' }, clock: new FakeClock() };
    await expect(loadClusterAccess(options)).rejects.toThrow(
      'there is no kubeconfig /nowhere/.kube/config; name another with --kubeconfig',
    );
  });
});
