import { certsOptionTable } from '../../certs/options';
import { lintOptionTable } from '../../cli/lint/lint-options';
import { checkOptionTable } from '../../cli/check/check-options';
import { clusterOptionTable } from '../../cli/cluster/cluster-options';
import { previewOptionTable } from '../../cli/preview/preview-options';
import { historyOptionTable } from '../../cli/history/history-options';
import { migrateOptionTable } from '../../cli/migrate/migrate-options';
import { pauseOptionTable, resumeOptionTable } from '../../cli/pause/hold-options';
import { rollbackOptionTable } from '../../cli/rollback/rollback-options';
import { statusOptionTable } from '../../cli/status/status-options';
import { uiOptionTable } from '../../cli/ui/ui-options';
import { whyOptionTable } from '../../cli/why/why-options';
import { reconcilerOptionTable } from '../../reconciler/options/options';
import { optionEnv, type OptionRow, type OptionTable } from '../../shared/runtime/options/option-table';
import { webhookOptionTable } from '../../webhook/process/options';
import { markdownTable } from './markdown-table';

type CommandFlags = readonly [command: string, table: OptionTable];

/** The commands that run in a cluster. */
export const processes: readonly CommandFlags[] = [
  ['reroll reconciler', reconcilerOptionTable],
  ['reroll webhook', webhookOptionTable],
  ['reroll certs', certsOptionTable],
];

/** All commands: they all take flags. */
export const commands: readonly CommandFlags[] = [
  ...processes,
  ['reroll lint', lintOptionTable],
  ['reroll migrate', migrateOptionTable],
  ['reroll why', whyOptionTable],
  ['reroll status', statusOptionTable],
  ['reroll users', clusterOptionTable],
  ['reroll history', historyOptionTable],
  ['reroll preview', previewOptionTable],
  ['reroll pause', pauseOptionTable],
  ['reroll resume', resumeOptionTable],
  ['reroll rollback', rollbackOptionTable],
  ['reroll ui', uiOptionTable],
  ['reroll check', checkOptionTable],
];

const head = `<!-- Generated: npm run release -- --generate -->

# Flags

This page lists all flags of all commands. Their use is explained in [What restarts, and when](../restarts.md),
[the webhook](../webhook.md), [certificates](../certificates.md) and [the commands for people](../command-line.md). Values of the chart that set flags
are in [the chart's README](../../deploy/chart/reroll/README.md).

A flag wins over its variables. Of several variables the first one wins, and an empty one counts as not set. If a flag or a
variable is unknown or invalid, the process does not start, and names all problems at once. A variable of another command's flag
has no effect. \`reroll COMMAND --help\` prints the same as this page. A list is written with commas; if a list is given twice, both
count.
`;

function byFlag(table: OptionTable): ReadonlyMap<string, OptionRow> {
  return new Map(Object.values(table).map((row) => [row.flag, row]));
}

/** One section: the flags that all processes have, or the other flags of one command. */
function section(title: string, rows: Iterable<OptionRow>): string {
  const cells = [...rows].map((row) => {
    const variables = [optionEnv(row), ...(row.fallbackEnv === undefined ? [] : [row.fallbackEnv])];
    return [
      `\`--${row.flag}\`${row.short === undefined ? '' : `, \`-${row.short}\``}`,
      row.default === undefined || row.default === '' ? '' : `\`${row.default}\``,
      row.accepts,
      variables.map((variable) => `\`${variable}\``).join(', '),
      row.confidential ? `${row.describe} No message shows its value.` : row.describe,
    ];
  });
  return `## ${title}\n\n${markdownTable(['flag', 'default', 'accepts', 'variable', 'what it does'], cells)}`;
}

/** The text of docs/reference/flags.md, from the option tables of the commands. */
export function flagsPage(): string {
  const tables = processes.map(([, table]) => byFlag(table));
  const [first, ...others] = tables;
  const isCommon = ({ flag }: OptionRow): boolean => others.every((table) => table.has(flag));
  const common = [...(first?.values() ?? [])].filter(isCommon);
  return [
    head,
    section('Every command that runs in a cluster', common),
    ...commands.map(([command, table]) => {
      const runsInCluster = processes.some(([name]) => name === command);
      const isOwn = ({ flag }: OptionRow): boolean => !runsInCluster || !common.some((row) => row.flag === flag);
      return section(`\`${command}\``, Object.values<OptionRow>(table).filter(isOwn));
    }),
  ].join('\n');
}
