import { describe, expect, it } from '@jest/globals';
import type { HistoryEntry, WorkloadRow } from './live-message';
import { timelineOf } from './timeline';

const all = { search: '', namespace: '' };
const at = '2026-01-01T12:00:00.000Z';

function entry(more: Partial<HistoryEntry> = {}): HistoryEntry {
  return {
    ...{ at, id: '3f9c2a71', kind: 'Deployment', namespace: 'shop', name: 'web', strategy: 'env-vars' },
    causes: [
      {
        ...{ kind: 'ConfigMap', name: 'app', change: '9f3e11aa', why: 'content changed', keys: ['color'] },
        ...{ author: 'alice', manager: 'kubectl-edit', changedAt: '2026-01-01T11:59:58.500Z' },
      },
    ],
    ...{ outcome: 'healthy', outcomeAt: '2026-01-01T12:00:21.300Z' },
    ...more,
  };
}

function row(name: string, more: Partial<WorkloadRow> = {}): WorkloadRow {
  return { kind: 'Deployment', namespace: 'shop', name, state: 'in-step', ...more };
}

const steps = (more: Partial<HistoryEntry>): readonly string[] =>
  timelineOf([], [entry(more)], all).past.flatMap((item) =>
    item.steps.map(({ is, state, title, detail }) => `${is} ${state}: ${title}${detail === '' ? '' : ` (${detail})`}`),
  );

describe('a restart in the timeline', () => {
  const [change, decision] = ['change done: ConfigMap app (alice)', 'decision done: restart (env-vars · 3f9c2a71)'];

  it.each<[string, Partial<HistoryEntry>, readonly string[]]>([
    ['healthy', {}, [change, decision, 'rollout done: rollout (21.3 s)', 'outcome done: healthy']],
    [
      'known by its workload alone',
      { strategy: undefined, causes: [], outcome: 'unknown', outcomeAt: undefined },
      [
        'change done: change (author not known)',
        'decision done: restart (3f9c2a71)',
        'rollout unknown: rollout (not seen)',
        'outcome unknown: unknown',
      ],
    ],
    [
      'still rolling',
      { outcome: 'rolling', outcomeAt: undefined },
      [change, decision, 'rollout running: rollout (pods are being replaced)', 'outcome running: not healthy yet'],
    ],
    [
      'unhealthy',
      { outcome: 'unhealthy', reason: '2 of 3 pods are ready after 10m' },
      [
        change,
        decision,
        'rollout failed: rollout (21.3 s)',
        'outcome failed: unhealthy (2 of 3 pods are ready after 10m)',
      ],
    ],
    [
      'refused',
      { outcome: 'failed', reason: 'INVALID' },
      [change, 'decision failed: refused (env-vars · 3f9c2a71)', 'outcome failed: failed (INVALID)'],
    ],
    [
      'withheld in a dry run',
      { outcome: 'dry-run' },
      [change, 'decision done: withheld (env-vars · 3f9c2a71)', 'outcome done: dry run'],
    ],
    [
      'of an outcome that nobody saw',
      { outcome: 'unknown', outcomeAt: undefined },
      [change, decision, 'rollout unknown: rollout (not seen)', 'outcome unknown: unknown'],
    ],
    [
      'of a newer leader',
      { outcome: 'rolled-back' },
      [change, decision, 'rollout done: rollout (21.3 s)', 'outcome unknown: rolled back'],
    ],
  ])('goes from change to outcome: %s', (_what, more, expected) => {
    expect(steps(more)).toEqual(expected);
  });

  it('names all authors once, or that none is known', () => {
    const cause = entry().causes[0]!;
    const causes = [cause, { ...cause, name: 'other', author: undefined }, { ...cause, name: 'third' }];
    expect(steps({ causes })[0]).toBe('change done: ConfigMap app and 2 more (alice, kubectl-edit)');
    const unknown = { ...cause, author: undefined, manager: undefined };
    expect(steps({ causes: [unknown] })[0]).toBe('change done: ConfigMap app (author not known)');
  });

  it('counts the changes that its entry does not name', () => {
    const causes = entry().causes;
    expect(steps({ causes, moreCauses: 5 })[0]).toBe('change done: ConfigMap app and 5 more (alice)');
    expect(steps({ causes: [], moreCauses: 25 })[0]).toBe('change done: 25 changes (author not known)');
    expect(timelineOf([], [entry({ moreCauses: 5 }), entry({ id: '00000000' })], all).past).toMatchObject([
      { moreCauses: 5 },
      { moreCauses: 0 },
    ]);
  });

  it.each([
    ['alice', 1],
    ['color', 1],
    ['9f3e11aa', 1],
    ['configmap/app', 1],
    ['bob', 0],
  ])('is found by %s', (search, count) => {
    expect(timelineOf([], [entry()], { ...all, search }).past).toHaveLength(count);
  });

  it('is of the namespace that is chosen', () => {
    expect(timelineOf([row('web', { state: 'pending' })], [entry()], { ...all, namespace: 'billing' })).toEqual({
      ...{ now: [], moreNow: 0, past: [] },
    });
  });
});

describe('what is under way', () => {
  it('is the newest first, what is blocked last, and the rest as a number', () => {
    const rows = [
      row('idle'),
      row('blocked', { state: 'blocked', since: '2026-01-01T12:00:09.000Z' }),
      row('old', { state: 'pending', since: at }),
      ...Array.from({ length: 8 }, (_, index) =>
        row(`new-${index}`, { state: 'waiting', since: `2026-01-01T12:00:0${index + 1}.000Z` }),
      ),
    ];
    const { now, moreNow } = timelineOf(rows, [], all);
    expect(now.map(({ name }) => name)).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map((index) => `new-${index}`));
    expect(moreNow).toBe(2);
    expect(timelineOf(rows.slice(0, 3), [], all).now.map(({ name }) => name)).toEqual(['old', 'blocked']);
  });
});

describe('a restart that only the workload tells of', () => {
  const restarted = row('web', { lastRestartAt: '2026-01-01T12:00:00.000Z' });

  it('has its time alone', () => {
    expect(timelineOf([restarted], [], all).past).toMatchObject([{ name: 'web', at, steps: [], causes: [] }]);
  });

  it.each([
    ['the history has it', entry(), 1],
    ['the history has it, with the fraction of the second', entry({ at: '2026-01-01T12:00:00.400Z' }), 1],
    ['the history begins later', entry({ at: '2026-01-01T13:00:00.000Z' }), 2],
    ['the history has yet to tell it', entry({ at: '2026-01-01T11:00:00.000Z' }), 1],
  ])('is there once: %s', (_what, remembered, count) => {
    expect(timelineOf([restarted], [remembered], all).past).toHaveLength(count);
  });
});

it('shows at most 200 restarts', () => {
  const many = Array.from({ length: 500 }, (_, index) => entry({ at: new Date(index * 1_000).toISOString() }));
  const { past } = timelineOf([], many, all);
  expect([past.length, past[0]?.at]).toEqual([200, new Date(499_000).toISOString()]);
});
