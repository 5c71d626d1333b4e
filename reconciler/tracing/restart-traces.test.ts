import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Attribution } from '../../shared/domain/plan/attribution';
import { changeOf } from '../../shared/domain/plan/change.fixture';
import { changeSpanId, restartSpanId, traceIdOf } from '../../shared/domain/sources/trace-id';
import type { RestartCause } from '../../shared/domain/workloads/restart-cause';
import { FakeClock } from '../../shared/runtime/fake-clock';
import type { Span } from '../../shared/tracing/span';
import { RecordingSpans } from '../../shared/tracing/span.fixture';
import { entryOf, type Decided } from '../history/history-entry';
import { RestartTraces } from './restart-traces';
import type { Waited } from './waited';

const target = { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'uid-web' } as const;
const traceId = traceIdOf({ kind: 'ConfigMap', namespace: 'shop', name: 'app' }, '9f3e11aa');
const byAlice: Attribution = {
  ...{ users: ['alice'], moreUsers: 0, firstUser: 'alice', manager: 'kubectl' },
  ...{ changedKeys: ['color'], path: 'both', observedAtMs: 0 },
};
const announced = changeOf({ attribution: byAlice });

let clock: FakeClock;
let spans: RecordingSpans;
let traces: RestartTraces;
let startMs: number;

beforeEach(() => {
  clock = new FakeClock();
  spans = new RecordingSpans();
  traces = new RestartTraces({ clock, spans });
  startMs = clock.nowMs();
});

function decided(changed: Partial<Decided> = {}): Decided {
  return { id: 'c0ffee00', atMs: clock.nowMs(), target, strategy: 'env-vars', changes: [announced], ...changed };
}

/** Each span as `name from-to`, in milliseconds since the start. */
function drawn(): readonly string[] {
  return spans.spans.map((span) => `${span.name} ${span.startMs - startMs}-${span.endMs - startMs}`);
}

const looked = (look?: Waited['look']): Waited => ({
  noticedMs: new Map([['cm/app', 100]]),
  settledMs: 1_100,
  look,
});

describe('a restart', () => {
  it('hangs below the admission of its change, from when it was noticed, with its steps', async () => {
    await clock.advance(1_150);
    const restart = decided();
    await clock.advance(30);
    traces.decided('restarted', restart, { waited: looked() });
    expect(drawn()).toEqual(['restart Deployment 100-1180', 'settle 100-1100', 'write Deployment 1150-1180']);
    const [first, ...steps] = spans.spans;
    expect(first).toMatchObject({
      ...{ traceId, spanId: restartSpanId(traceId, 'c0ffee00'), parentSpanId: changeSpanId(traceId) },
      ...{ links: [], error: undefined },
      attributes: {
        ...{ 'k8s.namespace.name': 'shop', 'k8s.deployment.name': 'web', 'k8s.deployment.uid': 'uid-web' },
        ...{ 'reroll.workload': 'Deployment shop/web', 'reroll.source': 'ConfigMap shop/app' },
        ...{ 'reroll.change.id': '9f3e11aa', 'reroll.keys': ['color'], 'reroll.why': 'content changed' },
        ...{ 'reroll.user': 'alice', 'reroll.manager': 'kubectl', 'reroll.decision': 'restarted' },
        ...{ 'reroll.restart.id': 'c0ffee00', 'reroll.strategy': 'env-vars' },
      },
    });
    expect(steps.every((step) => step.traceId === traceId && step.parentSpanId === first?.spanId)).toBe(true);
    expect(new Set(spans.spans.map(({ spanId }) => spanId)).size).toBe(3);
  });

  it.each(['rollout', 'retry', 'permission', 'fix', 'earlier-job'] as const)('shows its wait: %s', async (waitsFor) => {
    await clock.advance(9_000);
    const look = { waitsFor, sinceMs: startMs + 1_200, errorCode: 'CONFLICT' };
    traces.decided('restarted', decided(), { waited: looked(look) });
    expect(drawn()).toContain('wait 1200-9000');
    expect(spans.named('wait')[0]?.attributes).toEqual({ 'reroll.wait': waitsFor, 'error.type': 'CONFLICT' });
  });

  it.each(['pause', 'baseline-write', 'baseline-turn'] as const)('does not wait for: %s', async (waitsFor) => {
    await clock.advance(9_000);
    traces.decided('restarted', decided(), { waited: looked({ waitsFor, sinceMs: startMs }) });
    expect(spans.named('wait')).toEqual([]);
    expect(drawn()).toContain('restart Deployment 100-9000');
  });

  it('that waited for longer than its change is old has waited since that change settled', async () => {
    await clock.advance(9_000);
    traces.decided('restarted', decided(), { waited: looked({ waitsFor: 'retry', sinceMs: startMs - 60_000 }) });
    expect(drawn()).toContain('wait 1100-9000');
  });

  it('that failed before shows what the first try waited for, and then that it was tried again', async () => {
    await clock.advance(1_150);
    traces.postponed({ target, changes: [announced] }, looked());
    await clock.advance(350);
    const look = { waitsFor: 'retry', sinceMs: startMs + 1_160, errorCode: 'KUBE_CONFLICT' } as const;
    traces.decided('restarted', decided(), { waited: { noticedMs: new Map(), settledMs: undefined, look } });
    expect(drawn()).toEqual([
      ...['restart Deployment 100-1500', 'settle 100-1100', 'wait 1160-1500', 'write Deployment 1500-1500'],
    ]);
  });

  it('that is refused again and again has waited since its change was noticed, and the next one has not', async () => {
    await clock.advance(1_150);
    traces.postponed({ target, changes: [announced] }, looked());
    traces.decided('refused', decided(), { waited: looked(), errorCode: 'KUBE_FORBIDDEN' });
    await clock.advance(60_000);
    const look = { waitsFor: 'permission', sinceMs: startMs + 1_150 } as const;
    const again = { noticedMs: new Map<string, number>(), settledMs: undefined, look };
    traces.postponed({ target, changes: [announced] }, again);
    traces.decided('restarted', decided({ id: 'c0ffee01' }), { waited: again });
    expect(spans.named('restart Deployment').map((span) => span.startMs - startMs)).toEqual([100, 100]);
    traces.decided('restarted', decided({ id: 'c0ffee02' }));
    expect(spans.named('restart Deployment').at(-1)?.startMs).toBe(clock.nowMs());
  });

  it('keeps little of what fails: the sources that it names, of some hundred workloads', async () => {
    const noticedMs = new Map(Array.from({ length: 500 }, (_, n) => [`cm/${n}`, n] as const));
    const changes = [...noticedMs.keys()].map((id) => changeOf({ id, name: id.slice(3) }));
    for (let n = 0; n < 1_000; n++) {
      const failed = { target: { ...target, uid: `uid-${n}` }, changes };
      traces.postponed(failed, { noticedMs, settledMs: 1_100, look: undefined });
    }
    await clock.advance(10_000);
    for (const [uid, isKept] of [
      ['uid-999', true],
      ['uid-0', false],
    ] as const) {
      traces.decided('restarted', decided({ target: { ...target, uid }, changes: [changes[1]!] }));
      expect(spans.named('restart Deployment').at(-1)!.startMs < clock.nowMs()).toBe(isKept);
    }
    traces.decided('restarted', decided({ target: { ...target, uid: 'uid-998' }, changes: [changes[30]!] }));
    expect(spans.named('restart Deployment').at(-1)!.startMs).toBe(clock.nowMs());
  });

  it('that is tried again, of whose first try nothing is known, begins with that', async () => {
    await clock.advance(9_000);
    const waited: Waited = {
      ...{ noticedMs: new Map(), settledMs: undefined },
      look: { waitsFor: 'retry', sinceMs: startMs + 2_000 },
    };
    traces.decided('restarted', decided(), { waited });
    expect(drawn()).toEqual(['restart Deployment 2000-9000', 'wait 2000-9000', 'write Deployment 9000-9000']);
  });

  it('of which nothing was seen before begins when it was decided', async () => {
    await clock.advance(500);
    traces.decided('restarted', decided());
    expect(drawn()).toEqual(['restart Deployment 500-500', 'write Deployment 500-500']);
  });

  it('for several changes is in the trace of each, and each of them leads to the others', async () => {
    const changes = ['app', 'api', 'db'].map((name) => changeOf({ id: `cm/${name}`, name, attribution: byAlice }));
    await clock.advance(2_000);
    const noticedMs = new Map([
      ['cm/app', 100],
      ['cm/api', 600],
    ]);
    traces.decided('restarted', decided({ changes }), { waited: { noticedMs, settledMs: 1_600, look: undefined } });
    const restarts = spans.named('restart Deployment');
    expect(restarts.map((span) => span.startMs - startMs)).toEqual([100, 600, 2_000]);
    expect(new Set(restarts.map((span) => span.traceId)).size).toBe(3);
    const [first, ...others] = restarts.map((span) => ({ traceId: span.traceId, spanId: span.spanId }));
    expect(restarts.map(({ links }) => links)).toEqual([others, [first], [first]]);
  });

  it('for very many changes is in twenty traces, and says how many more there are', () => {
    const changes = Array.from({ length: 50 }, (_, n) =>
      changeOf({ id: `cm/${n}`, name: `${n}`, attribution: byAlice }),
    );
    traces.decided('restarted', decided({ changes }));
    const restarts = spans.named('restart Deployment');
    expect(restarts).toHaveLength(20);
    expect(restarts[0]?.attributes['reroll.more_sources']).toBe(30);
    expect(restarts.reduce((sum, { links = [] }) => sum + links.length, 0)).toBe(38);
  });

  it.each([
    ['StatefulSet', 'k8s.statefulset.name'],
    ['DaemonSet', 'k8s.daemonset.name'],
    ['Job', 'k8s.job.name'],
    ['CronJob', 'k8s.cronjob.name'],
  ] as const)('of a %s has the name that OpenTelemetry gives to it: %s', (kind, attribute) => {
    traces.decided('restarted', decided({ target: { ...target, kind } }));
    expect(spans.named(`restart ${kind}`)[0]?.attributes[attribute]).toBe('web');
  });

  it.each(['Rollout', 'DeploymentConfig'] as const)('of a %s has one of ours', (kind) => {
    traces.decided('restarted', decided({ target: { ...target, kind } }));
    const { attributes } = spans.named(`restart ${kind}`)[0]!;
    expect(attributes['reroll.workload']).toBe(`${kind} shop/web`);
    expect(Object.keys(attributes).filter((name) => name.startsWith('k8s.'))).toEqual(['k8s.namespace.name']);
  });
});

describe('a change that nobody announced', () => {
  it('begins its trace when it is noticed, once for all that it restarts', async () => {
    await clock.advance(1_200);
    for (const name of ['web', 'api']) {
      const id = name === 'web' ? 'c0ffee00' : 'c0ffee01';
      const restart = decided({ id, target: { ...target, name, uid: name }, changes: [changeOf()] });
      traces.decided('restarted', restart, { waited: looked() });
    }
    const notices = spans.named('notice ConfigMap');
    expect(notices).toEqual([
      {
        ...{ traceId, spanId: changeSpanId(traceId), parentSpanId: undefined, name: 'notice ConfigMap' },
        ...{ kind: 'internal', startMs: startMs + 100, endMs: startMs + 100 },
        attributes: {
          ...{ 'k8s.namespace.name': 'shop', 'reroll.source': 'ConfigMap shop/app', 'reroll.change.id': '9f3e11aa' },
          ...{ 'reroll.keys': ['color'], 'reroll.why': 'content changed' },
        },
      },
    ]);
  });

  it('leaves that to the webhook if it was announced', () => {
    traces.decided('restarted', decided());
    expect(spans.named('notice ConfigMap')).toEqual([]);
  });
});

describe('a restart that Reroll did not write', () => {
  const steps = (): readonly string[] => spans.spans.slice(1).map(({ name }) => name);

  it('is withheld in a dry run', () => {
    traces.decided('withheld', decided());
    expect(spans.spans[0]).toMatchObject({ attributes: { 'reroll.decision': 'withheld' }, error: undefined });
    expect(steps()).toEqual([]);
  });

  it('is refused, with the code of the error and nothing of its message', () => {
    traces.decided('refused', decided(), { errorCode: 'FORBIDDEN' });
    expect(spans.spans[0]).toMatchObject({
      ...{ attributes: { 'reroll.decision': 'refused', 'error.type': 'FORBIDDEN' }, error: 'FORBIDDEN' },
    });
    expect(steps()).toEqual([]);
  });

  it('came with the write of somebody else', () => {
    traces.decided('restarted', decided(), { reason: 'brought along' });
    expect(spans.spans[0]?.attributes).toMatchObject({
      'reroll.decision': 'restarted',
      'reroll.reason': 'brought along',
    });
    expect(steps()).toEqual([]);
  });

  it('is coalesced with the rollout of somebody else', async () => {
    await clock.advance(5_000);
    const look = { waitsFor: 'rollout', sinceMs: startMs + 1_150 } as const;
    traces.coalesced({ target, changes: [announced] }, { reason: 'folded', waited: looked(look) });
    expect(drawn()).toEqual(['restart Deployment 100-5000', 'settle 100-1100', 'wait 1150-5000']);
    expect(spans.spans[0]?.attributes).toMatchObject({ 'reroll.decision': 'coalesced', 'reroll.reason': 'folded' });
    expect(spans.spans[0]?.attributes).not.toHaveProperty('reroll.restart.id');
  });
});

describe('a Job', () => {
  const told: RestartCause = {
    ...{ id: 'c0ffee00', atMs: Date.UTC(2026, 0, 1), by: ['alice'], moreUsers: 0, isLeftToNextRun: false },
    ...{ created: new Set(), deleted: new Set() },
    sources: new Map([['cm/app', ['color']]]),
    changes: new Map([['cm/app', '9f3e11aa']]),
  };
  const job = { ...target, kind: 'Job' } as const;

  it('tells of its restart by its annotation', async () => {
    await clock.advance(700);
    traces.told('restarted', job, told);
    expect(drawn()).toEqual(['restart Job 0-700', 'write Job 0-700']);
    expect(spans.spans[0]).toMatchObject({ traceId, attributes: { 'reroll.user': 'alice', 'reroll.keys': ['color'] } });
  });

  it('shows what it waited for before it was deleted', async () => {
    await clock.advance(1_150);
    traces.postponed({ target: { ...job, uid: 'uid-deleted' }, changes: [announced] }, looked());
    await clock.advance(350);
    traces.told('restarted', job, { ...told, atMs: startMs + 1_150 }, { formerUid: 'uid-deleted' });
    expect(drawn()).toEqual(['restart Job 100-1500', 'settle 100-1100', 'write Job 1150-1500']);
  });

  it('whose changes nobody announced begins their traces', () => {
    traces.told('refused', job, { ...told, by: [] }, { errorCode: 'INVALID' });
    expect(spans.spans.map(({ name, error }) => [name, error])).toEqual([
      ['notice ConfigMap', undefined],
      ['restart Job', 'INVALID'],
    ]);
  });

  it('that an older version restarted is in no trace', () => {
    traces.told('restarted', job, { ...told, changes: new Map() });
    expect(spans.spans).toEqual([]);
  });
});

describe('the end of a restart', () => {
  const ended = async (outcome: 'healthy' | 'unhealthy' | 'superseded' | 'unknown', reason?: string): Promise<Span> => {
    const restart = decided();
    await clock.advance(38_000);
    const conclusion = { outcome, ...(reason !== undefined && { reason }) };
    traces.ended(restart, entryOf(restart, { outcome: 'rolling' }), conclusion);
    return spans.spans.at(-1)!;
  };

  it('hangs below the restart, of whichever leader that was', async () => {
    expect(await ended('healthy')).toMatchObject({
      ...{ traceId, parentSpanId: restartSpanId(traceId, 'c0ffee00'), name: 'roll out Deployment', error: undefined },
      ...{ startMs, endMs: startMs + 38_000 },
      attributes: { 'reroll.outcome': 'healthy', 'reroll.restart.id': 'c0ffee00', 'reroll.change.id': '9f3e11aa' },
    });
  });

  it('is an error if its pods are not well, and says what is missing', async () => {
    const { attributes, error } = await ended('unhealthy', '1 of 3 pods are available');
    expect(error).toBe('1 of 3 pods are available');
    expect(attributes).toMatchObject({ 'reroll.outcome': 'unhealthy', 'reroll.reason': '1 of 3 pods are available' });
  });

  it.each(['superseded', 'unknown'] as const)('is none if it is %s', async (outcome) => {
    const { attributes, error } = await ended(outcome);
    expect([attributes['reroll.outcome'], error]).toEqual([outcome, undefined]);
  });
});

it('names of objects, keys and users are within bounds, and forge nothing', () => {
  const attribution = { ...byAlice, firstUser: `mallory\n${'x'.repeat(1_000)}`, manager: '\u202e' };
  traces.decided('restarted', decided({ changes: [changeOf({ attribution })] }));
  const { attributes } = spans.spans[0]!;
  expect(String(attributes['reroll.user'])).toMatch(/^mallory\\nx+…$/);
  expect(attributes['reroll.manager']).toBe('\\u202e');
});
