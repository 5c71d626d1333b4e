import type { RequestRecord } from '../apiserver/request-log';
import { ownNamespace } from '../engine-settings';

/** Number of calls by verb and resource, such as `patch deployments.apps`, sorted by name. */
export type ApiCalls = Readonly<Record<string, number>>;

/**
 * Counts the requests of `user`, except those that it makes even if nothing happens, for its lease and its watches, and
 * those for the history of restarts, which it writes some seconds later.
 */
export function callsOf(requests: readonly RequestRecord[], user: string): ApiCalls {
  const counts = new Map<string, number>();
  for (const { user: caller, verb, resource, namespace } of requests) {
    if (caller !== user || verb === 'watch' || resource.startsWith('leases.')) continue;
    if (resource === 'configmaps' && namespace === ownNamespace) continue;
    const call = `${verb} ${resource}`;
    counts.set(call, (counts.get(call) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Renders calls as `create events (1), patch deployments.apps (2)`. */
export function describeCalls(calls: ApiCalls): string {
  const texts = Object.entries(calls).map(([call, count]) => `${call} (${String(count)})`);
  return texts.length === 0 ? 'none' : texts.join(', ');
}
