/** Every process of the engine has a user of its own, so that the history tells them apart. */
export const engineUserPrefix = 'engine-';
export const webhookUserPrefix = 'webhook-';

export function isEngine(user: string): boolean {
  return user.startsWith(engineUserPrefix);
}

/** Whether the user is one of Reroll's processes, engine or webhook. */
export function isOurs(user: string): boolean {
  return isEngine(user) || user.startsWith(webhookUserPrefix);
}
