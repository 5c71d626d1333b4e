/** The cluster must start without Reroll, and its control plane writes ConfigMaps while it starts. */
export const systemNamespaces: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease'];
