import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { askGates } from '../../shared/domain/gates/ask-gates';
import { gateLevels } from '../../shared/domain/gates/gate-levels';
import { deferralIn } from '../../shared/domain/gates/reported-gates';
import type { Deferral } from '../../shared/domain/protocol/deferral';
import type { LocalSourceRef } from '../../shared/domain/sources/source';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { Install } from './install';
import type { Place } from './place';

/** What the objects tell about the time of restarts. */
export interface GateEvidence {
  readonly place: Place;
  readonly install: Pick<Install, 'gates'>;
  readonly nowMs: number;
}

/** What keeps a restart for a change from beginning, by the code that the leader decides by; undefined: nothing. */
export function deferralFor(
  { gates: workload, lastRestart }: Pick<WorkloadRecord, 'gates' | 'lastRestart'>,
  source: LocalSourceRef & { readonly gates: GateSettings | undefined },
  { place, install, nowMs }: GateEvidence,
): Deferral | undefined {
  const levels = gateLevels({ workload, source, namespace: place, install: install.gates });
  return deferralIn(askGates([{ installHold: place.installHold, levels, lastRestartMs: lastRestart?.atMs, nowMs }]));
}
