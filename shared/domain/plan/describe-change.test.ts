import { describe, expect, it } from '@jest/globals';
import type { Comparison, ComparisonReason } from '../baseline/comparison';
import { readLastRestart } from '../workloads/last-restart';
import { changeOf } from './change.fixture';
import type { Attribution } from './attribution';
import {
  describeChange,
  describeChanges,
  describeRemovers,
  describeVerdict,
  describeWorkload,
  lastRestartAnnotation,
} from './describe-change';

const nowMs = Date.UTC(2026, 0, 1, 12);

function compared(because: ComparisonReason, changedKeys?: readonly string[]): { readonly comparison: Comparison } {
  return { comparison: { restart: true, because, recorded: '-', ...(changedKeys && { changedKeys }) } };
}

const names = (count: number, prefix = 'k') => Array.from({ length: count }, (_, n) => `${prefix}${String(n + 1)}`);

describe('describeVerdict', () => {
  it.each<[Parameters<typeof changeOf>[0], string]>([
    [compared('content-changed', ['color', 'size']), 'ConfigMap app: content changed (keys: color, size)'],
    [compared('content-changed', []), 'ConfigMap app: content changed'],
    [compared('content-changed'), 'ConfigMap app: content changed'],
    [compared('unchanged'), 'ConfigMap app: the content it uses has not changed'],
    [compared('first-seen'), 'ConfigMap app: it is seen for the first time'],
    [compared('changed-since-birth'), 'ConfigMap app: content changed after the workload started to use it'],
    [
      compared('in-doubt'),
      'ConfigMap app: content may have changed after the workload started to use it; restarting once is the safer choice',
    ],
    [
      compared('changed-back'),
      'ConfigMap app: it was changed back, and pods that started in between may have what it was then',
    ],
    [compared('created'), 'ConfigMap app: it was created'],
    [compared('created-ignored'), 'ConfigMap app: it was created, and --reload-on-create is off'],
    [compared('deleted'), 'ConfigMap app: it was deleted'],
    [compared('deleted-ignored'), 'ConfigMap app: it was deleted, and --reload-on-delete is off'],
    [{ decision: 'not-watched', comparison: undefined }, 'ConfigMap app: its kind is not watched'],
    [{ decision: 'excluded', comparison: undefined }, "ConfigMap app: the workload's exclude list names the source"],
    [{ kind: 'Secret', name: 'db' }, 'Secret db: content changed (keys: color)'],
  ])('%#: %s', (verdict, text) => {
    expect(describeVerdict(changeOf(verdict))).toBe(text);
  });

  it('names twenty keys and counts the rest', () => {
    expect(describeVerdict(changeOf(compared('content-changed', names(20))))).toMatch(/k20\)$/);
    const text = describeVerdict(changeOf(compared('content-changed', names(23))));
    expect(text).toMatch(/k20 and 3 more\)$/);
  });
});

describe('describeChanges', () => {
  const changes = (count: number) => names(count, 'app-').map((name) => changeOf({ name }));

  it('names twenty sources and counts the rest', () => {
    expect(describeChanges(changes(1))).toBe('ConfigMap app-1: content changed (keys: color) (change 9f3e11aa)');
    expect(describeChanges(changes(2))).toMatch(/^ConfigMap app-1: .*\); ConfigMap app-2: .*\)$/);
    expect(describeChanges(changes(20))).not.toContain('more');
    expect(describeChanges(changes(23))).toMatch(/app-20: [^;]*; and 3 more$/);
  });
});

it('describeWorkload names kind, namespace and name', () => {
  expect(describeWorkload({ kind: 'Job', namespace: 'shop', name: 'migrate' })).toBe('Job shop/migrate');
});

describe('lastRestartAnnotation', () => {
  it('names the time, the restart, the sources and the keys', () => {
    const changes = [changeOf(), changeOf({ kind: 'Secret', name: 'db', ...compared('in-doubt') })];
    expect(lastRestartAnnotation('c0ffee00', nowMs, changes)).toBe(
      '{"at":"2026-01-01T12:00:00.000Z","id":"c0ffee00","changes":{"cm/app":"9f3e11aa","secret/db":"9f3e11aa"},' +
        '"sources":{"cm/app":["color"],"secret/db":null}}',
    );
  });

  it('marks a restart that has yet to take effect', () => {
    const text = lastRestartAnnotation('c0ffee00', nowMs, [changeOf()], { isLeftToNextRun: true });
    expect(JSON.parse(text)).toMatchObject({ id: 'c0ffee00', effect: 'next-run' });
    expect(JSON.parse(lastRestartAnnotation('c0ffee00', nowMs, [changeOf()]))).not.toHaveProperty('effect');
  });

  it('names other changes whose contents the pods have by their ids alone, and few of them', () => {
    const earlierChangeIds = names(30, '0000000').map((name) => name.slice(-8));
    const text = lastRestartAnnotation('c0ffee00', nowMs, [changeOf()], { earlierChangeIds });
    expect(JSON.parse(text)).toMatchObject({ also: earlierChangeIds.slice(0, 20) });
    expect(JSON.parse(lastRestartAnnotation('c0ffee00', nowMs, [changeOf()]))).not.toHaveProperty('also');
  });

  it('stays short: at most twenty sources with twenty keys each', () => {
    const changes = names(30, 'app-').map((name) => changeOf({ name, ...compared('content-changed', names(30)) }));
    const { sources } = JSON.parse(lastRestartAnnotation('c0ffee00', nowMs, changes)) as {
      sources: Record<string, string[]>;
    };
    expect(Object.values(sources).map((keys) => keys.length)).toEqual(Array(20).fill(20));
  });

  it('stays short: of long keys it names those that fit', () => {
    const long = names(20, 'k'.repeat(200));
    const changes = names(20, 'app-').map((name) => changeOf({ name, ...compared('content-changed', long) }));
    const text = lastRestartAnnotation('c0ffee00', nowMs, [...changes.slice(0, 19), changeOf({ name: 'app-20' })]);
    const { sources } = JSON.parse(text) as { sources: Record<string, string[] | null> };
    expect(Buffer.byteLength(text)).toBeLessThan(20_000);
    expect([sources['cm/app-4'], sources['cm/app-5']?.length, sources['cm/app-6']]).toEqual([long, 1, null]);
  });
});

it('which changes a restart answers, and who made them, is read also where many long keys have changed', () => {
  const changedKeys = names(20, 'dashboards.of-the-team-for-payments.overview-of-');
  const attribution: Attribution = {
    ...{ users: ['alice'], moreUsers: 0, firstUser: 'alice', manager: undefined },
    ...{ changedKeys, path: 'both', observedAtMs: nowMs },
  };
  const changes = names(20, 'app-').map((name, index) => {
    const changeId = String(10_000_000 + index);
    return changeOf({ name, changeId, attribution, ...compared('content-changed', changedKeys) });
  });
  const earlierChangeIds = ['c0ffee01'];
  const read = readLastRestart(lastRestartAnnotation('c0ffee00', nowMs, changes, { earlierChangeIds }));
  const changeIds = [...changes.map(({ changeId }) => changeId), ...earlierChangeIds];
  expect(read).toMatchObject({ changeIds, authors: { by: ['alice'] } });
});

describe('the author of a change', () => {
  const attribution: Attribution = {
    users: ['alice', 'bob'],
    moreUsers: 0,
    firstUser: 'bob',
    manager: 'kubectl-edit',
    changedKeys: ['color'],
    path: 'both',
    observedAtMs: nowMs,
  };

  it('is named after what changed', () => {
    const text = 'ConfigMap app: content changed (keys: color) by alice, bob (kubectl-edit)';
    expect(describeChange(changeOf({ attribution }))).toBe(text);
    expect(describeChanges([changeOf({ attribution })])).toBe(`${text} (change 9f3e11aa)`);
  });

  it('comes with the keys that the baseline does not know', () => {
    const change = changeOf({ ...compared('content-changed'), attribution });
    expect(describeChange(change)).toContain('(keys: color)');
    expect(lastRestartAnnotation('1', nowMs, [change])).toContain('{"cm/app":["color"]}');
  });

  it('may be known without the field manager, or not at all', () => {
    expect(describeChange(changeOf({ attribution: { ...attribution, manager: undefined } }))).toMatch(
      / by alice, bob$/,
    );
    expect(describeChange(changeOf({ attribution: { ...attribution, users: [] } }))).toMatch(/color\)$/);
  });

  it('is followed by the number of further authors', () => {
    expect(describeChange(changeOf({ attribution: { ...attribution, moreUsers: 12 } }))).toMatch(
      / by alice, bob and 12 more \(kubectl-edit\)$/,
    );
  });

  it('is in the annotation: up to five names, and the number of the rest', () => {
    const by = (...changes: readonly Partial<Attribution>[]): unknown =>
      JSON.parse(
        lastRestartAnnotation(
          '1',
          nowMs,
          changes.map((change) => changeOf({ attribution: { ...attribution, ...change } })),
        ),
      );
    expect(by({})).toMatchObject({ by: ['alice', 'bob'] });
    expect(by({})).not.toHaveProperty('byMore');
    expect(by({ users: names(5, 'u'), firstUser: 'u5', moreUsers: 12 })).toMatchObject({
      by: names(5, 'u'),
      byMore: 12,
    });
    const second = { users: ['eve', 'mallory'], firstUser: 'mallory', moreUsers: 3 };
    expect(by({ users: names(5, 'u'), firstUser: 'u5' }, second)).toMatchObject({
      by: ['u1', 'u2', 'u3', 'u5', 'mallory'],
      byMore: 5,
    });
    expect(JSON.parse(lastRestartAnnotation('1', nowMs, [changeOf()]))).not.toHaveProperty('by');
  });

  describe('whose name would forge a log line, control a terminal or be invisible', () => {
    const forged = 'a\n\u001b[2J[forged]';
    const escaped = String.raw`a\n\u001b[2J[forged]`;
    const change = changeOf({
      ...compared('content-changed'),
      attribution: { ...attribution, users: [forged], manager: 'm\u202e', changedKeys: ['k\u200b'] },
    });

    it('is escaped in a sentence, like field managers and keys', () => {
      expect(describeChange(change)).toBe(
        String.raw`ConfigMap app: content changed (keys: k\u200b) by ${escaped} (m\u202e)`,
      );
      expect(describeRemovers([forged])).toContain(`Field manager "${escaped}" updates it`);
    });

    it('is escaped in the annotation, also after parsing', () => {
      const text = lastRestartAnnotation('1', nowMs, [change]);
      expect(JSON.parse(text)).toMatchObject({ by: [escaped], sources: { 'cm/app': [String.raw`k\u200b`] } });
    });

    it('is cut to the longest length of a name', () => {
      const long = { ...attribution, users: ['u'.repeat(10_000)], manager: 'm'.repeat(10_000) };
      expect(describeChange(changeOf({ attribution: long })).length).toBeLessThan(600);
      expect(lastRestartAnnotation('1', nowMs, [changeOf({ attribution: long })]).length).toBeLessThan(400);
    });
  });
});
