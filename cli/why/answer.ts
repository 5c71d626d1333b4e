import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import type { SourceAccount } from '../evidence/account';
import { bad, factsOf, headline, idOf, type Case, type Cause, type Headline, type TrackedCase } from './case';
import { owedBecause } from './changes';
import { isUnanswered, writtenAtMs } from './compared-headline';
import { restartHeadline } from './restart-headline';
import { sourceHeadline, strangerHeadline } from './source-headline';
import { baselineHeadline, statusHeadline } from './status-headline';
import { saysWhether, untrackedHeadline, withoutTitle } from './untracked';

/** Mistakes that leave a source out, where their author meant to have it. */
const leavingOut: ReadonlySet<string> = new Set([
  ...['unknown-annotation', 'wrong-place', 'bad-boolean', 'bad-pattern', 'bad-name', 'pattern-refused', 'over-budget'],
  ...['narrowed-out', 'source-kind-ignored'],
]);

/** In the order of their precedence: what keeps everything from happening is first, what happened long ago is last. */
const causes: readonly Cause[] = [
  deleting,
  callsInstead,
  // A dry run needs no Lease, so there may be none.
  dryRun,
  nobodyLeads,
  asked,
  statusHeadline,
  newestChange,
  restartHeadline,
  mistake,
  exception,
  usesNothing,
  baselineHeadline,
  unrecorded,
];

/** The first line of the answer: why the workload restarted or did not. */
export function headlineOf(about: Case): Headline {
  const { account } = about;
  if (!account.tracked) return untrackedHeadline(about, account);
  const tracked: TrackedCase = { ...about, account };
  for (const cause of causes) {
    const found = cause(tracked);
    if (found) return found;
  }
  return headline(
    tracked.silence
      ? 'was not restarted by Reroll, and nothing shows that what it uses was written since'
      : 'is in step: Reroll has not restarted it, and nothing that it uses differs from what its pods run with',
  );
}

/** The same about a workload that shares its template with the one that was asked about, and is restarted in its place. */
export function ofOther({ kind, name }: Case, { text, isBad }: Headline): Headline {
  const shares = kind === 'Deployment' ? 'whose template it takes' : 'which takes its template';
  return { text: `${kind} ${name}, ${shares}, ${text}`, isBad };
}

function deleting({ account }: TrackedCase): Headline | undefined {
  return account.deleting ? headline('does not restart: it is being deleted') : undefined;
}

function callsInstead({ silence, install }: TrackedCase): Headline | undefined {
  const calls = silence?.silence === 'no-workloads' || (silence !== undefined && install.callsInstead);
  return calls ? headline('does not restart: for each change Reroll calls --webhook-url instead') : undefined;
}

function nobodyLeads({ silence }: TrackedCase): Headline | undefined {
  if (silence?.silence === 'nobody-leads')
    return bad(`does not restart: no replica of Reroll leads (${silence.message})`);
  // Whoever forgets where Reroll is looks for its Lease in the wrong place.
  if (silence?.silence === 'no-lease')
    return bad(`does not restart, unless Reroll leads elsewhere (${silence.message})`);
  return undefined;
}

function dryRun(about: TrackedCase): Headline | undefined {
  const { dryRun: isDry, restart } = about.account;
  if (!isDry) return undefined;
  const why = 'Reroll runs with --dry-run, and writes nothing';
  return headline(
    restart === 'owed' ? `does not restart although ${owedBecause(about)}: ${why}` : `does not restart: ${why}`,
  );
}

/** The source that the question is about. */
function asked(about: TrackedCase): Headline | undefined {
  const { about: source, account } = about;
  if (!source) return undefined;
  const used = account.sources.find(({ kind, name }) => kind === source.kind && name === source.name);
  if (!used) return strangerHeadline(about, source);
  const isAnswered = about.facts?.cause?.sources.has(idOf(used)) === true && !isUnanswered(about, used);
  if (!isAnswered) return sourceHeadline(about, used);
  const isOwedForAnother = account.restart === 'owed' && !used.restarts;
  return (isOwedForAnother ? undefined : statusHeadline(about)) ?? restartHeadline(about);
}

/** The newest change that no restart has answered. */
function newestChange(about: TrackedCase): Headline | undefined {
  const changes = about.account.sources.flatMap((source) => {
    const changedMs = writtenAtMs(factsOf(about, source));
    return changedMs !== undefined && isUnanswered(about, source) ? [{ source, changedMs }] : [];
  });
  const [newest] = changes.toSorted((left, right) => right.changedMs - left.changedMs);
  return newest && sourceHeadline(about, newest.source);
}

function mistake({ facts }: TrackedCase): Headline | undefined {
  const finding = facts?.findings.find((each) => leavingOut.has(each.code) && saysWhether(each));
  return finding && headline(`does not restart as it seems to ask: ${withoutTitle(finding.message)}`);
}

function unrecorded({ silence, facts }: TrackedCase): Headline | undefined {
  if (!silence || !facts || facts.baseline) return undefined;
  return headline(`does not restart yet: Reroll has not recorded what its pods run with (${ownAnnotations.baseline})`);
}

function usesNothing({ facts }: TrackedCase): Headline | undefined {
  const finding = facts?.findings.find(({ code }) => code === 'nothing-used');
  return finding && headline(`does not restart: ${withoutTitle(finding.message)}`);
}

/** A source that does not count, or is not there, where nothing has happened since. */
function exception(about: TrackedCase): Headline | undefined {
  const isOrdinary = ({ standing }: SourceAccount): boolean => standing === 'unchanged' || standing === 'not-read-yet';
  const source = about.account.sources.find((each) => !isOrdinary(each));
  return source && sourceHeadline(about, source);
}
