import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { metricsOf } from './reroll-cluster';

/** Resolves with the reconciler that leads, once one does. */
export async function leaderOf(candidates: readonly RerollProcess[]): Promise<RerollProcess> {
  return await pollUntil('a leader', async () => {
    for (const replica of candidates) if ((await metricsOf(replica)).sum('reroll_leader') === 1) return replica;
    return undefined;
  });
}
