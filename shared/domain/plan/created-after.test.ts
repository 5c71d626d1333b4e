import { expect, it } from '@jest/globals';
import { isCreatedAfter } from './created-after';
import { at, sourceRecord } from './records.fixture';

const created = { createdAtMs: at(0) };

it.each([
  ['a newer version', true, { resourceVersion: '11' }, [], true],
  ['an older version, though it was shown after', true, { resourceVersion: '9' }, ['cm/app'], false],
  [
    'a version of a later write, and was shown after',
    true,
    { resourceVersion: '11', writtenAtMs: at(60) },
    ['cm/app'],
    true,
  ],
  ['a version of a later write, and was shown before', true, { resourceVersion: '11', writtenAtMs: at(60) }, [], false],
  ['a version that is no number', true, { resourceVersion: 'x' }, [], false],
  ['a newer version of another etcd', false, { resourceVersion: '11' }, [], false],
  ['a version of another etcd, and was shown after', false, { resourceVersion: '9' }, ['cm/app'], true],
])('a source that has %s', (_what, isComparable, record, came, expected) => {
  const workload = { referencedSinceVersion: '10', createdSince: new Set(came) };
  expect(isCreatedAfter(workload, sourceRecord({ ...created, ...record }), isComparable)).toBe(expected);
});
