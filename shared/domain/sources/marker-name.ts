import type { SourceKind } from './source';
import { sourceKindNames } from './source';

/**
 * The environment variable that holds a source's marker. It has Reloader's name, so that migrating from Reloader causes
 * no rollout. Runs of other characters become one underscore and leading ones are removed; hence `my-config` and
 * `my.config` share a name.
 */
export function envVarName(kind: SourceKind, name: string): string {
  const converted = name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_/, '');
  return `STAKATER_${converted}_${sourceKindNames[kind].token}`;
}
