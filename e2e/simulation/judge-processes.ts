import type { ApiServer } from '../apiserver/api-server';
import type { WriteRecord } from '../apiserver/store';
import type { Violation } from './judge';
import { isOfWorkload } from './lives';
import type { Network } from './network';
import type { ReconcilerProcess, Reconcilers } from './reconcilers';

/**
 * The most requests of one process in one minute, without its restarts. The busiest small worlds reach a third of it.
 */
const maxRequestsPerMinute = 1_000;
/**
 * The limit for each workload, if that allows more in total. A write that is refused for a whole minute is tried a
 * dozen times, with a delay that doubles, and reported in Events.
 */
const maxRequestsOfWorkload = 25;
/** ConfigMaps, Secrets, five kinds of workloads, namespaces, and the one ConfigMap that holds everything. */
const watchesOfProcess = 9;
/** All but those of namespaces and of the one ConfigMap, if namespaces are watched one by one. */
const watchesOfNamespace = 7;
/** Kinds whose API is served in some worlds only. Each adds a watch. */
const addOns = new Set(['SecretProviderClass', 'SecretProviderClassPodStatus']);
const sourceKinds = new Set(['ConfigMap', 'Secret', 'SecretProviderClass']);
/** The most bytes that a process may keep for one source: its digests, and those of its recent past. */
const maxBytesOfSource = 33 * 200;

/** What processes request and hold must be bounded by the size of their world, and by how many namespaces are watched one by one. */
export async function checkProcesses(
  replicas: Reconcilers,
  server: ApiServer,
  network: Network,
  watchedNamespaces = 0,
): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  const allowed = Math.max(maxRequestsPerMinute, maxRequestsOfWorkload * everStored(server, isOfWorkload));
  for (const incarnation of replicas.all) {
    const { process } = incarnation;
    const most = requestsOfWorstMinute(server, process.name);
    if (most > allowed) found.push(unbounded(`${process.name} made ${most} requests in one minute`));
    if (process.state !== 'dead') found.push(...(await checkHeld(incarnation, server, network, watchedNamespaces)));
  }
  return found;
}

/**
 * Counts a PATCH that succeeds as -1 and its Event as 1, so that a restart adds nothing. Whether there was a reason for
 * the restart is judged elsewhere.
 */
function requestsOfWorstMinute(server: ApiServer, name: string): number {
  const perMinute = new Map<number, number>();
  for (const { user, atMs, verb, code } of server.requests()) {
    const minute = Math.floor(atMs / 60_000);
    const requests = verb === 'patch' && code === 200 ? -1 : 1;
    if (user === name) perMinute.set(minute, (perMinute.get(minute) ?? 0) + requests);
  }
  return Math.max(0, ...perMinute.values());
}

async function checkHeld(
  { process, metrics }: ReconcilerProcess,
  server: ApiServer,
  network: Network,
  watchedNamespaces: number,
): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  const { name } = process;
  const streams = network.openStreams(process);
  const places = Math.max(1, watchedNamespaces);
  const ofAddOns = server.kinds.filter(({ kind }) => addOns.has(kind)).length;
  const watches = watchesOfProcess + (places - 1) * watchesOfNamespace + places * ofAddOns;
  if (streams > watches) found.push(unbounded(`${name} keeps ${streams} streams open`));
  const workloads = everStored(server, isOfWorkload);
  const queued = await metrics.sum('reloader_workqueue_depth');
  if (queued > workloads) found.push(unbounded(`${name} queues ${queued} keys of ${workloads} workloads`));
  const sources = everStored(server, ({ kind }) => sourceKinds.has(kind.kind));
  const indexed = await metrics.sum('reroll_sources');
  if (indexed > sources) found.push(unbounded(`${name} holds ${indexed} sources of ${sources}`));
  const bytes = await metrics.sum('reroll_source_retained_bytes');
  if (bytes > sources * maxBytesOfSource) found.push(unbounded(`${name} keeps ${bytes} bytes of ${sources} sources`));
  return found;
}

function everStored(server: ApiServer, counts: (write: WriteRecord) => boolean): number {
  return new Set(server.history().flatMap((write) => (counts(write) ? `${write.kind.kind} ${write.key}` : []))).size;
}

function unbounded(sentence: string): Violation {
  return { promise: 'unbounded', sentence };
}
