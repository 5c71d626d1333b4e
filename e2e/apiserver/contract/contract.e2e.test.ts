import { createHttpsTransport, type HttpsTransport } from '../../../shared/kube/transport/https-transport';
import { sleep, systemClock } from '../../../shared/runtime/clock';
import { startControlPlane } from '../../control-plane/start';
import { describeContract } from './contract';

describeContract('kube-apiserver', async () => {
  const cluster = await startControlPlane();
  const transportOf = async (user: string, groups: readonly string[]): Promise<HttpsTransport> => {
    const { certPem, keyPem } = await cluster.identityFor(user, groups);
    const tls = { ca: Buffer.from(cluster.caPem), cert: Buffer.from(certPem), key: Buffer.from(keyPem) };
    return createHttpsTransport({ server: cluster.apiServerUrl, tls });
  };
  const transport = await transportOf('contract-admin', ['system:masters']);
  const withoutRights = await transportOf('contract-nobody', []);
  return {
    ...{ transport, withoutRights },
    elapse: async (ms) => await sleep(systemClock, ms),
    // The watch cache is in memory, so a new process starts without history.
    async forgetHistory() {
      await cluster.stopApiServer();
      await cluster.startApiServer();
    },
    async close() {
      transport.close();
      withoutRights.close();
      await cluster.stop();
    },
  };
});
