import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';

/** A version that the watch has yet to show, and until when it is expected to, by the monotonic clock. */
export interface AwaitedVersion {
  readonly resourceVersion: string;
  readonly untilMs: number;
}

type Version = Pick<WorkloadRecord, 'resourceVersion'>;

/** If the watch has not shown a version by then, it is not expected to show it any more. */
const versionAwaitedMs = 30_000;

/** `nowMs`, here and below, by the monotonic clock. */
export function awaitedSince(resourceVersion: string, nowMs: number): AwaitedVersion {
  return { resourceVersion, untilMs: nowMs + versionAwaitedMs };
}

/** A read may show what followed our write, or a read before it, while the watch still lags behind both. */
export function awaitedAfter(
  { record: former, awaited }: { readonly record: Version; readonly awaited: AwaitedVersion | undefined },
  { resourceVersion }: Version,
  nowMs: number,
): AwaitedVersion | undefined {
  if (isOlderVersion(former.resourceVersion, resourceVersion)) return awaitedSince(resourceVersion, nowMs);
  return resourceVersion === former.resourceVersion ? awaited : undefined;
}

/** After a restore of etcd, no watch shows the version any more, and older states count at once. */
export function awaitedNoMore({ resourceVersion }: Version): AwaitedVersion {
  return { resourceVersion, untilMs: 0 };
}

/**
 * Whether the watch shows a state from before our own write, or from before what was read. Its baseline says nothing: if
 * an answer was lost, it may be that of an earlier attempt, which somebody then undid. A baseline that an opt-out has
 * ended would count again.
 */
export function predates(awaited: AwaitedVersion | undefined, { resourceVersion }: Version, nowMs: number): boolean {
  return awaited !== undefined && isOlderVersion(resourceVersion, awaited.resourceVersion) && nowMs < awaited.untilMs;
}
