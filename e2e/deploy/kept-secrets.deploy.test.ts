import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keptSecretNames } from '../../certs/kept-secret';
import type { ControlPlane } from '../control-plane/cluster';
import { helm } from '../control-plane/helm';
import { startControlPlane } from '../control-plane/start';
import { projectDir } from '../control-plane/versions';
import { chartDir, withValuesFile, type Values } from './rendered-chart';

const namespace = 'reroll';
const install = path.join(projectDir, 'deploy', 'manifests', 'install.yaml');

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(async () => await plane.stop());

const kubectl = async (...args: readonly string[]): Promise<string> =>
  (await plane.kubectl(['--namespace', namespace, ...args])).trim();

async function upgrade(values: Values = {}, ...flags: readonly string[]): Promise<void> {
  await withValuesFile(values, async (file) => {
    const args = ['upgrade', '--install', 'reroll', chartDir, '--create-namespace', '--values', file, ...flags];
    await helm([...args, '--namespace', namespace], plane.adminKubeconfigPath);
  });
}

/** Writes to the Secrets like `reroll certs` does: by name, without creating any. */
async function fill(): Promise<void> {
  for (const name of keptSecretNames) {
    await kubectl('patch', 'secret', name, '--type=merge', '--patch', JSON.stringify({ data: { kept: 'eWVz' } }));
  }
}

async function filled(): Promise<readonly string[]> {
  const contents = keptSecretNames.map(async (name) => await kubectl('get', 'secret', name, '-o', 'jsonpath={.data.kept}')); // prettier-ignore
  return await Promise.all(contents);
}

const kept = keptSecretNames.map(() => 'eWVz');
const empty = keptSecretNames.map(() => '');

describe('what `reroll certs` has put into the Secrets', () => {
  it('stays over a helm upgrade, and over a rollback', async () => {
    await upgrade();
    expect(await filled()).toEqual(empty);
    await fill();
    await upgrade({ commonLabels: { team: 'platform' } });
    expect(await filled()).toEqual(kept);
    await helm(['rollback', 'reroll', '1', '--namespace', namespace], plane.adminKubeconfigPath);
    expect(await filled()).toEqual(kept);
  });

  it('is gone with a Secret that somebody deleted, which the next upgrade brings back', async () => {
    await kubectl('delete', 'secret', 'reroll-ca');
    await upgrade();
    expect(await filled()).toEqual(keptSecretNames.map((name) => (name === 'reroll-ca' ? '' : 'eWVz')));
  });

  it('goes with the mode of certificates that it was for, and the token stays', async () => {
    await upgrade({ certificates: { mode: 'existingSecrets', existingSecrets: { webhook: 'w', channel: 'c', client: 'l', caBundle: 'PEM' } } }); // prettier-ignore
    const left = await kubectl('get', 'secrets', '-o', 'name');
    expect(left).not.toMatch(/reroll-ca|reroll-certs/);
    expect(await kubectl('get', 'secret', 'reroll-webhook-token', '-o', 'jsonpath={.data.kept}')).toBe('eWVz');
  });

  it('is taken over by the chart from an install that made the Secret itself', async () => {
    await helm(['uninstall', 'reroll', '--namespace', namespace, '--wait'], plane.adminKubeconfigPath);
    await kubectl('create', 'secret', 'generic', 'reroll-certs', '--from-literal=kept=yes');
    await expect(upgrade()).rejects.toThrow('reroll-certs');
    await upgrade({}, '--take-ownership');
    expect(await kubectl('get', 'secret', 'reroll-certs', '-o', 'jsonpath={.data.kept}')).toBe('eWVz');
    await helm(['uninstall', 'reroll', '--namespace', namespace, '--wait'], plane.adminKubeconfigPath);
    expect(await kubectl('get', 'secrets', '-o', 'name')).not.toMatch(/reroll-(ca|certs|webhook-token)/);
  });

  it.each([
    ['kubectl apply, as with Argo CD', []],
    ['server-side apply, as with Flux', ['--server-side', '--force-conflicts']],
  ])('stays over %s', async (_how, flags) => {
    await kubectl('apply', ...flags, '-f', install);
    await fill();
    await kubectl('apply', ...flags, '-f', install);
    expect(await filled()).toEqual(kept);
  });
});

it('caBundle and path in the registrations stay, too', async () => {
  await kubectl('apply', '-f', install);
  const clientConfig = { caBundle: 'LS0tLS0=', service: { path: `/validate/${'a'.repeat(64)}` } };
  const registration = 'validatingwebhookconfiguration';
  const applied = {
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
    ...{ metadata: { name: 'reroll' }, webhooks: [{ name: 'secrets.webhook.reroll.dev', clientConfig }] },
  };
  const flags = ['--server-side', '--force-conflicts', '--field-manager=reroll-certs', '-f', '-'];
  await plane.kubectl(['apply', ...flags], { stdin: JSON.stringify(applied) });
  const stored = async (): Promise<string> =>
    await kubectl('get', registration, 'reroll', '-o', 'jsonpath={.webhooks[?(@.name=="secrets.webhook.reroll.dev")].clientConfig.service.path}'); // prettier-ignore
  expect(await stored()).toBe(clientConfig.service.path);
  await kubectl('apply', '-f', install);
  expect(await stored()).toBe(clientConfig.service.path);
  await kubectl('apply', '--server-side', '--force-conflicts', '-f', install);
  expect(await stored()).toBe(clientConfig.service.path);
});
