import { expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { watchStatus } from './watch-status';

it('ends with Ctrl-C also while an API server does not answer', async () => {
  const clock = new FakeClock();
  let interrupt = (): void => undefined;
  const watched = watchStatus({
    world: {
      ...{ clock, isTerminal: false, isErrorTerminal: false },
      io: { columns: 80, out: () => undefined, err: () => undefined },
      onInterrupt: (callback) => (interrupt = callback),
      connect: async () => await Promise.reject(new Error('not asked')),
    },
    read: async () => await new Promise(() => undefined),
    ...{ whole: () => '', changed: () => '' },
  });
  let isOver = false;
  void watched.then(() => (isOver = true));
  await clock.settle();
  interrupt();
  await clock.settle();
  expect(isOver).toBe(true);
});
