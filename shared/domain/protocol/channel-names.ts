/** The webhook's identity on the change channel: the DNS name in its client certificate, which is never resolved. */
export function channelClientName(namespace: string): string {
  return `reroll-webhook.${namespace}.client`;
}

/** The name in the reconcilers' certificate, the same for every address of a reconciler. */
export function channelServerName(service: string, namespace: string): string {
  return `${service}.${namespace}.svc`;
}

/** The paths that a reconciler serves on the change channel. */
export const channelPaths = {
  changes: '/v1/changes',
  preview: '/v1/preview',
  marks: '/v1/marks',
  lint: '/v1/lint',
} as const;
export type ChannelPath = (typeof channelPaths)[keyof typeof channelPaths];
