import { describe, expect, it } from '@jest/globals';
import { describeDeferral, describeLater, soonest, type ToldDeferral } from './deferral';
import { describeHold } from './install-hold';

const until = '2026-11-25T22:00:00.000Z';
const onShop = 'on namespace shop';

describe('describeDeferral', () => {
  it.each<[ToldDeferral, string]>([
    [{ gate: 'hold', detail: `reroll.dev/hold ${onShop}` }, `held by reroll.dev/hold ${onShop}`],
    [
      { gate: 'hold', until, detail: `reroll.dev/hold ${onShop}: release freeze` },
      `held until 2026-11-25T22:00:00Z by reroll.dev/hold ${onShop}: release freeze`,
    ],
    [
      { gate: 'window', until, detail: '--restart-windows: 22:00-05:00' },
      'once its windows open, 2026-11-25T22:00:00Z (--restart-windows: 22:00-05:00)',
    ],
    [{ gate: 'window', detail: '--restart-windows: x' }, 'never, because no window opens again (--restart-windows: x)'],
    [
      { gate: 'interval', until, detail: '--min-interval: 1h' },
      'once its minimum interval is over, 2026-11-25T22:00:00Z (--min-interval: 1h)',
    ],
    [
      { gate: 'next-rollout', detail: `reroll.dev/restart ${onShop}` },
      `with the next rollout that somebody else makes (reroll.dev/restart ${onShop})`,
    ],
    [
      { gate: 'stages', detail: 'Secret db restarts its users in stages: others go first' },
      'Secret db restarts its users in stages: others go first',
    ],
    [{ gate: 'pace', detail: '--max-rolling: 100 workloads' }, 'in its turn (--max-rolling: 100 workloads)'],
    [
      { gate: 'order', detail: 'reroll.dev/after: Deployment db has still to restart' },
      'after others (reroll.dev/after: Deployment db has still to restart)',
    ],
    [{ gate: 'moon', until, detail: 'it is full' }, 'later, 2026-11-25T22:00:00Z (moon: it is full)'],
  ])('%j', (deferral, text) => {
    expect(describeDeferral(deferral)).toBe(text);
  });

  it('writes times as the reader wants them', () => {
    expect(describeDeferral({ gate: 'hold', until, detail: 'x' }, () => 'tonight')).toBe('held until tonight by x');
  });
});

describe('describeLater', () => {
  it.each<[ToldDeferral, string]>([
    [{ gate: 'hold', detail: `reroll.dev/hold ${onShop}` }, `later, held by reroll.dev/hold ${onShop}`],
    [{ gate: 'pace', detail: '--max-rolling: 1' }, 'later, in its turn (--max-rolling: 1)'],
    [
      { gate: 'stages', detail: 'Secret db restarts its users in stages: others go first' },
      'later (Secret db restarts its users in stages: others go first)',
    ],
  ])('%j', (deferral, text) => {
    expect(describeLater(deferral)).toBe(text);
  });
});

describe('describeHold', () => {
  it.each([
    [{}, 'held by ConfigMap reroll/reroll-hold'],
    [{ until, because: 'freeze' }, 'held until 2026-11-25T22:00:00Z by ConfigMap reroll/reroll-hold: freeze'],
  ])('%j', (more, text) => {
    expect(describeHold({ bearer: 'ConfigMap reroll/reroll-hold', ...more })).toBe(text);
  });
});

describe('soonest', () => {
  const held = { gate: 'hold', detail: 'a' };
  const tonight = { gate: 'window', until, detail: 'b' };
  const tomorrow = { gate: 'window', until: '2026-11-26T22:00:00.000Z', detail: 'c' };

  it.each<[string, (ToldDeferral | undefined)[], ToldDeferral | undefined]>([
    ['nothing', [], undefined],
    ['one that begins at once', [held, undefined], undefined],
    ['the first of several times', [held, tomorrow, tonight], tonight],
    ['one without a time', [held], held],
  ])('of %s', (_what, deferrals, expected) => {
    expect(soonest(deferrals)).toBe(expected);
  });
});
