import { printable } from '../../shared/domain/text/printable';
import { enumerated, titleOf } from '../output/phrases';
import { renderTable, type Column, type TableOptions } from '../output/table';
import { bold, green, red, yellow, type Style } from '../output/text-style';
import { keysOf as usedKeysOf, whenText } from '../users/users-text';
import type { Effect } from './effects';
import type { Outcome, Preview, PreviewedSource, PreviewedWorkload } from './preview';
import { sourceTitle, type Headline } from './preview-headline';
import { keysOf, whatHappensTo } from './preview-report';

/** The answer, what would change, and each workload that uses it. */
export function previewText(
  { sources, workloads }: Preview,
  headline: Headline,
  options: TableOptions & { readonly nowMs: number },
): string {
  const { paint, nowMs } = options;
  const first = `${paint(headline.isBad ? red : bold, printable(headline.text))}\n`;
  const changes = sources.length === 0 ? '' : `\n${renderTable(sourceColumns, sources, options)}`;
  const users = workloads.length === 0 ? '' : `\n${renderTable(workloadColumns(workloads, nowMs), workloads, options)}`;
  return first + changes + users;
}

const sourceColumns: readonly Column<PreviewedSource>[] = [
  { title: 'SOURCE', cell: sourceTitle },
  { title: 'CHANGE', cell: ({ change }) => whatHappensTo(change) },
  { title: 'KEYS', cell: ({ change }) => inWords(keysOf(change)) },
];

const outcomes: Readonly<Record<Outcome, { readonly text: string; readonly style: Style }>> = {
  restarts: { text: 'restarts', style: green },
  'rolls-out': { text: 'rolls out anyway', style: green },
  stays: { text: 'stays', style: yellow },
};

function workloadColumns(workloads: readonly PreviewedWorkload[], nowMs: number): readonly Column<PreviewedWorkload>[] {
  const isInMany = workloads.some(({ namespace }) => namespace !== workloads[0]?.namespace);
  return [
    ...(isInMany ? [{ title: 'NAMESPACE', cell: ({ namespace }: PreviewedWorkload) => namespace }] : []),
    { title: 'WORKLOAD', cell: titleOf },
    {
      title: 'EFFECT',
      cell: ({ outcome }) => outcomes[outcome].text,
      style: ({ outcome }) => outcomes[outcome].style,
    },
    { title: 'FOR', cell: ({ effects }) => enumerated(effects.filter(isOf(effects)).map(causeOf)) },
    { title: 'USES', cell: ({ effects: [first] }) => (first ? usedKeysOf(first) : ''), isWide: true },
    { title: 'BY', cell: ({ effects: [first] }) => first?.rule ?? '' },
    { title: 'BECAUSE', cell: ({ effects: [first] }) => first?.why ?? '' },
    ...(workloads.some(({ deferred }) => deferred)
      ? [
          {
            title: 'WHEN',
            cell: ({ outcome, deferred }: PreviewedWorkload) =>
              outcome === 'restarts' ? whenText(deferred, nowMs) : '',
          },
        ]
      : []),
  ];
}

/** If anything restarts the workload, only that is of interest. */
function isOf([first]: readonly Effect[]): (effect: Effect) => boolean {
  return ({ restarts }) => restarts || first?.restarts !== true;
}

function causeOf({ source: { kind, name }, changedKeys }: Effect): string {
  return `${kind} ${name}${changedKeys.length === 0 ? '' : ` (${inWords(keysOf({ changedKeys }))})`}`;
}

function inWords(keys: 'all' | readonly string[]): string {
  return typeof keys === 'string' ? keys : enumerated(keys);
}
