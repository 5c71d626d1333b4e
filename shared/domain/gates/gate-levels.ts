import type { GateSettings } from '../gate-settings/gate-settings';
import type { LocalSourceRef } from '../sources/source';
import type { GateLevel } from './gate';

/** What says when the restart of a workload for one change may begin. */
export interface GatePlaces {
  readonly workload: GateSettings | undefined;
  readonly source: LocalSourceRef & { readonly gates: GateSettings | undefined };
  readonly namespace: { readonly name: string; readonly gates: GateSettings | undefined };
  /** By the flags of the install. */
  readonly install: GateSettings | undefined;
}

/** The nearest first. */
export function gateLevels({ workload, source, namespace, install }: GatePlaces): readonly GateLevel[] {
  return [
    { bearer: 'the workload', settings: workload },
    { bearer: `${source.kind} ${source.name}`, settings: source.gates },
    { bearer: `namespace ${namespace.name}`, settings: namespace.gates },
    { bearer: undefined, settings: install },
  ];
}
