import { describe, expect, it } from '@jest/globals';
import { parseRestartRate } from '../gate-settings/restart-rate';
import { restartRateGate } from './restart-rate-gate';

const nowMs = 1_000_000;
const rate = parseRestartRate('2/10s');

describe('restartRateGate', () => {
  it.each<[string, readonly number[], number | undefined]>([
    ['nothing began', [], undefined],
    ['one less than may', [nowMs], undefined],
    ['as many as may', [nowMs - 4_000, nowMs], nowMs + 6_000],
    ['one of them a period ago', [nowMs - 10_000, nowMs], undefined],
    ['one of them nearly a period ago', [nowMs - 9_999, nowMs], nowMs + 1],
    ['more than may, by the leader before', [nowMs - 3_000, nowMs - 2_000, nowMs - 1_000], nowMs + 8_000],
  ])('%s', (_what, startsMs, untilMs) => {
    const closed = { gate: 'pace', untilMs, detail: '--restart-rate: 2/10s' };
    expect(restartRateGate({ rate, nthLastMs: (n) => startsMs.at(-n), nowMs })).toEqual(
      untilMs === undefined ? undefined : closed,
    );
  });

  it('is open without a rate', () =>
    expect(restartRateGate({ rate: undefined, nthLastMs: () => nowMs, nowMs })).toBeUndefined());
});
