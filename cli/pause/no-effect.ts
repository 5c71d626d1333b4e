import { installHoldName } from '../../shared/domain/annotations/annotations';
import type { HealthInspection } from '../../shared/domain/protocol/health-inspection';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { installHoldWatch, namespaceWatch } from '../evidence/gate-watches';
import type { Install } from '../evidence/install';
import type { HoldTarget } from './hold-target';

const single = 'Reroll watches single namespaces (--namespaces), and does not read what they are annotated with';

/**
 * Why a hold would have no effect; undefined: it has one, as far as is known. Whoever holds restarts relies on it, so
 * this is said instead of writing the hold.
 */
export function whyNoEffect(
  { is }: HoldTarget,
  health: Tolerant<HealthInspection> | undefined,
  { isKnown, callsInstead, settings }: Install,
): string | undefined {
  if (isKnown && callsInstead) return 'for each change Reroll calls --webhook-url instead of restarting anything';
  if (is === 'namespace' && isKnown && settings.selection.namespaces.length > 0) return single;
  // Before it has begun to watch, a leader restarts nothing either.
  if (!health || health.watches.length === 0) return undefined;
  const held = installHoldWatch(health);
  if (!held) return `the leader is of version ${health.version}, which knows no holds`;
  if (is === 'everything' && held.refused) return `the leader may not list ConfigMap ${installHoldName}`;
  if (is !== 'namespace') return undefined;
  const seen = namespaceWatch(health);
  if (!seen) return single;
  return seen.refused ? 'the leader may not list namespaces' : undefined;
}
