/** Who the webhook is on the change channel: the DNS name in its client certificate, which nobody resolves. */
export function channelClientName(namespace: string): string {
  return `reroll-webhook.${namespace}.client`;
}

/** What the reconcilers' certificate is made out to, whatever the address at which one of them is reached. */
export function channelServerName(service: string, namespace: string): string {
  return `${service}.${namespace}.svc`;
}

/** What a reconciler answers on the change channel. */
export const channelPaths = {
  changes: '/v1/changes',
  preview: '/v1/preview',
  marks: '/v1/marks',
  lint: '/v1/lint',
} as const;
export type ChannelPath = (typeof channelPaths)[keyof typeof channelPaths];
