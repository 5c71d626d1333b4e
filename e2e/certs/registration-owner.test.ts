import { expect, it } from '@jest/globals';
import { names } from '../../certs/issuing.fixture';
import { listOf } from '../../shared/domain/kubernetes/json-value';
import { applyObject, getObject, type KubeObject } from '../../shared/kube/client/objects';
import { validatingWebhookConfigurations } from '../../shared/kube/resource';
import { CertsWorld } from './certs.fixture';

/** As Helm 4, Flux and Argo CD install it: by server-side apply, without caBundle and path. */
async function install(world: CertsWorld, ...resources: readonly string[]): Promise<void> {
  const service = { namespace: names.namespace, name: names.webhookService };
  const webhooks = resources.map((resource) => ({
    ...{ name: `${resource}.webhook.reroll.dev`, clientConfig: { service }, sideEffects: 'NoneOnDryRun' },
    ...{ admissionReviewVersions: ['v1'] },
  }));
  const head = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' };
  const body = { ...head, metadata: { name: 'reroll' }, webhooks };
  await applyObject(world.admin, validatingWebhookConfigurations, undefined, 'reroll', body, { fieldManager: 'helm' });
}

async function registration(world: CertsWorld): Promise<KubeObject> {
  return await getObject(world.admin, validatingWebhookConfigurations, undefined, 'reroll');
}

it.each([
  ['Reroll', {}],
  ['others', { lifetimes: undefined }],
])('whoever installs may take a webhook out again, with certificates of %s', async (_whose, settings) => {
  const world = new CertsWorld();
  await install(world, 'configmaps', 'secrets');
  const { keeper } = world.keeper(settings);
  await keeper.keep();
  const [kept] = listOf((await registration(world))['webhooks']);
  expect(kept).toMatchObject({
    clientConfig: { service: { path: expect.stringMatching(/^\/validate\/\w+$/) as unknown } },
  });
  await install(world, 'configmaps');
  // An API server rejects a webhook of which only caBundle and path are left.
  expect((await registration(world))['webhooks']).toEqual([kept]);
});

it('what is set stays when the same is installed again, and a webhook that comes back gets it', async () => {
  const world = new CertsWorld();
  await install(world, 'configmaps', 'secrets');
  const { keeper } = world.keeper();
  await keeper.keep();
  const { webhooks } = await registration(world);
  await install(world, 'configmaps', 'secrets');
  expect((await registration(world))['webhooks']).toEqual(webhooks);
  await install(world, 'configmaps');
  await install(world, 'configmaps', 'secrets');
  await keeper.keep();
  expect((await registration(world))['webhooks']).toEqual(webhooks);
});

it('fields that an older version has applied are left to nobody, though nothing else is to be written', async () => {
  const world = new CertsWorld();
  await install(world, 'configmaps');
  const { keeper } = world.keeper();
  await keeper.keep();
  const { webhooks } = await registration(world);
  const head = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' };
  const body = { ...head, metadata: { name: 'reroll' }, webhooks };
  const options = { fieldManager: 'reroll-certs' };
  await applyObject(world.admin, validatingWebhookConfigurations, undefined, 'reroll', body, options);
  await keeper.keep();
  const { metadata, webhooks: after } = await registration(world);
  expect(after).toEqual(webhooks);
  expect(listOf(metadata['managedFields'])).toEqual([expect.objectContaining({ manager: 'helm' })]);
  const writes = world.writes().length;
  await keeper.keep();
  expect(world.writes()).toHaveLength(writes);
});
