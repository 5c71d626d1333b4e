import { beforeEach, describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import type { Attribution } from '../../shared/domain/plan/attribution';
import type { Change } from '../../shared/domain/plan/change';
import { changeOf } from '../../shared/domain/plan/change.fixture';
import { workloadRecord } from '../../shared/domain/plan/records.fixture';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { KubeEvent } from '../../shared/kube/client/events';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { Deferrals } from './deferrals';

const workload = { key: 'Deployment/shop/web', record: workloadRecord() } as TrackedWorkload;
const held: ClosedGate = { gate: 'hold', untilMs: undefined, detail: 'reroll.dev/hold on namespace shop: freeze' };

const byAlice: Attribution = {
  ...{ users: ['alice'], moreUsers: 0, firstUser: 'alice', manager: 'kubectl' },
  ...{ changedKeys: ['color'], path: 'both', observedAtMs: 0 },
};

let logger: RecordingLogger;
let events: KubeEvent[];
let deferrals: Deferrals;

beforeEach(() => {
  logger = new RecordingLogger();
  events = [];
  deferrals = new Deferrals({ logger, events: { record: (event) => Promise.resolve(void events.push(event)) } });
});

function authorsOf(changes: readonly Change[]): readonly (Attribution | undefined)[] {
  return deferrals.withAuthors(workload.key, changes).map(({ attribution }) => attribution);
}

describe('Deferrals', () => {
  it('tells in log and Event what keeps a restart from beginning', () => {
    deferrals.deferred(workload, [changeOf()], held);
    expect(logger.lines).toMatchObject([
      {
        level: 'info',
        message: 'Deployment shop/web not restarted yet: deferred (reroll.dev/hold on namespace shop: freeze)',
        fields: { workload: 'Deployment shop/web', gate: 'hold' },
      },
    ]);
    expect(events).toMatchObject([
      { type: 'Normal', reason: 'ReloadDeferred', regarding: { kind: 'Deployment', name: 'web' } },
    ]);
    expect(events[0]?.message).toMatch(/^deferred \(reroll\.dev\/hold on namespace shop: freeze\)\. ConfigMap app: /);
  });

  it('tells until when, if that is known', () => {
    const untilMs = Date.parse('2026-12-01T06:00:00Z');
    deferrals.deferred(workload, [changeOf()], { ...held, untilMs });
    expect(logger.lines).toMatchObject([
      {
        message: expect.stringContaining('deferred until 2026-12-01T06:00:00.000Z ('),
        fields: { until: '2026-12-01T06:00:00.000Z' },
      },
    ]);
  });

  it('tells once for each change and each gate, until it is forgotten', () => {
    deferrals.deferred(workload, [changeOf()], held);
    deferrals.deferred(workload, [changeOf()], held);
    expect(events).toHaveLength(1);
    deferrals.deferred(workload, [{ ...changeOf(), changeId: '89abcdef' }], held);
    deferrals.deferred(workload, [changeOf()], { ...held, detail: 'reroll.dev/hold on the workload' });
    expect(events).toHaveLength(3);
    deferrals.forget(workload.key);
    deferrals.deferred(workload, [changeOf()], { ...held, detail: 'reroll.dev/hold on the workload' });
    expect(events).toHaveLength(4);
  });

  it('knows who made the changes, of others it does not say, and forgets it', () => {
    const other = changeOf({ changeId: '89abcdef' });
    deferrals.deferred(workload, [changeOf({ attribution: byAlice })], held);
    expect(authorsOf([changeOf(), other])).toEqual([byAlice, undefined]);
    expect(authorsOf([changeOf({ attribution: { ...byAlice, firstUser: 'bob' } })])).toMatchObject([
      { firstUser: 'bob' },
    ]);
    const byNobody = { ...byAlice, users: [], firstUser: undefined };
    expect(authorsOf([changeOf({ attribution: byNobody })])).toEqual([byAlice]);
    deferrals.forget(workload.key);
    expect(authorsOf([changeOf()])).toEqual([undefined]);
    expect(authorsOf([changeOf({ attribution: byNobody })])).toEqual([byNobody]);
  });

  it('knows the authors of so many restarts of one namespace', () => {
    const name = 'x'.repeat(1_000);
    for (let n = 0; n < 200; n++) {
      const [key, namespace] = n === 0 ? ['a', 'other'] : [String(n), 'shop'];
      const users = Array.from({ length: 10 }, () => name);
      const change = changeOf({ attribution: { ...byAlice, users } });
      deferrals.deferred({ ...workload, key, record: workloadRecord({ namespace }) }, [change], held);
    }
    const known = ['a', ...Array.from({ length: 199 }, (_, n) => String(n + 1))].filter(
      (key) => deferrals.withAuthors(key, [changeOf()])[0]?.attribution,
    );
    expect(known.length * 20_000).toBeLessThan(budgets.deferredNamespaceBytes + 40_000);
    expect(known).toEqual(expect.arrayContaining(['a', '199']));
  });

  it.each(['order', 'stages', 'pace'] as const)(
    'tells once for each change that it waits for its turn, by %s',
    (gate) => {
      deferrals.deferred(workload, [changeOf()], { gate, untilMs: undefined, detail: 'one' });
      deferrals.deferred(workload, [changeOf()], { gate, untilMs: undefined, detail: 'another' });
      expect(events).toHaveLength(1);
      deferrals.deferred(workload, [{ ...changeOf(), changeId: '89abcdef' }], {
        gate,
        untilMs: undefined,
        detail: 'one',
      });
      expect(events).toHaveLength(2);
    },
  );
});
