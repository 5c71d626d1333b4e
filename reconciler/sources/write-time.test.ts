import { expect, it } from '@jest/globals';
import { beforeNextWriteMs, wholeSecond, writeTimeMs } from './write-time';

it.each([
  ['sets something: its own time', true, 2_000, 2_000],
  ['sets something within the second of the one before: that second', true, 1_000, 1_000],
  ['removes and sets: its own time', false, 2_000, 2_000],
  ['removes and sets nothing: when it was seen', false, 1_000, 9_000],
  ['removes all that a newer write had set: when it was seen', false, 500, 9_000],
  ['took the times away: when it was seen', true, 0, 9_000],
])('a write that %s', (_what, sets, writtenAtMs, expected) => {
  expect(writeTimeMs({ formerMs: 1_000, writtenAtMs, seenMs: 9_000 }, sets)).toBe(expected);
});

it.each([
  ['the next write left its time', 2_000, 2_000],
  ['the next write left a time after that', 9_000, 5_000],
  ['the next write left none', 1_000, 5_000],
])('a write that was seen at 5 s was made at the latest when %s', (_what, writtenAtMs, expected) => {
  expect(beforeNextWriteMs(5_000, { formerMs: 1_000, writtenAtMs })).toBe(expected);
});

it('a write is not seen before it was made, whatever our clock says', () => {
  expect(writeTimeMs({ formerMs: 5_000, writtenAtMs: 5_000, seenMs: 3_000 }, false)).toBe(5_000);
});

it('a write is seen in a second that had begun', () => {
  expect(wholeSecond(1_999)).toBe(1_000);
});
