import { describe, expect, it } from '@jest/globals';
import type { HistoryEntry, LiveMessage, Standing, WorkloadRow } from './live-message';
import { announcement, nothingTold, told, versionOf } from './live-state';

const standing: Standing = { from: 'leader', leader: 'reroll-0', missing: [], hasHistory: true };
const row = (name: string, more: Partial<WorkloadRow> = {}): WorkloadRow => ({
  ...{ kind: 'Deployment', namespace: 'shop', name, state: 'in-step' },
  ...more,
});
const entry = (at: string, outcome = 'rolling'): HistoryEntry => ({
  ...{ at, id: 'a', kind: 'Deployment', namespace: 'shop', name: 'web', strategy: 'env-vars', causes: [], outcome },
});
const whole = (rows: readonly WorkloadRow[]): LiveMessage => ({
  standing,
  rows: { isWhole: true, changed: rows, removed: [] },
});

describe('what the page was told', () => {
  it('begins with everything, and then changes', () => {
    const first = told(nothingTold, whole([row('web'), row('api'), row('db')]));
    const next = told(first, {
      standing,
      rows: { isWhole: false, changed: [row('web', { state: 'pending' })], removed: ['Deployment/shop/db'] },
    });
    expect([...next.rows.values()]).toEqual([row('web', { state: 'pending' }), row('api')]);
    expect(next.justChanged).toEqual(['Deployment/shop/web']);
    expect(first.rows.size).toBe(3);
  });

  it('forgets all that is not in a message with everything, and calls nothing of it changed', () => {
    const next = told(told(nothingTold, whole([row('web')])), whole([row('api')]));
    expect([...next.rows.keys()]).toEqual(['Deployment/shop/api']);
    expect(next.justChanged).toEqual([]);
  });

  it('stays the same object where a message changes nothing', () => {
    const first = told(nothingTold, whole([row('web')]));
    const next = told(first, { standing: { ...standing } });
    expect(next.rows).toBe(first.rows);
    expect(next.history).toBe(first.history);
    expect(next.standing).toBe(first.standing);
  });

  it('has restarts newest first, and their outcomes when they come', () => {
    const [old, young] = ['2026-01-01T12:00:00.000Z', '2026-01-01T13:00:00.000Z'];
    const first = told(nothingTold, {
      standing,
      history: { isWhole: true, changed: [entry(old), entry(young)], removed: [] },
    });
    const next = told(first, { standing, history: { isWhole: false, changed: [entry(old, 'healthy')], removed: [] } });
    expect(next.history).toEqual([entry(young), entry(old, 'healthy')]);
  });

  it('is of one namespace, if the process reads no other', () => {
    expect(told(nothingTold, { standing, namespace: 'shop' }).namespace).toBe('shop');
  });
});

it.each([
  ['nothing', [], undefined],
  ['one', ['web'], 'Deployment web: waiting, waits for pause'],
  ['two', ['web', 'api'], 'Deployment web: waiting, waits for pause; Deployment api: in-step'],
  ['many', ['web', 'api', 'db', 'x'], '4 workloads changed'],
])('a screen reader says what has changed: %s', (_what, names, expected) => {
  const rows = new Map(
    [row('web', { state: 'waiting', waitsFor: 'pause' }), row('api')].map((each) => [
      `Deployment/shop/${each.name}`,
      each,
    ]),
  );
  expect(announcement({ rows, justChanged: names.map((name) => `Deployment/shop/${name}`) })).toBe(expected);
});

describe('what is told of a workload', () => {
  const web = { kind: 'Deployment', namespace: 'shop', name: 'web' };
  const at = '2026-01-01T12:00:00.000Z';
  const first: LiveMessage = {
    ...whole([row('web'), row('api')]),
    history: { isWhole: true, changed: [entry(at)], removed: [] },
  };
  const before = told(nothingTold, first);
  const after = (message: Omit<LiveMessage, 'standing'>): string =>
    versionOf(told(before, { standing, ...message }), web);

  it.each<[string, Omit<LiveMessage, 'standing'>]>([
    ['it waits', { rows: { isWhole: false, changed: [row('web', { state: 'waiting' })], removed: [] } }],
    ['it is gone', { rows: { isWhole: false, changed: [], removed: ['Deployment/shop/web'] } }],
    ['its restart has ended', { history: { isWhole: false, changed: [entry(at, 'healthy')], removed: [] } }],
  ])('is another when %s', (_what, message) => {
    expect(after(message)).not.toBe(versionOf(before, web));
  });

  it('is the same when another workload changes', () => {
    expect(after({ rows: { isWhole: false, changed: [row('api', { state: 'pending' })], removed: [] } })).toBe(
      versionOf(before, web),
    );
    const other = { ...entry(at), id: 'b', name: 'api' };
    expect(after({ history: { isWhole: false, changed: [other], removed: [] } })).toBe(versionOf(before, web));
  });
});
