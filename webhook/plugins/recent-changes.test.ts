import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { changeRecord } from '../channel/channel.fixture';
import { RecentChanges } from './recent-changes';

const record = changeRecord();
const other = { ...record, digest: 'B'.repeat(22) };

describe('RecentChanges', () => {
  let clock: FakeClock;
  let recent: RecentChanges;
  beforeEach(() => {
    clock = new FakeClock();
    recent = new RecentChanges(clock);
  });

  it('treats the same change in another review as a duplicate', () => {
    expect(recent.isNew(record)).toBe(true);
    expect(recent.isNew({ ...record, id: 'review-2' })).toBe(false);
  });

  it.each<[string, Partial<ChangeRecord>]>([
    ['content', { digest: other.digest }],
    ['user', { user: 'bob' }],
    ['name', { name: 'cache' }],
    ['namespace', { namespace: 'bank' }],
    ['kind', { kind: 'ConfigMap' }],
    ['incarnation', { uid: 'uid-2' }],
  ])('takes another %s for another change', (_what, changed) => {
    recent.isNew(record);
    expect(recent.isNew({ ...record, ...changed })).toBe(true);
  });

  it('counts a change, its revert and the same change again as three', () => {
    expect([record, other, record].map((change) => recent.isNew(change))).toEqual([true, true, true]);
  });

  it('forgets after the window', async () => {
    recent.isNew(record);
    await clock.advance(9_999);
    expect(recent.isNew(record)).toBe(false);
    await clock.advance(1);
    expect(recent.isNew(record)).toBe(true);
  });

  it('remembers no more than 4096 sources', () => {
    for (let index = 0; index < 5_000; index++) recent.isNew({ ...record, name: `db-${index}` });
    expect(recent.size).toBe(4_096);
    expect(recent.isNew({ ...record, name: 'db-4999' })).toBe(false);
    expect(recent.isNew({ ...record, name: 'db-0' })).toBe(true);
  });

  it('drops old entries when a new one is added', async () => {
    for (let index = 0; index < 100; index++) recent.isNew({ ...record, name: `db-${index}` });
    await clock.advance(10_000);
    recent.isNew(record);
    expect(recent.size).toBe(1);
  });
});
