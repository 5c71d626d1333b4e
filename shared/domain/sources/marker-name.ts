import type { SourceKind } from './source';
import { sourceKindNames } from './source';

/**
 * The environment variable that carries a source's marker: Reloader's name, so that taking over from it rolls nothing.
 * Runs of other characters become one underscore, leading ones vanish; hence `my-config` and `my.config` share a name.
 */
export function envVarName(kind: SourceKind, name: string): string {
  const converted = name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_/, '');
  return `STAKATER_${converted}_${sourceKindNames[kind].token}`;
}
