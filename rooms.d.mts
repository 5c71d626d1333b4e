export const towers: Readonly<Record<'shared' | 'certs' | 'cli' | 'webhook' | 'reconciler', readonly string[]>>;
export function whyNot(from: string, to: string): string | undefined;
export function whyNotInTests(from: string, to: string): string | undefined;
