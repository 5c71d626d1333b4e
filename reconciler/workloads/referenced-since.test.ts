import { describe, expect, it } from '@jest/globals';
import type { Baseline } from '../../shared/domain/baseline/baseline';
import { at, auto, workloadRecord, type WorkloadOptions } from '../../shared/domain/plan/records.fixture';
import { trackingSignature } from '../../shared/domain/workloads/workload';
import { referencedSince, untrackedOf, type Seen, type SeenWorkload } from './referenced-since';

const recorded: Baseline = { sequence: 1, keyId: 'key', sources: new Map() };

/** A workload that was created an hour ago and written five minutes ago, as a watch shows it now. */
function seen(options: WorkloadOptions = {}, more: Partial<Seen> = {}): Seen {
  const record = workloadRecord({ createdAtMs: at(-3600), writtenAtMs: at(-300), annotations: auto, ...options });
  return {
    ...{ record, signature: trackingSignature(record), origin: 'watch', underOtherKey: false },
    ...{ previous: undefined, untracked: undefined, nowMs: at(0), selectedSinceMs: 0, leadingSinceMs: undefined },
    ...more,
  };
}

function before(options: WorkloadOptions = {}, more: Partial<SeenWorkload> = {}): SeenWorkload {
  const { record, signature } = seen({ writtenAtMs: at(-900), ...options });
  return { record, signature, baseline: recorded, referencedSinceMs: at(-1800), ownWriteAtMs: 0, ...more };
}

const other = { uses: ['secret/db'], writtenAtMs: at(-10) } as const;

describe('since when a workload refers to its sources', () => {
  it.each<[string, Seen, ReturnType<typeof referencedSince>]>([
    [
      'is its creation or its last write, for one that is new',
      seen(),
      { createdAtMs: at(-3600), writtenAtMs: at(-300) },
    ],
    [
      'is not before its namespace was selected',
      seen({}, { selectedSinceMs: at(-60) }),
      { createdAtMs: at(-60), writtenAtMs: at(-60) },
    ],
    ['stays where nothing changes that counts', seen({}, { previous: before() }), at(-1800)],
    ['is the write of another template', seen(other, { previous: before() }), at(-10)],
    [
      'stays for a workload without a baseline that asks in another way',
      seen(
        { annotations: { 'reloader.stakater.com/search': 'true' } },
        { previous: before({}, { baseline: undefined }) },
      ),
      at(-1800),
    ],
    [
      'is the previous write that is known, where a list may hide one',
      seen(other, { origin: 'list', previous: before() }),
      at(-900),
    ],
    [
      'is it too for a Rollout whose Deployment was listed',
      { ...seen(other, { previous: before() }), record: { ...seen(other).record, isTemplateListed: true } },
      at(-900),
    ],
    [
      'or our own write, if that was later',
      seen(other, { origin: 'list', previous: before({}, { ownWriteAtMs: at(-200) }) }),
      at(-200),
    ],
    [
      'is the write by which it opted in',
      seen({ writtenAtMs: at(-5) }, { untracked: untrackedOf(before({ annotations: {} }).record) }),
      at(-5),
    ],
    [
      'is that of the object itself, where another one of its name did not opt in',
      seen({}, { untracked: { ...untrackedOf(before({ annotations: {} }).record), uid: 'another' } }),
      { createdAtMs: at(-3600), writtenAtMs: at(-300) },
    ],
  ])('%s', (_what, input, expected) => {
    expect(referencedSince(input)).toEqual(expected);
  });
});

/** The removal of `auto: "false"` leaves no time, and the watch was late. A write that came after it left one. */
describe('if it opted in by a write that is dated by its arrival', () => {
  const arrived = { baseline: undefined, referencedSinceMs: at(0) };
  const asksOtherwise = { annotations: { 'reloader.stakater.com/search': 'true' } };

  it.each<[string, Seen, number]>([
    ['a later write tells that it was before that', seen({}, { previous: before({}, arrived) }), at(-300)],
    ['so does one that asks in another way', seen(asksOtherwise, { previous: before({}, arrived) }), at(-300)],
    [
      'a later write without a time tells nothing',
      seen({ writtenAtMs: at(-900) }, { previous: before({}, arrived) }),
      at(0),
    ],
    ['a write after its arrival tells nothing', seen({ writtenAtMs: at(5) }, { previous: before({}, arrived) }), at(0)],
    [
      'a later write tells nothing about a baseline',
      seen({}, { previous: before({}, { referencedSinceMs: at(0) }) }),
      at(0),
    ],
    [
      'a selection of its namespace counts before that',
      seen({}, { previous: before({}, arrived), selectedSinceMs: at(-60) }),
      at(-60),
    ],
    [
      'and never makes it later',
      seen({}, { previous: before({}, { ...arrived, referencedSinceMs: at(-200) }), selectedSinceMs: at(-60) }),
      at(-200),
    ],
  ])('%s', (_what, input, expected) => {
    expect(referencedSince(input)).toEqual(expected);
  });
});

describe('with a baseline under another key', () => {
  const underOtherKey = true;
  const theirs = { baseline: 'theirs' };

  it.each<[string, Seen, number]>([
    ['is now, for a standby', seen(theirs, { underOtherKey }), at(1)],
    ['is the begin of the term, for a leader', seen(theirs, { underOtherKey, leadingSinceMs: at(-60) }), at(-59)],
    [
      'is the creation, if that is later',
      seen({ ...theirs, createdAtMs: at(-20) }, { underOtherKey, leadingSinceMs: at(-60) }),
      at(-20),
    ],
    [
      'is now, for one that replaces another baseline',
      seen(theirs, { underOtherKey, leadingSinceMs: at(-60), previous: before({ baseline: 'ours' }) }),
      at(1),
    ],
    [
      'is the opt-in, if that is later than the begin of the term',
      seen(
        { ...theirs, writtenAtMs: at(-5) },
        {
          ...{ underOtherKey, leadingSinceMs: at(-60) },
          untracked: untrackedOf(before({ annotations: {} }).record),
        },
      ),
      at(-5),
    ],
  ])('%s', (_what, input, expected) => {
    expect(referencedSince(input)).toBe(expected);
  });
});
