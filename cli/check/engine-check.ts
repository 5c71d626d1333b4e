import { ago } from '../output/times';
import { counted } from '../output/text-style';
import { failed, ok, unknown, warning, type Check } from './finding';

/** Work that could have been done for so long waits for something that it should not wait for. */
const overdueMs = 5 * 60_000;

/** The leader makes progress. */
export const engineCheck: Check = {
  name: 'engine',
  look: async (facts) => {
    const health = await facts.health();
    if (health.silence) return unknown(`the leader was not asked: ${health.silence.message}`);
    const { state, problem, remark, queue } = health.said;
    const ready = 'see /readyz?verbose on port 9090 of its pod, and its log';
    if (problem !== undefined) return failed(`${state}: ${problem}`, ready);
    if (state === 'stopped' || state === 'starting') return warning(`it is ${state}`, 'ask again in a minute');
    if (state === 'syncing') return warning('the first lists are not complete', `see the row watches, or ${ready}`);
    const dueMs = queue.oldestDueSince === undefined ? 0 : facts.nowMs() - Date.parse(queue.oldestDueSince);
    if (dueMs > overdueMs) {
      return warning(
        `${counted(queue.length, 'workload')} wait, the first could have been looked at ${ago(dueMs)}`,
        "see 'reroll status -A' and the log of the leader",
      );
    }
    if (remark !== undefined) return warning(remark, remarkFix);
    return ok(
      queue.length === 0
        ? `${state}, no workload waits`
        : `${state}, ${counted(queue.length, 'workload')} to be looked at`,
    );
  },
};

const remarkFix = 'if that is not meant, see docs/rights.md: what Reroll does without a permission';
