import TestSequencer from '@jest/test-sequencer';

/** What takes longest, longest first. A new clone has no durations, and short files would come last that take longest. */
const slowest = [
  'e2e/channel/start-order.long.test.ts',
  'e2e/certs/keeper.long.test.ts',
  'e2e/engine/rollback-faults.test.ts',
  'e2e/engine/stages.test.ts',
  'e2e/simulation/simulation.test.ts',
  'e2e/engine/gates.test.ts',
  'e2e/engine/rollback.test.ts',
  'e2e/engine/pace.test.ts',
  'e2e/engine/stripping-operator.test.ts',
  'e2e/engine/rollout-coalescer.test.ts',
];

/** As jest orders them, but for the slowest, which begin first: no worker is to be left with one of them at the end. */
export default class Sequencer extends TestSequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const rank = ({ path }) => {
      const index = slowest.findIndex((file) => path.endsWith(`/${file}`));
      return index < 0 ? slowest.length : index;
    };
    return sorted.sort((left, right) => rank(left) - rank(right));
  }
}
