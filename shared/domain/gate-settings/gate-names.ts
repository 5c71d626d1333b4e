/** What can keep a restart that is owed from beginning. */
export const gateNames = ['hold', 'next-rollout', 'window', 'interval', 'order', 'stages', 'pace'] as const;
export type GateName = (typeof gateNames)[number];
