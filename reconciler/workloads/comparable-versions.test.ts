import { expect, it } from '@jest/globals';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { ServerError } from '../../shared/kube/errors';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { ComparableVersions } from './comparable-versions';

/** A server whose counter grows with each list, unless it answers otherwise. */
function world() {
  const server: { answer: Reply | undefined; asked: () => number; versions: ComparableVersions } = {
    answer: undefined,
    asked: () => transport.requests.length,
    versions: undefined as never,
  };
  const { client, transport } = clientWorld(
    (_request, index) => server.answer ?? { body: { metadata: { resourceVersion: String(100 + index) }, items: [] } },
  );
  server.versions = new ComparableVersions(client);
  return server;
}

it('asks about two kinds once, for all who want to know meanwhile and later', async () => {
  const { versions, asked } = world();
  const ask = async () => await versions.ask('Deployment', 'shop', 'Secret');
  expect(versions.known('Deployment', 'Secret')).toBeUndefined();
  expect(await Promise.all([ask(), ask()])).toEqual([true, true]);
  expect([await ask(), versions.known('Deployment', 'Secret'), asked()]).toEqual([true, true, 3]);
});

it('asks again after a failure', async () => {
  const server = world();
  server.answer = refusal(503, 'ServiceUnavailable');
  await expect(server.versions.ask('Deployment', 'shop', 'Secret')).rejects.toThrow(ServerError);
  expect(server.versions.known('Deployment', 'Secret')).toBeUndefined();
  server.answer = undefined;
  expect(await server.versions.ask('Deployment', 'shop', 'Secret')).toBe(true);
});
