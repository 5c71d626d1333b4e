import { expect, it } from '@jest/globals';
import { cameAfter } from './came-after';
import { at, sourceRecord } from './records.fixture';

const source = sourceRecord({ createdAtMs: at(0), writtenAtMs: at(60), resourceVersion: '20' });

it.each<[string, boolean, string | undefined, string | undefined, boolean]>([
  ['a newer version that it came with', true, undefined, '11', true],
  ['an older version that it came with', true, undefined, '9', false],
  ['an older version, though the watch showed it later', true, '9', undefined, false],
  ['a newer version with which the watch showed it', true, '11', undefined, true],
  ['a newer version of a later write, and was shown earlier', true, undefined, undefined, false],
  ['a version that is not a number', true, undefined, 'x', false],
  ['a newer version of another etcd', false, undefined, '11', false],
  ['a version of another etcd, and was shown later', false, '9', undefined, true],
])('a source that has %s', (_what, isComparable, shown, came, expected) => {
  const shownSince = new Map(shown === undefined ? [] : ([['cm/app', shown]] as const));
  const workload = { referencedSinceVersion: '10', shownSince };
  expect(cameAfter(workload, source, isComparable, came)).toBe(expected);
});
