import { expect, it } from '@jest/globals';
import { isCreatedAfter } from './created-after';
import { at, sourceRecord } from './records.fixture';

const created = { createdAtMs: at(0) };

it.each([
  ['a newer version', true, { resourceVersion: '11' }, [], true],
  ['an older version, though the watch showed it later', true, { resourceVersion: '9' }, ['cm/app'], false],
  [
    'a version of a later write, and was shown later',
    true,
    { resourceVersion: '11', writtenAtMs: at(60) },
    ['cm/app'],
    true,
  ],
  [
    'a version of a later write, and was shown earlier',
    true,
    { resourceVersion: '11', writtenAtMs: at(60) },
    [],
    false,
  ],
  ['a version that is not a number', true, { resourceVersion: 'x' }, [], false],
  ['a newer version of another etcd', false, { resourceVersion: '11' }, [], false],
  ['a version of another etcd, and was shown later', false, { resourceVersion: '9' }, ['cm/app'], true],
])('a source that has %s', (_what, isComparable, record, shown, expected) => {
  const workload = { referencedSinceVersion: '10', createdSince: new Set(shown) };
  expect(isCreatedAfter(workload, sourceRecord({ ...created, ...record }), isComparable)).toBe(expected);
});
