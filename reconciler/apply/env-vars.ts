import { absent } from '../../shared/domain/sources/content-digest';
import { envVarName } from '../../shared/domain/sources/marker-name';
import type { MarkInput, TemplateMarker } from './marker';

/**
 * Reloader's default: for each changed source a variable `STAKATER_<NAME>_<TYPE>` in the one container that uses it.
 * Sources whose names differ only in punctuation share a variable. One value for both still changes the template.
 */
export function markEnvVars({ changes, restartId }: MarkInput): TemplateMarker {
  const env = new Map<string, TemplateMarker['env'][number]>();
  for (const { kind, name, container, whole } of changes) {
    if (container === undefined) continue;
    const variable = envVarName(kind, name);
    env.set(`${container}/${variable}`, { container, name: variable, value: `${whole ?? absent}.${restartId}` });
  }
  return { annotations: {}, env: [...env.values()] };
}
