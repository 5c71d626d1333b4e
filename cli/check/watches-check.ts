import { installHoldWatch, namespaceWatch } from '../evidence/gate-watches';
import { enumerated } from '../output/phrases';
import { failed, ok, unknown, type Check } from './finding';

/** Each watch has listed, and follows. */
export const watchesCheck: Check = {
  name: 'watches',
  look: async (facts) => {
    const health = await facts.health();
    if (health.silence) return unknown('the leader was not asked');
    const { watches } = health.said;
    const { settings } = await facts.install();
    if (watches.length === 0) return failed('the leader watches nothing yet', 'ask again in a minute');
    const { isEverything } = settings.selection.namespaceSelector;
    // What follows if holds may not be listed, the check of holds says.
    const ofHolds = [installHoldWatch(health.said), isEverything ? namespaceWatch(health.said) : undefined];
    const needed = watches.filter((watch) => !watch.refused || !ofHolds.includes(watch));
    const behind = needed.filter(({ listed, watching, problem }) => !listed || !watching || problem !== undefined);
    if (behind.length === 0)
      return ok(needed.length === 1 ? 'the watch follows' : `all ${needed.length} watches follow`);
    return failed(
      `behind: ${enumerated(behind.map(({ name, state, problem }) => `${name} (${problem ?? state})`))}`,
      'Reroll sees no change there: grant the right that the message names, or see docs/runbooks/reroll-watch-not-synced.md',
    );
  },
};
