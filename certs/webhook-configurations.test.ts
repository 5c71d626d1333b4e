import { expect, it } from '@jest/globals';
import { bodyOf, clientWorld } from '../shared/kube/client/client.fixture';
import { names } from './issuing.fixture';
import { disown, readConfigurations } from './webhook-configurations';

const configurations = { validating: 'reroll', mutating: 'reroll' };

/** A registration whose `managedFields` name these managers. The other kind does not exist. */
function worldOf(...managers: readonly string[]) {
  const metadata = {
    ...{ name: 'reroll', uid: 'u', resourceVersion: '7' },
    managedFields: managers.map((manager) => ({ manager, operation: 'Apply', fieldsV1: { 'f:webhooks': {} } })),
  };
  const service = { namespace: names.namespace, name: names.webhookService };
  const object = { metadata, webhooks: [{ name: 'a.reroll.dev', clientConfig: { service } }] };
  return clientWorld(({ path }) => (path.includes('/validating') ? { body: object } : { status: 404 }));
}

it.each([[['helm']], [['helm', 'reroll']]])('nothing is ours where %j have written', async (managers) => {
  const { client } = worldOf(...managers);
  const [live] = await readConfigurations(client, configurations, names, {});
  expect(live?.foreignFields).toBeUndefined();
});

it.each(['reroll-certs', 'reroll-certs-path'])(
  'what %s has applied is left to nobody, and what others have stays theirs',
  async (manager) => {
    const { client, transport } = worldOf('helm', manager, 'admissionsenforcer');
    const [live] = await readConfigurations(client, configurations, names, {});
    await disown(client, live!, {});
    const managedFields = ['helm', 'admissionsenforcer'].map((other) => expect.objectContaining({ manager: other }));
    // Only in the version that was read: others may have written since.
    expect(bodyOf(transport.requests.at(-1))).toEqual({ metadata: { resourceVersion: '7', managedFields } });
  },
);

it('of a configuration in which nobody else has anything, it leaves one empty entry, which the API server takes for none', async () => {
  const { client, transport } = worldOf('reroll-certs');
  const [live] = await readConfigurations(client, configurations, names, {});
  await disown(client, live!, {});
  expect(bodyOf(transport.requests.at(-1))).toMatchObject({ metadata: { managedFields: [{}] } });
});
