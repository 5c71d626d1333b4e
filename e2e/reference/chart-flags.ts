import { stringify } from 'yaml';
import { processes } from './flags-page';

/** The flags of each command that the chart runs, for the chart: where its values take flags, it rejects all others. */
export function chartFlagsText(): string {
  const flags = processes.map(([command, table]) => [
    command.replace('reroll ', ''),
    Object.values(table).map(({ flag }) => flag),
  ]);
  return `# Generated: npm run release -- --generate\n${stringify(Object.fromEntries(flags))}`;
}
