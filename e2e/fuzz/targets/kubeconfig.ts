import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attemptLater, secretMarker, type Target } from '../target';
import { CredentialsError } from '../../../shared/kube/access/credentials';
import { loadKubeconfig } from '../../../shared/kube/access/kubeconfig';
import { promptClock } from '../prompt-clock';

const kubeconfig = {
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'one' },
  clusters: [
    {
      name: 'one',
      cluster: { server: 'https://one:6443', 'certificate-authority-data': 'Q0E=', 'tls-server-name': 'k' },
    },
    { name: 'two', cluster: { server: 'http://two', 'insecure-skip-tls-verify': true, 'proxy-url': 'http://p' } },
  ],
  users: [
    { name: 'one', user: { token: secretMarker } },
    { name: 'two', user: { username: 'u', password: secretMarker } },
  ],
  contexts: [
    { name: 'one', context: { cluster: 'one', user: 'one', namespace: 'shop' } },
    { name: 'two', context: { cluster: 'two', user: 'two' } },
  ],
};

/**
 * Words that make the library run a program, ask a server or read a file. A backslash is one: in YAML, it can spell any
 * word.
 */
const reachesOut = /exec|auth-?provider|token-?file|certificate-authority"|client-(?:certificate|key)"|\\/i;

/**
 * The marker, unless it is a token or password: only there it is secret. A mutation may put it into a name, and names
 * are shown.
 */
const misplaced = new RegExp(`(?<!"(?:token|password)":")${secretMarker}`, 'g');

const folder = mkdtempSync(join(tmpdir(), 'reroll-fuzz-'));

/** A kubeconfig, read by the library and then by Reroll. */
export const target: Target = {
  seeds: [JSON.stringify(kubeconfig), JSON.stringify({ ...kubeconfig, 'current-context': 'two' }), 'a: &a [*a]', ''],
  dictionary: ['current-context', 'namespace', 'proxy-url', 'insecure-skip-tls-verify', 'tls-server-name'],
  maxBytes: 4 * 1024,
  // The library parses YAML, and each run reads a file. In practice a kubeconfig is read once, while a person waits.
  maxMs: 500,
  run: async (input) => {
    if (reachesOut.test(input.toString('latin1'))) return;
    const path = join(folder, 'config');
    writeFileSync(path, input.toString('latin1').replaceAll(misplaced, 'name'), 'latin1');
    const load = async () => await loadKubeconfig({ path, clock: promptClock });
    const access = await attemptLater(load, CredentialsError);
    if (access) await attemptLater(async () => await access.credentials.headers(), CredentialsError);
  },
};
