import { printable } from '../../shared/domain/text/printable';
import type { SourceAccount, TrackedAccount } from '../evidence/account';
import { renderTable, type Column } from '../output/table';
import { bold, dim, green, red, yellow, type Paint } from '../output/text-style';
import { enumerated } from '../output/phrases';
import { ago, within } from '../output/times';
import { keysOf } from '../users/users-text';
import { titleOf, type Case, type Headline } from './case';
import { howToCount } from './how-to-change';
import { howToRestartSooner } from './how-to-restart-sooner';
import { whyNotCounted } from './source-headline';

export interface TextOptions {
  readonly paint: Paint;
  readonly wide: boolean;
  readonly width: number | undefined;
  /** The pod that gave the answer. */
  readonly leader: string | undefined;
}

/** The answer, then what it rests on. */
export function whyText(about: Case, { text, isBad }: Headline, options: TextOptions): string {
  const { paint } = options;
  const { kind, namespace, name, account } = about;
  const sections = [
    [paint(isBad ? red : bold, printable(text))],
    [
      `${kind} ${namespace}/${name}${account.tracked ? `: ${printable(statusParts(about, account).join(', '))}` : ''}`,
      ...(options.leader === undefined ? [] : [paint(dim, `as the leader ${printable(options.leader)} says`)]),
    ],
    account.tracked ? sourceLines(about, account, options) : [],
    authorLines(about),
    changeLines(about),
    section('To let it restart sooner:', howToRestartSooner(about)),
    section('Mistakes in its annotations:', mistakes(about)),
    section(
      'Events:',
      about.events.map(({ atMs, reason, message }) => `${ago(about.nowMs - atMs)}  ${reason}  ${message}`),
    ),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${printable(line)}`)];
}

/** Its state in words, then what else is known of it now, and its last restart. */
export function statusParts({ nowMs, silence, facts }: Case, account: TrackedAccount): readonly string[] {
  const { state, waitsFor, since, until, lastRestart, dryRun } = account;
  const known = silence && state === 'unknown' ? 'its state is known to the leader only' : state.replace('-', ' ');
  return [
    known + (waitsFor === undefined ? '' : `, waits for ${waitsFor}`),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(until === undefined ? [] : [`until ${until} (${within(Date.parse(until) - nowMs)})`]),
    ...(dryRun ? ['dry run'] : []),
    lastRestart
      ? `last restart ${ago(nowMs - Date.parse(lastRestart.at))} (${lastRestart.id}${lastRestart.outcome === undefined ? '' : `, ${lastRestart.outcome}`})`
      : 'no restart so far',
    ...(facts?.heldBy === undefined ? [] : [facts.heldBy]),
  ];
}

function sourceLines(about: Case, { sources, moreSources }: TrackedAccount, options: TextOptions): readonly string[] {
  if (sources.length === 0) return ['It uses and lists no source.'];
  const columns: readonly Column<SourceAccount>[] = [
    { title: 'SOURCE', cell: titleOf },
    { title: 'KEYS', cell: keysOf },
    { title: 'CONTAINER', cell: ({ container = '' }) => container, isWide: true },
    {
      title: 'COUNTS',
      cell: (source) => (counts(source) ? 'yes' : 'no'),
      style: (source) => (counts(source) ? green : yellow),
    },
    { title: 'BY', cell: ({ rule, why }) => rule ?? why },
    { title: 'NOW', cell: (source) => standingOf(source, about.silence !== undefined) },
  ];
  const table = renderTable(columns, sources, options).trimEnd();
  return [table, ...(moreSources === undefined ? [] : [`and ${moreSources} more`])];

  function counts(source: SourceAccount): boolean {
    return whyNotCounted(about, source) === undefined;
  }
}

/** What is recorded, compared with what is there. */
export function standingOf(
  { standing, changedKeys = [], moreChangedKeys, why, restarts }: SourceAccount,
  isGuess: boolean,
): string {
  const keys = changedKeys.length === 0 ? '' : `: ${enumerated(changedKeys, moreChangedKeys)}`;
  switch (standing) {
    case 'unchanged':
      return 'as the pods run with it';
    case 'changed':
      return restarts ? `changed since the pods started${keys}` : why;
    case 'not-recorded':
      return 'not recorded yet';
    case 'same-parsed':
      return 'as the pods run with it, but for white space, comments or the order of keys';
    case 'absent':
      return 'does not exist';
    case 'not-read-yet':
      return isGuess ? 'known to the leader only' : 'not read yet';
    case 'not-rotated':
    case 'not-compared':
      return why;
    default:
      return standing + keys;
  }
}

/** What is not known of the author of a change. */
export function authorLines({ facts }: Case): readonly string[] {
  const isKnown = facts?.cause === undefined || facts.cause.by.length > 0;
  return isKnown ? [] : ['Who made the change that it was restarted for is not known: the webhook did not see it.'];
}

function changeLines(about: Case): readonly string[] {
  const { account } = about;
  if (!account.tracked) return [];
  const lines = account.sources.flatMap((source) => {
    const how = howToCount(about, source);
    return how === undefined ? [] : [`${titleOf(source)}: ${how}`];
  });
  return section('To let a source count:', lines);
}

/** What is wrong with its annotations. */
export function mistakes({ facts, account }: Case): readonly string[] {
  return facts?.findings.map(({ message }) => message) ?? (account.tracked ? account.problems : []);
}
