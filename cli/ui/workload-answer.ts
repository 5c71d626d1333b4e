import type { Headline } from '../why/case';
import { howToCount } from '../why/how-to-change';
import { howToRestartSooner } from '../why/how-to-restart-sooner';
import type { ReadCase } from '../why/read-case';
import { whyNotCounted } from '../why/source-headline';
import { keysOf } from '../users/users-text';
import { authorLines, mistakes, standingOf, statusParts } from '../why/why-text';
import type { WorkloadAnswer } from './model/answers';
import type { HistoryEntry } from './model/live-message';
import { answeredByText } from './standing';

/** What `reroll why` says, in parts for the page. */
export function workloadAnswer(
  { about, leader }: ReadCase,
  headline: Headline,
  history: readonly HistoryEntry[] | undefined,
): WorkloadAnswer {
  const { kind, namespace, name, account, silence, events } = about;
  const sources = account.tracked ? account.sources : [];
  return {
    ...{ kind, namespace, name, headline: headline.text, isBad: headline.isBad },
    ...(account.tracked && { standing: statusParts(about, account) }),
    answeredBy: answeredByText(leader, silence),
    sources: sources.map((source) => {
      const how = howToCount(about, source);
      return {
        ...{ kind: source.kind, name: source.name, keys: keysOf(source), container: source.container ?? '' },
        counts: whyNotCounted(about, source) === undefined,
        by: source.rule ?? source.why,
        now: standingOf(source, silence !== undefined),
        ...(how !== undefined && { how }),
      };
    }),
    moreSources: account.tracked ? (account.moreSources ?? 0) : 0,
    notes: [...authorLines(about), ...howToRestartSooner(about).map((line) => `To let it restart sooner: ${line}.`)],
    mistakes: mistakes(about),
    events: events.map(({ atMs, reason, message }) => ({ at: new Date(atMs).toISOString(), reason, message })),
    ...(history && { history }),
  };
}
