import { channelClientName, channelServerName } from '../shared/domain/protocol/channel-names';
import type { LeafUsage } from './certificate';

/** The names in the certificates. */
export interface CertificateNames {
  readonly namespace: string;
  readonly webhookService: string;
  readonly channelService: string;
}

/** `webhook` serves the API server, `channel` serves the webhook, `client` identifies the webhook on the channel. */
export const leafNames = ['webhook', 'channel', 'client'] as const;

export type LeafName = (typeof leafNames)[number];

export interface LeafProfile {
  readonly usage: LeafUsage;
  readonly dnsNames: readonly string[];
}

export function leafProfile(leaf: LeafName, names: CertificateNames): LeafProfile {
  const { namespace, webhookService: webhook, channelService: channel } = names;
  switch (leaf) {
    case 'webhook':
      return {
        usage: 'serverAuth',
        dnsNames: [webhookHost(names), `${webhook}.${namespace}`, webhook],
      };
    case 'channel':
      return { usage: 'serverAuth', dnsNames: [channelServerName(channel, namespace)] };
    case 'client':
      return { usage: 'clientAuth', dnsNames: [channelClientName(namespace)] };
  }
}

/** The host name under which the API server calls a webhook that is registered by its Service. */
export function webhookHost({ namespace, webhookService }: CertificateNames): string {
  return `${webhookService}.${namespace}.svc`;
}
