import { ServerClock } from '../../shared/kube/client/server-clock';
import { WebhookEngine } from '../../webhook/process/engine';
import { WebhookMetrics } from '../../webhook/metrics';
import { ownNamespace } from '../engine-settings';
import type { Channel } from './channel';
import { webhookUserPrefix } from './engine-user';
import type { Network } from './network';
import type { Incarnation, Program, Replicas } from './replicas';
import { simulatedClient } from './simulated-client';
import { toldMetrics } from './told-metrics';

/** A webhook process. */
export interface WebhookProcess extends Incarnation {
  readonly engine: WebhookEngine;
}

export type Webhooks = Replicas<WebhookProcess>;

/** `discover`: the webhook finds the reconcilers by their EndpointSlice. Otherwise it is given their addresses. */
export function webhookProgram(network: Network, channel: Channel, discover: boolean): Program<WebhookProcess> {
  return {
    prefix: webhookUserPrefix,
    start: (process, logger) => {
      const metrics = new WebhookMetrics();
      const { random } = process;
      const clock = new ServerClock(process.clock);
      const client = simulatedClient(network, process, clock, logger);
      const engine = new WebhookEngine(
        { client, clock, random, logger, metrics, transport: channel.transport(process) },
        {
          ownNamespace,
          webhookService: 'reroll-webhook',
          channelService: 'reroll-channel',
          reconcilerAddresses: discover ? [] : channel.addresses,
          register: [],
          injectCaFrom: undefined,
          preview: true,
          lint: true,
          quietNamespaces: [],
        },
      );
      engine.start();
      const told = toldMetrics(metrics.registry);
      return { process, engine, metrics: told, lines: logger.lines, stop: async () => await engine.stop() };
    },
  };
}
