import type { GateSettings } from '../gate-settings/gate-settings';
import type { KeyFilter } from '../text/key-filter';

interface Bearer {
  readonly gates?: GateSettings | undefined;
}

/** The list of keys that counts for a workload and a source, and which of the two bears it. */
export interface NearestFilter {
  readonly on: 'workload' | 'source';
  readonly filter: KeyFilter;
}

/** The list on the workload comes before that on the source, also if it cannot be read: then there is none. */
export function nearestFilter(workload: Bearer, source: Bearer | undefined): NearestFilter | undefined {
  const own = workload.gates?.keys;
  const filter = own ?? source?.gates?.keys;
  return typeof filter === 'object' ? { on: own ? 'workload' : 'source', filter } : undefined;
}
