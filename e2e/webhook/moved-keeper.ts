import type { CertificateLifetimes } from '../../certs/apply-step';
import { Keeper } from '../../certs/keeper';
import { rsaKeyPairs } from '../../certs/certificate';
import { CertsMetrics } from '../../certs/metrics';
import { systemClock, type Clock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/log/logger';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { systemRandom } from '../../shared/runtime/random';
import type { ClusterUnderTest } from './cluster-under-test';
import { ownNamespace } from './reroll-cluster';

/** Does the work of `reroll certs`, with other lifetimes of certificates and at another time than now. */
export class MovedKeeper {
  /** How far its clock is ahead of the real one; negative if it is behind. */
  offsetMs = 0;
  readonly #keeper: Keeper;

  constructor(cluster: ClusterUnderTest, lifetimes: CertificateLifetimes) {
    const clock: Clock = { ...systemClock, nowMs: () => Date.now() + this.offsetMs };
    this.#keeper = new Keeper(
      {
        ...{ client: cluster.kubeClient(), clock, random: systemRandom, logger: silentLogger, keyPairs: rsaKeyPairs },
        metrics: new CertsMetrics(new MetricRegistry(), { certificates: true }),
      },
      {
        names: { namespace: ownNamespace, webhookService: 'reroll-webhook', channelService: 'reroll-channel' },
        configurations: { validating: 'reroll', mutating: 'reroll' },
        lifetimes,
        tokenLifeMs: 720 * 60 * 60_000,
      },
    );
  }

  /** Does all work that is due at that time. */
  async keep(offsetMs: number): Promise<void> {
    this.offsetMs = offsetMs;
    await this.#keeper.keep();
  }
}
