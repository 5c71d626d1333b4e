import type { ActionKind } from './actions';
import type { World } from './world';

/** After these actions, or in any weather, a write may be shown much later, or together with later ones. */
const troubles: ReadonlySet<ActionKind> = new Set<ActionKind>([
  'crash',
  'crash-long',
  'freeze',
  'stop',
  'partition',
  'compact',
  'skew-clock',
  'hold-and-crash',
  'forge-entry',
  'crash-after-record',
  'replace-pods-unseen',
  'list-the-crowd-anew',
  'webhook-partition',
  'flood-reviews',
  'flood-records',
]);

/** The server's timestamps are whole seconds, and a request that shows a write may wait for one that does not. */
const spareMs = 3_000;

/** How long after a write every process has seen it, and before any later write. Infinity if that is not promised. */
export function shownWithinMs({ steps, weather, dark, watchWindow, lagMs, maxLatencyMs, features }: World): number {
  // Whether a kind is served is asked every few minutes.
  const isServedLate = features.csi !== undefined && features.csi.servedAtMs > 0;
  const isTroubled =
    isServedLate || weather.length > 0 || dark !== undefined || steps.some(({ kind }) => troubles.has(kind));
  // A process that is behind by more writes than the server remembers lists again.
  if (isTroubled || watchWindow < 1_000) return Infinity;
  return Math.max(0, ...lagMs.values()) + 2 * maxLatencyMs + spareMs;
}
