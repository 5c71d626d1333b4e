import type { JSX } from 'preact';
import type { Standing } from '../model/live-message';
import type { Connection } from './client';

interface Notice {
  readonly tone: 'bad' | 'warn';
  readonly what: string;
  readonly fix: string | undefined;
}

/** What is wrong with what the page shows, and what to do about it; undefined: nothing. */
function noticeOf(connection: Connection, standing: Standing): Notice | undefined {
  switch (connection) {
    case 'no-token':
      return {
        tone: 'bad',
        what: 'This address does not have the token of a running reroll ui.',
        fix: 'Open the address that it prints in the terminal. Each start has another one.',
      };
    case 'gone':
      return {
        tone: 'bad',
        what: 'reroll ui does not answer. What is shown is from before.',
        fix: 'If you ended it, start it again and open the address that it prints. Otherwise this page connects by itself.',
      };
    case 'full':
      return { tone: 'bad', what: 'Too many pages are open.', fix: 'Close some of them.' };
    case 'connecting':
    case 'open':
      return noticeOfStanding(standing);
  }
}

function noticeOfStanding({ from, problem = '', fix }: Standing): Notice | undefined {
  switch (from) {
    case 'asking':
    case 'leader':
      return undefined;
    case 'objects':
      return {
        tone: 'warn',
        what: `The leader does not answer: ${problem}. This is from what you may read yourself, every ten seconds.`,
        fix: fix && sentence(fix),
      };
    case 'lost':
      return { tone: 'bad', what: `${sentence(problem)} What is shown is from before.`, fix: fix && sentence(fix) };
  }
}

function sentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}

/** What is wrong, above everything else. */
export function Notices({
  connection,
  standing,
}: {
  readonly connection: Connection;
  readonly standing: Standing;
}): JSX.Element {
  const notice = noticeOf(connection, standing);
  return (
    <div role="alert" class="notices">
      {notice ? (
        <p class={`notice notice-${notice.tone}`}>
          <strong>{notice.what}</strong> {notice.fix}
        </p>
      ) : undefined}
      {connection === 'open' && standing.held !== undefined ? (
        <p class="notice notice-warn">
          <strong>No restart begins:</strong> everything is {standing.held}.
        </p>
      ) : undefined}
      {connection === 'open' && standing.missing.length > 0 ? (
        <p class="notice notice-warn">
          <strong>Some of it is missing:</strong> {standing.missing.join('; ')}.
        </p>
      ) : undefined}
    </div>
  );
}
