import { FakeClock } from '../../../shared/runtime/fake-clock';
import { createHttpsTransport } from '../../../shared/kube/https-transport';
import { ApiServer } from '../api-server';
import { startHttpsServer } from '../https-server';
import { inProcessTransport } from '../in-process-transport';
import { seededRandom } from '../seeded-random';
import { describeContract } from './contract';

describeContract('simulated, in process', async () => {
  const clock = new FakeClock();
  const server = new ApiServer({ clock, random: seededRandom(1) });
  return {
    transport: inProcessTransport(server, 'admin'),
    elapse: async (ms) => await clock.advance(ms),
    forgetHistory: async () => server.compact(),
    close: async () => undefined,
  };
});

describeContract('simulated, over HTTPS', async () => {
  const clock = new FakeClock();
  const server = new ApiServer({ clock, random: seededRandom(1) });
  const https = await startHttpsServer(server);
  const { certPem, keyPem } = await https.identityFor('admin');
  const tls = { ca: Buffer.from(https.caPem), cert: Buffer.from(certPem), key: Buffer.from(keyPem) };
  const transport = createHttpsTransport({ server: https.url, tls });
  return {
    transport,
    elapse: async (ms) => await clock.advance(ms),
    forgetHistory: async () => server.compact(),
    async close() {
      transport.close();
      await https.close();
    },
  };
});
