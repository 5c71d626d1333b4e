import * as z from 'zod';
import { gateNames } from '../gate-settings/gate-names';
import { timeSchema } from './workload-status';
import { withoutMs } from '../text/without-ms';

/** What would keep a restart from beginning. */
export const deferralSchema = z
  .strictObject({
    gate: z.enum(gateNames),
    until: timeSchema.optional().describe('When the restart may begin. Missing if somebody has to do something first.'),
    detail: z.string().describe('What keeps it, such as `reroll.dev/hold on namespace shop: release freeze`.'),
  })
  .readonly();
export type Deferral = z.output<typeof deferralSchema>;

/** A deferral as another version may tell it. */
export type ToldDeferral = Omit<Deferral, 'gate'> & { readonly gate: string };

/**
 * When a deferred restart begins and what keeps it, as a phrase behind "restarts"; for stages, a sentence of its own.
 * `inWords` writes a time.
 *
 * @example 'once its windows open, 2026-11-25T22:00:00Z (reroll.dev/windows on namespace shop: 22:00-05:00)'
 */
export function describeDeferral(
  { gate, until, detail }: ToldDeferral,
  inWords: (time: string) => string = withoutMs,
): string {
  const time = until === undefined ? undefined : inWords(until);
  switch (gate) {
    case 'hold':
      return `held${time === undefined ? '' : ` until ${time}`} by ${detail}`;
    case 'window':
      return time === undefined
        ? `never, because no window opens again (${detail})`
        : `once its windows open, ${time} (${detail})`;
    case 'interval':
      return `once its minimum interval is over${time === undefined ? '' : `, ${time}`} (${detail})`;
    case 'next-rollout':
      return `with the next rollout that somebody else makes (${detail})`;
    case 'order':
      return `after others (${detail})`;
    case 'stages':
      return detail;
    case 'pace':
      return `in its turn (${detail})`;
    default:
      return `later${time === undefined ? '' : `, ${time}`} (${gate}: ${detail})`;
  }
}

/**
 * The same of a restart that is only expected, behind "restarts".
 *
 * @example 'later, with the next rollout that somebody else makes (reroll.dev/restart on namespace shop)'
 */
export function describeLater(deferral: ToldDeferral): string {
  const text = describeDeferral(deferral);
  return deferral.gate === 'stages' ? `later (${text})` : `later, ${text}`;
}

/** The restart of several changes begins with the first that may; undefined: with one of them, at once. */
export function soonest<Told extends ToldDeferral>(deferrals: readonly (Told | undefined)[]): Told | undefined {
  let first: Told | undefined;
  for (const deferral of deferrals) {
    if (!deferral) return undefined;
    if (!first || timeOf(deferral) < timeOf(first)) first = deferral;
  }
  return first;
}

function timeOf({ until }: ToldDeferral): number {
  return until === undefined ? Infinity : Date.parse(until);
}
