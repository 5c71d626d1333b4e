import TestSequencer from '@jest/test-sequencer';

/** What takes longest, longest first. A new clone has no durations, and short files would come last that take longest. */
const slowest = [
  'e2e/channel/start-order.test.ts',
  'e2e/channel/flooded.test.ts',
  'e2e/channel/wrong-use.test.ts',
  'e2e/simulation/simulation.test.ts',
  'e2e/fuzz/corpus.test.ts',
  'e2e/certs/keeper.test.ts',
  'e2e/engine/stripping-operator.test.ts',
  'e2e/engine/bad-input.test.ts',
  'e2e/engine/recovery.test.ts',
  'e2e/simulation/regressions.test.ts',
  'e2e/engine/rollout-coalescer.test.ts',
  'e2e/demo/demo.test.ts',
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
