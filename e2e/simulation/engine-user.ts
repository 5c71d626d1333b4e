/** Every process of the engine has a user of its own, so that the history tells them apart. */
export const engineUserPrefix = 'engine-';

export function isEngine(user: string): boolean {
  return user.startsWith(engineUserPrefix);
}
