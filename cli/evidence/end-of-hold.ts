import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { isInForce } from '../../shared/domain/gate-settings/hold';
import type { Place } from './place';

interface Bearer {
  readonly kind: string;
  readonly name: string;
  readonly gates: GateSettings | undefined;
}

/** A change of a source, for one workload or for all. */
export interface HeldChange {
  readonly workload: Bearer | undefined;
  readonly source: Bearer;
  readonly place: Place;
  readonly nowMs: number;
}

/** The command that ends the hold which counts for a change: that of everything, or else the nearest. */
export function endOfHold({ workload, source, place, nowMs }: HeldChange): string {
  if (isInForce(place.installHold, nowMs)) return 'reroll resume --all';
  const nearest = [workload, source].find((bearer) => bearer?.gates?.hold !== undefined);
  if (nearest) return resume(nearest, place);
  return `reroll resume namespace/${place.name}, or for it alone ${resume(workload ?? source, place)} --override`;
}

function resume({ kind, name }: Bearer, { name: namespace }: Place): string {
  return `reroll resume ${kind.toLowerCase()}/${name} -n ${namespace}`;
}
