import type { WaitReason } from '../../shared/domain/protocol/workload-status';
import type { SourceId } from '../../shared/domain/sources/source';

/** What a decision about a workload waited for. */
export interface Waited {
  /** When each source was first seen to change. Without those that changed unseen. */
  readonly noticedMs: ReadonlyMap<SourceId, number>;
  /** When they had been quiet for long enough; undefined: none was seen to change. */
  readonly settledMs: number | undefined;
  /** Why the look before was not the last one; undefined: there was none. */
  readonly look:
    { readonly waitsFor: WaitReason; readonly sinceMs: number; readonly errorCode?: string | undefined } | undefined;
}

export const waitedForNothing: Waited = { noticedMs: new Map(), settledMs: undefined, look: undefined };

/** Both tries of one restart. The second knows nothing of changes that only the first has waited for. */
export function waitedInAll(first: Waited | undefined, second: Waited): Waited {
  if (!first) return second;
  return {
    noticedMs: new Map([...first.noticedMs, ...second.noticedMs]),
    settledMs: second.settledMs ?? first.settledMs,
    look: second.look ?? first.look,
  };
}

/** What can delay a restart. A workload may wait for something else meanwhile, such as the end of a pause. */
const delays: ReadonlySet<WaitReason> = new Set(['rollout', 'earlier-job', 'retry', 'permission', 'fix']);

export function delayOf({ look }: Waited): Waited['look'] {
  return look && delays.has(look.waitsFor) ? look : undefined;
}
