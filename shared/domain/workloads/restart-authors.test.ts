import { describe, expect, it } from '@jest/globals';
import type { Attribution } from '../plan/attribution';
import { lastRestartAnnotation } from '../plan/describe-change';
import { changeOf } from '../plan/change.fixture';
import { readLastRestart } from './last-restart';
import { restartAuthors } from './restart-authors';

const atMs = Date.UTC(2026, 0, 1, 12, 30);

function noted(users: readonly string[], moreUsers = 0): string {
  const attribution: Attribution = {
    ...{ users, moreUsers, firstUser: users[0], manager: undefined, changedKeys: [] },
    ...{ path: 'webhook', observedAtMs: atMs },
  };
  return lastRestartAnnotation('0123abcd', atMs, [changeOf({ attribution })]);
}

describe('who caused the last restart', () => {
  it.each<[string, readonly string[], number, readonly string[], number]>([
    ['one user', ['alice'], 0, ['alice'], 0],
    ['a few', ['alice', 'bob'], 3, ['alice', 'bob'], 3],
    ['many, of whom five are named', ['a', 'b', 'c', 'd', 'e', 'f', 'g'], 0, ['a', 'b', 'c', 'd', 'e'], 2],
    ['a name with quotes and brackets', ['"],"by":["eve"]'], 0, ['"],"by":["eve"]'], 0],
    ['a name that could control a terminal', ['\u001b[2J'], 0, [String.raw`\u001b[2J`], 0],
  ])('is read of %s', (_what, users, more, by, moreUsers) => {
    expect(readLastRestart(noted(users, more))).toMatchObject({ authors: { by, moreUsers } });
  });

  it('is not known without the webhook', () => {
    expect(readLastRestart(noted([]))).not.toHaveProperty('authors');
  });

  it.each(['', '{"by":["alice"]}', ',"by":"alice"', ',"by":[]', ',"by":["alice",7]', ',"by":["a\nb"]', ',"by":["a"'])(
    'is not read from %j, which Reroll does not write',
    (text) => expect(restartAuthors(text)).toBeUndefined(),
  );

  it('is kept once, however many workloads it is written on', () => {
    const [first, second] = [noted(['alice', 'bob']), noted(['alice', 'bob']).replace('0123abcd', 'ffffffff')];
    expect(readLastRestart(first)?.authors).toBe(readLastRestart(second)?.authors);
  });
});
