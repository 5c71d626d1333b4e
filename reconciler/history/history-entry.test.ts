import { describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import type { Attribution } from '../../shared/domain/plan/attribution';
import { changeOf } from '../../shared/domain/plan/change.fixture';
import { lastRestartAnnotation } from '../../shared/domain/plan/describe-change';
import { historyEntrySchema } from '../../shared/domain/protocol/history';
import { writtenLine } from '../../shared/domain/protocol/history-line';
import { readRestartCause } from '../../shared/domain/workloads/restart-cause';
import { entryOf, entryOfCause } from './history-entry';

const atMs = Date.UTC(2026, 0, 1, 12);
const target = { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' } as const;
const identity = { at: '2026-01-01T12:00:00.000Z', id: 'c0ffee00', kind: 'Deployment', namespace: 'shop', name: 'web' };
const decided = { id: 'c0ffee00', atMs, target, strategy: 'env-vars' } as const;
const rolling = { outcome: 'rolling' } as const;
const attribution: Attribution = {
  ...{ users: ['bob', 'alice'], moreUsers: 0, firstUser: 'alice', manager: 'kubectl-edit' },
  ...{ changedKeys: ['color'], path: 'both' as const, observedAtMs: atMs - 1_500 },
};

describe('an entry', () => {
  it('names sources, keys, the first author and when the change was seen', () => {
    const db = changeOf({ kind: 'Secret', name: 'db', changeId: '0badcafe', comparison: undefined });
    expect(entryOf({ ...decided, changes: [changeOf({ attribution }), db] }, rolling)).toEqual({
      ...{ ...identity, strategy: 'env-vars', outcome: 'rolling' },
      causes: [
        {
          ...{ kind: 'ConfigMap', name: 'app', change: '9f3e11aa', why: 'content changed', keys: ['color'] },
          ...{ author: 'alice', manager: 'kubectl-edit', changedAt: '2026-01-01T11:59:58.500Z' },
        },
        { kind: 'Secret', name: 'db', change: '0badcafe', why: expect.any(String) },
      ],
    });
  });

  it('from the annotation has as much of that as the annotation', () => {
    const text = lastRestartAnnotation('c0ffee00', atMs, [
      changeOf({ attribution: { ...attribution, users: ['alice'] } }),
    ]);
    const entry = entryOfCause(target, readRestartCause(text)!, rolling);
    expect(entry).toEqual({
      ...{ ...identity, outcome: 'rolling' },
      causes: [
        {
          kind: 'ConfigMap',
          name: 'app',
          change: '9f3e11aa',
          why: 'content changed',
          keys: ['color'],
          author: 'alice',
        },
      ],
    });
  });

  it('from the annotation names nobody if it names several: which of them changed what is not in it', () => {
    const text = lastRestartAnnotation('c0ffee00', atMs, [changeOf({ attribution })]);
    expect(entryOfCause(target, readRestartCause(text)!, rolling).causes[0]).not.toHaveProperty('author');
  });

  it.each([1, 20, 300])('of %i changes with the longest names stays within its bound, and tells how many', (count) => {
    const changedKeys = Array.from({ length: 200 }, (_, index) => `${index}${'k'.repeat(250)}`);
    const long = { ...attribution, firstUser: 'u'.repeat(1_000), manager: 'ü'.repeat(1_000), changedKeys };
    const name = 'n'.repeat(253);
    const changes = Array.from({ length: count }, () => changeOf({ name, attribution: long, comparison: undefined }));
    const entry = entryOf({ ...decided, changes }, rolling);
    expect(writtenLine(entry).length).toBeLessThanOrEqual(budgets.historyEntryBytes);
    expect(historyEntrySchema.parse(entry)).toEqual(entry);
    expect(entry.causes.length).toBeGreaterThan(0);
    expect(entry.causes.length + (entry.moreCauses ?? 0)).toBe(count);
  });
});
