import type { OptionRow, OptionTable } from './option-table';

const widest = 100;
const indent = '  ';
/** The column of descriptions; for longer flags they begin on the next line. */
const describeAt = 30;
const otherFlags = 'Other flags';

/** The part of `--help` with all flags, in groups, within the width of the terminal. */
export function describeOptions(table: OptionTable, terminalColumns: number | undefined): string {
  const columns = Math.min(widest, terminalColumns ?? widest);
  const rows = Object.values(table);
  const groups = new Set(rows.map(groupOf));
  const sections = [...groups].map((group) =>
    section(
      group,
      rows.filter((row) => groupOf(row) === group),
      columns,
    ),
  );
  const environment =
    'Each flag may also be set as REROLL_<FLAG> in the environment, such as REROLL_LOG_LEVEL for --log-level. A flag wins.';
  return [...sections, wrap(environment, columns, '')].join('\n\n');
}

const examples = 'Examples:';

/**
 * The end of `--help` within the width of the terminal. A line such as `  1    what it means` goes on below its text. Examples
 * are not split, so that they can be copied.
 */
export function describeNotes(notes: string, terminalColumns: number | undefined): string {
  const columns = Math.min(widest, terminalColumns ?? widest);
  const [before = '', after] = notes.split(new RegExp(`^(?=${examples}$)`, 'm'));
  const wrapped = before.split('\n').map((line) => wrapHanging(line, columns));
  return wrapped.join('\n') + (after ?? '');
}

/** The first word behind a margin, and the space behind it, if more than one word follows. */
const term = /^( +\S+ {2,})(?=\S)/;

function wrapHanging(line: string, columns: number): string {
  const [, head = ''] = term.exec(line) ?? [];
  const margin = ' '.repeat(head.length);
  return head + wrap(line.slice(head.length), columns, margin).slice(margin.length);
}

function groupOf({ group = otherFlags }: OptionRow): string {
  return group;
}

function section(group: string, rows: readonly OptionRow[], columns: number): string {
  const shared = rows.length > 1 && rows.every(({ accepts }) => accepts === rows[0]?.accepts) ? rows[0] : undefined;
  const accepts = shared && shared.form !== 'switch' ? ` (each ${shared.accepts})` : '';
  const heading = wrap(`${group}${accepts}:`, columns, '');
  return [heading, ...rows.map((row) => entry(row, columns, accepts === ''))].join('\n');
}

function entry(row: OptionRow, columns: number, withAccepts: boolean): string {
  const flag = `${indent}${row.short === undefined ? '' : `-${row.short}, `}--${row.flag}`;
  const margin = ' '.repeat(describeAt);
  const described = wrap(describe(row, withAccepts), columns, margin);
  return flag.length < describeAt - 1 ? flag + described.slice(flag.length) : `${flag}\n${described}`;
}

function describe(row: OptionRow, withAccepts: boolean): string {
  // Values of a switch need no explanation.
  const accepts = withAccepts && row.form !== 'switch' ? ` Accepts ${row.accepts}.` : '';
  const known = [
    ...(row.default === undefined || row.default === '' ? [] : [`default ${row.default}`]),
    ...(row.fallbackEnv === undefined ? [] : [`or variable ${row.fallbackEnv}`]),
  ];
  return `${row.describe}${accepts}${known.length === 0 ? '' : ` (${known.join('; ')})`}`;
}

/** Each line begins with `margin`. A word that is longer than a line is not split, so that it can be copied. */
function wrap(text: string, columns: number, margin: string): string {
  const lines: string[] = [];
  let line = margin;
  for (const word of text.split(' ')) {
    const isFirst = line === margin;
    if (!isFirst && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = margin + word;
    } else line += isFirst ? word : ` ${word}`;
  }
  return [...lines, line].join('\n');
}
