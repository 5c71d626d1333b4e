import type { RestartRate } from '../gate-settings/restart-rate';
import type { ClosedGate } from './gate';

export interface RateQuestion {
  readonly rate: RestartRate | undefined;
  /** When the last restart but `n - 1` began, by the wall clock; undefined: there were less in the last period. */
  readonly nthLastMs: (n: number) => number | undefined;
  readonly nowMs: number;
}

/** In the last period, as many restarts began as may. */
export function restartRateGate({ rate, nthLastMs, nowMs }: RateQuestion): ClosedGate | undefined {
  if (!rate) return undefined;
  const untilMs = (nthLastMs(rate.count) ?? -Infinity) + rate.perMs;
  if (untilMs <= nowMs) return undefined;
  return { gate: 'pace', untilMs, detail: `--restart-rate: ${rate.text}` };
}
