import { describeDeferral, type Deferral, type ToldDeferral } from '../../shared/domain/protocol/deferral';
import { sourceKinds } from '../../shared/domain/sources/source';
import type { SourceAccount } from '../evidence/account';
import { deferralFor } from '../evidence/deferral';
import { timeAndWait } from '../output/times';
import { factsOf, type Case } from './case';

/** Why a restart does not begin yet, as a phrase behind a colon. */
export function whyDeferred(deferral: ToldDeferral, nowMs: number): string {
  const phrase = describeDeferral(deferral, (time) => timeAndWait(time, nowMs));
  return deferral.gate === 'hold' || deferral.gate === 'stages' ? phrase : `it restarts ${phrase}`;
}

/** What keeps a restart for one source from beginning, as the objects tell; undefined: nothing that they show. */
export function deferralOfSource(about: Case, source: SourceAccount): Deferral | undefined {
  const kind = sourceKinds.find((each) => each === source.kind);
  if (!kind || !about.facts) return undefined;
  const { gates } = factsOf(about, source) ?? {};
  return deferralFor(about.facts.record, { kind, name: source.name, gates }, about);
}
