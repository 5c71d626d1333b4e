import { CertificateKeeper } from '../../certs/certificate-keeper';
import type { Lives } from '../../certs/carry-out';
import { rsaKeyPairs } from '../../certs/key-pairs';
import { CertificateMetrics } from '../../certs/metrics';
import { systemClock, type Clock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/logger';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { systemRandom } from '../../shared/runtime/random';
import type { ClusterUnderTest } from './cluster-under-test';
import { ownNamespace } from './reroll-cluster';

/** What `reroll certs` does, with certificates of other lives, and at another time than now. */
export class MovedKeeper {
  /** How far its clock is ahead. */
  offsetMs = 0;
  readonly #keeper: CertificateKeeper;

  constructor(cluster: ClusterUnderTest, lives: Lives) {
    const clock: Clock = { ...systemClock, nowMs: () => Date.now() + this.offsetMs };
    this.#keeper = new CertificateKeeper(
      {
        ...{ client: cluster.kubeClient(), clock, random: systemRandom, logger: silentLogger, keyPairs: rsaKeyPairs },
        metrics: new CertificateMetrics(new MetricRegistry()),
      },
      {
        names: { namespace: ownNamespace, webhookService: 'reroll-webhook', channelService: 'reroll-channel' },
        configurations: { validating: 'reroll', mutating: 'reroll' },
        lives,
      },
    );
  }

  /** Does what is owed at that time. */
  async keep(offsetMs: number): Promise<void> {
    this.offsetMs = offsetMs;
    await this.#keeper.keep();
  }
}
