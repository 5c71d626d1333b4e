import { describe, expect, it } from '@jest/globals';
import { baselineHeadline } from './status-headline';

const since = '2026-11-25T22:00:00.000Z';
const account = { kind: 'Deployment', since };
const eventOf = (reason: string, afterMs: number, message: string) => ({
  ...{ atMs: Date.parse(since) + afterMs, type: 'Warning' },
  ...{ reason, message },
});
const removed = eventOf('BaselineRemoved', -1_000, 'annotation reroll.dev/baseline is not stored');
const failed = eventOf('ReloadFail', 5_000, 'the write was refused');
const old = eventOf('BaselineRemoved', -60_000, 'of an earlier time');
const deferred = eventOf('ReloadDeferred', 5_000, 'deferred');
const mayNotPatch = 'missing permission to patch deployments.apps: their baselines are kept in memory';
const mayNotPatchOthers = 'missing permission to patch cronjobs.batch: their baselines are kept in memory';

describe('a baseline that is not stored', () => {
  it.each([
    ['an Event that it was removed', [removed], ['missing permission to list pods'], `: ${removed.message}`],
    ['an Event of a failed restart, the newer one', [failed, removed], [], `: ${failed.message}`],
    ['a missing permission to patch', [deferred, old], [mayNotPatch], `: ${mayNotPatch}`],
    ['an Event before a missing permission', [removed], [mayNotPatch], `: ${removed.message}`],
    ['the one of its own kind', [], [mayNotPatchOthers, mayNotPatch], `: ${mayNotPatch}`],
    ['no missing permission to patch another kind', [], [mayNotPatchOthers], ''],
    ['nothing that is known', [deferred, old], [], ''],
  ])('is explained by %s', (_what, events, missingPermissions, cause) => {
    expect(
      baselineHeadline({ account: { ...account, waitsFor: 'baseline-write' }, events, missingPermissions }),
    ).toEqual({
      text: `is in step, but its newest baseline is not stored, so the next leader may restart it again, or miss a change made while Reroll is down${cause}`,
      isBad: true,
    });
  });

  it('is told of nobody who does not wait for it', () => {
    const about = { account: { ...account, waitsFor: 'baseline-turn' }, events: [removed], missingPermissions: [] };
    expect(baselineHeadline(about)).toBeUndefined();
  });
});
