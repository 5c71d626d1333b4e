import { expect, it } from '@jest/globals';
import { changeOf } from '../plan/change.fixture';
import { lastRestartAnnotation } from '../plan/describe-change';
import { workloadRecord } from '../plan/records.fixture';
import { readLastRestart } from './last-restart';

const atMs = Date.UTC(2026, 0, 1, 12, 30);

it('reads what a restart writes, whatever follows', () => {
  expect(readLastRestart(lastRestartAnnotation('0123abcd', atMs, []))).toEqual({ atMs, id: '0123abcd' });
  expect(readLastRestart(`{"at":"2026-01-01T12:30:00.000Z","id":"0123abcd"${' '.repeat(100_000)}`)).toEqual({
    atMs,
    id: '0123abcd',
  });
});

it('tells the changes that it answers from those that an earlier one answered', () => {
  const change = changeOf();
  const text = lastRestartAnnotation('0123abcd', atMs, [change], { earlierChangeIds: ['deadbeef'] });
  expect(readLastRestart(text)).toMatchObject({
    changeIds: [change.changeId, 'deadbeef'],
    earlierChangeIds: ['deadbeef'],
  });
});

it('tells the changes of sources that it does not name from those that an earlier one answered', () => {
  const changes = Array.from({ length: 22 }, (_, n) => changeOf({ name: `app-${n}`, changeId: `0000000${n % 10}` }));
  const read = readLastRestart(lastRestartAnnotation('0123abcd', atMs, changes));
  expect(read?.changeIds?.slice(-2)).toEqual(['00000000', '00000001']);
  expect(read).not.toHaveProperty('earlierChangeIds');
});

it.each([
  undefined,
  '',
  'null',
  '{}',
  '{"at":"yesterday, some time","id":"0123abcd"}',
  '{"at":"2026-13-01T12:30:00.000Z","id":"0123abcd"}',
  '{"at":"-271820-01-01T12:30:00.000Z","id":"0123abcd"}',
  '{"at":"9999-12-31T24:00:00.000Z","id":"0123abcd"}',
  '{"at":"2026-01-01T12:30:00.000Z","id":"<b>"}',
  '{"at":"2026-01-01T12:30:00.000Z","id":"0123abcd0123abcd"}',
  '{"id":"0123abcd","at":"2026-01-01T12:30:00.000Z"}',
])('finds nothing in %j', (text) => {
  expect(readLastRestart(text)).toBeUndefined();
});

it('is part of a workload that was restarted, and of no other', () => {
  const annotations = { 'reroll.dev/last-restart': lastRestartAnnotation('0123abcd', atMs, []) };
  expect(workloadRecord({ annotations }).lastRestart).toEqual({ atMs, id: '0123abcd' });
  expect('lastRestart' in workloadRecord()).toBe(false);
});
