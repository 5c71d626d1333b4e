import type { RequestRecord } from '../apiserver/request-log';

/** `patch deployments.apps` to how often, in order of name. */
export type ApiCalls = Readonly<Record<string, number>>;

/** Requests of `user`, without those that it makes whether or not anything happens: its lease, and its watches. */
export function callsOf(requests: readonly RequestRecord[], user: string): ApiCalls {
  const counts = new Map<string, number>();
  for (const { user: caller, verb, resource } of requests) {
    if (caller !== user || verb === 'watch' || resource.startsWith('leases.')) continue;
    const call = `${verb} ${resource}`;
    counts.set(call, (counts.get(call) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** `create events (1), patch deployments.apps (2)` */
export function describeCalls(calls: ApiCalls): string {
  const texts = Object.entries(calls).map(([call, count]) => `${call} (${String(count)})`);
  return texts.length === 0 ? 'none' : texts.join(', ');
}
