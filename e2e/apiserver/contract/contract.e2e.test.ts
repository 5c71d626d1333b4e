import { createHttpsTransport } from '../../../shared/kube/https-transport';
import { sleep, systemClock } from '../../../shared/runtime/clock';
import { startControlPlane } from '../../control-plane/start';
import { describeContract } from './contract';

describeContract('kube-apiserver', async () => {
  const cluster = await startControlPlane();
  const { certPem, keyPem } = await cluster.identityFor('contract-admin', ['system:masters']);
  const tls = { ca: Buffer.from(cluster.caPem), cert: Buffer.from(certPem), key: Buffer.from(keyPem) };
  const transport = createHttpsTransport({ server: cluster.apiServerUrl, tls });
  return {
    transport,
    elapse: async (ms) => await sleep(systemClock, ms),
    // Its watch cache is in memory: a new process has only what comes from then on.
    async forgetHistory() {
      await cluster.stopApiServer();
      await cluster.startApiServer();
    },
    async close() {
      transport.close();
      await cluster.stop();
    },
  };
});
