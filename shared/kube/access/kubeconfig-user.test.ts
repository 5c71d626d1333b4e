import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { FakeClock } from '../../runtime/fake-clock';
import { loadKubeconfig } from './kubeconfig';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reroll-kubeconfig-user-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** What is said about a kubeconfig whose user `eks` has this plugin. */
async function problemWith(exec: object): Promise<string> {
  const path = join(folder, 'config');
  const content = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'prod' },
    clusters: [{ name: 'c', cluster: { server: 'https://c:6443' } }],
    users: [{ name: 'eks', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', ...exec } } }],
    contexts: [{ name: 'prod', context: { cluster: 'c', user: 'eks' } }],
  };
  writeFileSync(path, stringify(content));
  const error = await loadKubeconfig({ path, clock: new FakeClock() }).then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  return error?.message.replace(`kubeconfig ${path}: cannot obtain credentials: `, '') ?? 'nothing';
}

const shell = (script: string): object => ({ command: '/bin/sh', args: ['-c', script] });

describe('a plugin that gives no credentials is named, with what to do', () => {
  it.each<[string, object, string]>([
    [
      'it is not installed',
      { command: 'no-such-plugin' },
      'the exec plugin no-such-plugin of user eks cannot be started (spawn no-such-plugin ENOENT): install it, or choose another context with --context',
    ],
    [
      'it is not installed, and the kubeconfig says how to install it',
      { command: 'no-such-plugin', installHint: 'brew install no-such-plugin\n' },
      'the exec plugin no-such-plugin of user eks cannot be started (spawn no-such-plugin ENOENT): install it, or choose another context with --context; its installHint: brew install no-such-plugin',
    ],
    [
      'it ends without a word',
      shell('exit 1'),
      'the exec plugin /bin/sh of user eks failed and said nothing: run it by itself, with the args of the kubeconfig',
    ],
    ['it says why', shell('echo log in first >&2; exit 1'), 'log in first'],
    [
      'it prints something else',
      shell('echo token'),
      'the exec plugin of the user printed no JSON: run /bin/sh by itself, with the args of the kubeconfig',
    ],
    [
      'it prints no status',
      shell(`echo '{"kind":"ExecCredential"}'`),
      'the exec plugin /bin/sh of user eks printed no ExecCredential with a status: run it by itself, with the args of the kubeconfig',
    ],
  ])('%s', async (_what, exec, problem) => {
    expect(await problemWith(exec)).toBe(problem);
  });
});
