import { FakeClock } from '../../../shared/runtime/fake-clock';
import { createHttpsTransport, type HttpsTransport } from '../../../shared/kube/transport/https-transport';
import { ApiServer } from '../api-server';
import { startHttpsServer } from '../https-server';
import { inProcessTransport } from '../in-process-transport';
import { seededRandom } from '../seeded-random';
import { describeContract } from './contract';

describeContract('simulated, in process', async () => {
  const clock = new FakeClock();
  const server = new ApiServer({ clock, random: seededRandom(1) });
  server.rbac.restrict('nobody', []);
  return {
    transport: inProcessTransport(server, 'admin'),
    withoutRights: inProcessTransport(server, 'nobody'),
    elapse: async (ms) => await clock.advance(ms),
    forgetHistory: async () => server.compact(),
    close: async () => undefined,
  };
});

describeContract('simulated, over HTTPS', async () => {
  const clock = new FakeClock();
  const server = new ApiServer({ clock, random: seededRandom(1) });
  server.rbac.restrict('nobody', []);
  const https = await startHttpsServer(server);
  const transportOf = async (user: string): Promise<HttpsTransport> => {
    const { certPem, keyPem } = await https.identityFor(user);
    const tls = { ca: Buffer.from(https.caPem), cert: Buffer.from(certPem), key: Buffer.from(keyPem) };
    return createHttpsTransport({ server: https.url, tls });
  };
  const transport = await transportOf('admin');
  const withoutRights = await transportOf('nobody');
  return {
    ...{ transport, withoutRights },
    elapse: async (ms) => await clock.advance(ms),
    forgetHistory: async () => server.compact(),
    async close() {
      transport.close();
      withoutRights.close();
      await https.close();
    },
  };
});
