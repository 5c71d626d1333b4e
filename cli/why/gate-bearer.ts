import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import type { Case } from './case';

/**
 * The object whose annotation counts for a workload: its own, or that of the Rollout or Deployment that it shares a
 * template with.
 */
export function gateBearer(
  { kind, name, facts }: Pick<Case, 'kind' | 'name' | 'facts'>,
  setting: keyof GateSettings,
): { readonly kind: string; readonly name: string } {
  const other = facts?.otherGates;
  return other?.settings.has(setting) === true ? { kind: other.kind.kind, name: other.name } : { kind, name };
}
