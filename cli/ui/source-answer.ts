import { describeLater } from '../../shared/domain/protocol/deferral';
import type { ReadUsers } from '../users/read-users';
import { headlineOf, keysOf, stagesText } from '../users/users-text';
import type { SourceAnswer } from './model/answers';
import { answeredByText } from './standing';

/** What `reroll users` says, in parts for the page. */
export function sourceAnswer({ account, silence, leader, idle, selector }: ReadUsers): SourceAnswer {
  const { kind, namespace, name, presence, stages, users, moreUsers = 0 } = account;
  const lines = users.map((user) => ({
    ...{ kind: user.kind, name: user.name, restarts: user.restarts, keys: keysOf(user) },
    ...{ by: user.rule ?? '', because: becauseOf(user) },
  }));
  return {
    ...{ kind, namespace, name, headline: headlineOf(account, { idle, selector }), isBad: presence === 'absent' },
    ...(stages && { stages: { text: stagesText(stages), isBad: stages.isStopped } }),
    answeredBy: answeredByText(leader, silence),
    users: lines.toSorted((left, right) => Number(right.restarts) - Number(left.restarts)),
    moreUsers,
  };
}

function becauseOf({ why, deferred }: ReadUsers['account']['users'][number]): string {
  return deferred ? `${why}; it restarts ${describeLater(deferred)}` : why;
}
