import type { ActionKind } from './actions';
import type { World } from './world';

/** After these, or in any weather, what was written may be shown much later, or together with what came after it. */
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

/** Times of the server are whole seconds, and a request that shows something may have to wait for one that does not. */
const spareMs = 3_000;

/** How long after a write every process knows of it, and of nothing later before; infinity where that is not promised. */
export function shownWithinMs({ steps, weather, dark, watchWindow, lagMs, maxLatencyMs }: World): number {
  const isTroubled = weather.length > 0 || dark !== undefined || steps.some(({ kind }) => troubles.has(kind));
  // Who is behind by more writes than the server remembers lists anew.
  if (isTroubled || watchWindow < 1_000) return Infinity;
  return Math.max(0, ...lagMs.values()) + 2 * maxLatencyMs + spareMs;
}
