import { certsOptionTable } from '../../certs/options';
import { reconcilerOptionTable } from '../../reconciler/options/options';
import { optionEnv, type OptionRow, type OptionTable } from '../../shared/runtime/options/option-table';
import { webhookOptionTable } from '../../webhook/process/options';
import { markdownTable } from './markdown-table';

/** The commands that take flags. */
export const commands: readonly (readonly [command: string, table: OptionTable])[] = [
  ['reroll reconciler', reconcilerOptionTable],
  ['reroll webhook', webhookOptionTable],
  ['reroll certs', certsOptionTable],
];

const head = `<!-- Generated: npm run release -- --generate -->

# Flags

All flags of all commands. What they are for is told where they belong: [what restarts, and when](../restarts.md),
[the webhook](../webhook.md), [certificates](../certificates.md). Values of the chart that stand for flags:
[the chart's README](../../deploy/chart/reroll/README.md).

A flag wins over its variable; of several variables the first one wins, and an empty one counts as not set. What is unknown or
malformed, variables among it, stops the start with all problems at once. \`reroll COMMAND --help\` tells the same as this
page. A list is written with commas; a list that is given twice adds up.
`;

function byFlag(table: OptionTable): ReadonlyMap<string, OptionRow> {
  return new Map(Object.values(table).map((row) => [row.flag, row]));
}

/** One section: the flags of all commands, or those of one that others do not all have. */
function section(title: string, rows: Iterable<OptionRow>): string {
  const cells = [...rows].map((row) => {
    const variables = [optionEnv(row), ...(row.fallbackEnv === undefined ? [] : [row.fallbackEnv])];
    return [
      `\`--${row.flag}\``,
      row.default === undefined || row.default === '' ? '' : `\`${row.default}\``,
      row.accepts,
      variables.map((variable) => `\`${variable}\``).join(', '),
      row.confidential ? `${row.describe} No message shows what is given.` : row.describe,
    ];
  });
  return `## ${title}\n\n${markdownTable(['flag', 'default', 'accepts', 'variable', 'what it does'], cells)}`;
}

/** docs/reference/flags.md, of the tables that the commands are compiled from. */
export function flagsPage(): string {
  const tables = commands.map(([, table]) => byFlag(table));
  const [first, ...others] = tables;
  const isCommon = ({ flag }: OptionRow): boolean => others.every((table) => table.has(flag));
  const common = [...(first?.values() ?? [])].filter(isCommon);
  return [
    head,
    section('Of every command', common),
    ...commands.map(([command, table]) =>
      section(
        `\`${command}\``,
        Object.values(table).filter((row) => !common.some(({ flag }) => flag === row.flag)),
      ),
    ),
  ].join('\n');
}
