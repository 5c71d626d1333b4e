import { optionEnv } from '../../shared/runtime/options/option-table';
import { commands } from './flags-page';

/** The variables of the flags of all commands, sorted. */
export function allVariables(): readonly string[] {
  const all = commands.flatMap(([, table]) => Object.values(table).map(optionEnv));
  return [...new Set(all)].sort();
}

/** The same as a file of the sources: no command loads the tables of all others. */
export function variablesText(): string {
  const lines = allVariables().map((variable) => `  '${variable}',\n`);
  return `// Generated: npm run release -- --generate

/** The variables of the flags of all commands. */
export const variablesOfCommands: ReadonlySet<string> = new Set([
${lines.join('')}]);
`;
}
