import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { formatBaseline } from '../../shared/domain/baseline/baseline';
import type { GatesAnswer } from '../../shared/domain/gates/ask-gates';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import { everything } from '../../shared/domain/kubernetes/selector';
import type { KubeEvent } from '../../shared/kube/client/events';
import type { KubeObject } from '../../shared/kube/client/objects';
import { bodyOf, zeroRandom } from '../../shared/kube/client/client.fixture';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { AdoptionRateLimiter } from './adoption-rate-limiter';
import type { Change } from '../../shared/domain/plan/change';
import { changeOf } from '../../shared/domain/plan/change.fixture';
import { annotateWorkload, patchWorkload } from '../apply/patch-workload';
import type { Apply } from '../apply/restart';
import { applyWorld, baselineOf, read, type ApplyWorld } from '../apply/restart.fixture';
import type { QueueResult } from '../queue/key-queue';
import { DigestKeyring } from '../sources/digest-keyring';
import { InjectedRestarts } from './injected-restarts';
import {
  contentOf,
  digester,
  listedRecord,
  policySettings,
  sourceRecord,
  workloadObject,
  workloadRecord,
} from '../../shared/domain/plan/records.fixture';
import { Deferrals } from '../reporting/deferrals';
import { RolloutCoalescer } from './rollout-coalescer';
import { SettleWindows } from './settle-window';
import { SourceIndex } from '../sources/source-index';
import type { Term } from '../../shared/domain/plan/plan-input';
import { UnfinishedLooks } from './unfinished-looks';
import { Worker, type WorkerOptions } from './worker';
import type { WorkerReporter } from './worker-reporter';
import { WorkloadIndex } from '../workloads/workload-index';
import type { PauseBegun } from './pauses';
import { dryRunWriters } from './writers';

const key = 'Deployment/shop/web';
const baseline = formatBaseline(baselineOf(2, contentOf({ color: 'red' }).whole()));

let server: ApplyWorld;
/** What the server stores. */
let stored: object;
/** The server's answer to a PATCH. */
let answer: Reply;
/** Runs before each answer. */
let meanwhile: () => void;
let tended: number;
/** What there is to do about the pause of the workload. */
let pause: QueueResult;
let coalescer: RolloutCoalescer;
let workloads: WorkloadIndex;
let sources: SourceIndex;
/** The known author of every change; undefined: no author is remembered. */
let authors: readonly string[] | undefined;
let unfinished: UnfinishedLooks;
/** Undefined: another replica leads. */
let term: Term | undefined;
let worker: Worker;
let settle: SettleWindows;
let gates: GatesAnswer;
/** What keeps the workload from restarting in its turn. */
let turn: ClosedGate | undefined;
/** What its turn learns of a look. */
let told: string[];
let asked: number;
let events: KubeEvent[];
let injected: InjectedRestarts;
/** The changes of restarts that somebody else's write brought. */
let brought: Change[];
/** How many verdicts were looked at for sources with too many keys, each time. */
let judged: number[];
/** What restarts that were made did, as they were reported. */
let reported: string[];
/** How a restart is written. */
let apply: Apply;
/** The pause that a restart begins; undefined: none. */
let begun: PauseBegun | undefined;

/** Deployment `web` runs with red, and its source holds blue. */
beforeEach(() => {
  stored = workloadObject({ baseline, resourceVersion: '11' });
  meanwhile = () => undefined;
  term = { inChargeSinceMs: 0, watchingSinceMs: 0 };
  server = applyWorld(({ method }) => {
    meanwhile();
    return method === 'GET' ? { body: stored } : answer;
  });
  tended = 0;
  apply = patchWorkload;
  pause = { kind: 'done' };
  gates = { isOpen: true, passed: [] };
  asked = 0;
  [turn, told, judged] = [undefined, [], []];
  [events, brought, reported, begun] = [[], [], [], undefined];
  authors = [];
  const { clock, logger, context } = server;
  const keys = new DigestKeyring(digester, true);
  const nothing = (): undefined => undefined;
  workloads = new WorkloadIndex({
    ...{
      clock,
      keys,
      policy: policySettings,
      annotationKeys: defaultAnnotationKeys,
      selectedSinceMs: () => 0,
      leadingSinceMs: () => undefined,
    },
    ...{ onChange: nothing, onUntracked: nothing, onGone: nothing },
  });
  sources = new SourceIndex(clock, { onChange: nothing, onInconsistency: nothing, onListed: nothing });
  workloads.sink('Deployment', undefined, nothing).upsert(workloadRecord({ baseline }), 'watch');
  show({ color: 'blue' });
  coalescer = new RolloutCoalescer({ clock, logger, context });
  const options: Omit<WorkerOptions, 'reporter' | 'settings'> = {
    ...{ sources, workloads, keys, clock, random: zeroRandom, context },
    knownKinds: () => new Set(['ConfigMap', 'Secret']),
    isNamed: () => false,
    term: () => term,
    contents: { read: () => Promise.resolve() },
    versions: { known: () => true, ask: () => Promise.resolve(true) },
    settle: (settle = new SettleWindows(clock)),
    coalescer,
    gates: {
      ask: () => {
        asked++;
        return gates;
      },
    },
    turns: {
      ask: () => turn,
      began: () => {
        told.push('began');
        return () => told.push('taken back');
      },
      ended: (_key, waits) => told.push(`ended${waits === undefined ? '' : `, waits for ${waits}`}`),
      answered: () => told.push('answered'),
      gone: () => told.push('gone'),
    },
    deferrals: new Deferrals({ logger, events: { record: (event) => Promise.resolve(void events.push(event)) } }),
    injected: (injected = new InjectedRestarts()),
    unfinished: (unfinished = new UnfinishedLooks(clock)),
    hints: {
      attribution: () =>
        authors && {
          ...{ users: authors, moreUsers: 0, firstUser: authors[0], manager: undefined, changedKeys: [] },
          ...{ path: 'both', observedAtMs: 0 },
        },
    },
    adoptions: new AdoptionRateLimiter(clock),
    checkRestored: () => Promise.resolve(),
    onRestored: nothing,
    refresh: (record) => workloads.sink(record.kind, undefined, nothing).upsert(record, 'list'),
    isOutdated: () => false,
    removals: { putBack: () => Promise.resolve(), forget: nothing },
    writers: {
      ...dryRunWriters,
      methods: { ...dryRunWriters.methods, patch: async (context, restart) => await apply(context, restart) },
      annotate: annotateWorkload,
      pauses: {
        pauseFor: () => begun,
        reconcile: () => {
          tended++;
          return Promise.resolve(pause);
        },
      },
    },
    defaults: { settleMs: 0, settleMaxMs: 0, strategy: 'env-vars' },
  };
  const settings = { policy: policySettings, reloadOnCreate: false, reloadOnDelete: false, sourceSelector: everything };
  const reporter: WorkerReporter = {
    ...{ looked: nothing, leftAlone: nothing, adopted: nothing, notRestarted: nothing },
    ...{ answered: nothing, coalesced: nothing, withheld: nothing, underWay: nothing },
    tooManyKeys: (_workload, verdicts) => void judged.push(verdicts.length),
    restarted: (_workload, _restart, { did }) => void reported.push(did),
    brought: (_workload, changes) => void brought.push(...changes),
    ...{ refused: nothing, failed: nothing, notRead: nothing, forget: nothing },
  };
  worker = new Worker({ ...options, settings, reporter });
});

/** The watch shows another content of ConfigMap `app`. */
function show(data: Readonly<Record<string, string>>): void {
  sources.sink('ConfigMap', undefined, () => undefined).upsert(sourceRecord({ data }), 'watch');
}

/** What the first of these writes says of the restart. */
function lastRestart(requests = server.transport.requests): unknown {
  const [written] = requests.map(bodyOf) as { metadata: { annotations: Record<string, string> } }[];
  return JSON.parse(written!.metadata.annotations['reroll.dev/last-restart']!);
}

/** Each request with the version that it names, for example `GET` or `PATCH 10`. */
function requests(): readonly string[] {
  return server.transport.requests.map((request) => {
    const { metadata } = (bodyOf(request) ?? {}) as { metadata?: { resourceVersion: string } };
    return [request.method, ...(metadata ? [metadata.resourceVersion] : [])].join(' ');
  });
}

describe('a restart that is refused', () => {
  it('for a version that no watch has shown is retried with the result of a read by name', async () => {
    answer = refusal(409, 'Conflict');
    await worker.process(key);
    expect(requests()).toEqual(['PATCH 10']);
    await worker.process(key);
    expect(requests().slice(0, 3)).toEqual(['PATCH 10', 'GET', 'PATCH 11']);
  });

  it('permanently does not keep the workload paused', async () => {
    answer = refusal(422, 'Invalid');
    expect(await worker.process(key)).toMatchObject({ kind: 'failed' });
    expect([requests(), tended]).toEqual([['PATCH 10'], 1]);
  });

  it('for its version leaves the pause to the next look, which knows what is stored', async () => {
    answer = refusal(409, 'Conflict');
    await worker.process(key);
    expect([requests(), tended]).toEqual([['PATCH 10'], 0]);
  });
});

describe('a restart that gets no answer', () => {
  it('is not taken for stored if a record was written since, also without an answer, to a version without it', async () => {
    answer = refusal(504, 'Timeout');
    await worker.process(key);
    jest.spyOn(coalescer, 'look').mockImplementation(async (workload) => {
      const read = { ...workload, record: { ...workload.record, resourceVersion: '12' } };
      return await Promise.resolve({ kind: 'coalesced', workload: read });
    });
    await worker.process(key);
    const [, written] = server.transport.requests.map(bodyOf) as KubeObject[];
    const baselineText = written?.metadata.annotations?.['reroll.dev/baseline'];
    const shown = { ...workloadRecord({ resourceVersion: '13' }), baselineText };
    workloads.sink('Deployment', undefined, () => undefined).upsert(shown, 'watch');
    expect(await worker.process(key)).toEqual({ kind: 'done' });
    expect(requests()).toEqual(['PATCH 10', 'PATCH 12']);
  });
});

it('a restart whose record may not be written is made once: it is kept in memory', async () => {
  let made = 0;
  apply = async () => {
    made++;
    return await Promise.resolve({ kind: 'written', did: 'run as Job web-1', stored: undefined });
  };
  expect(await worker.process(key)).toMatchObject({ kind: 'again', waitsFor: 'baseline-write' });
  await worker.process(key);
  expect([made, reported]).toEqual([1, ['run as Job web-1']]);
});

describe('what a workload waits for', () => {
  it.each([
    [403, 'Forbidden', { waitsFor: 'permission', errorCode: 'KUBE_FORBIDDEN' }],
    [503, 'ServiceUnavailable', { waitsFor: 'retry' }],
  ])('is noted after a refusal with %s, until a look is the end', async (status, reason, noted) => {
    answer = refusal(status, reason);
    await worker.process(key);
    expect(unfinished.get(key)).toMatchObject(noted);
    answer = { body: workloadObject({ baseline, resourceVersion: '11' }) };
    jest.spyOn(coalescer, 'look').mockImplementation(async (workload) => {
      return await Promise.resolve({ kind: 'coalesced', workload });
    });
    await worker.process(key);
    expect(unfinished.get(key)).toBeUndefined();
  });

  it('is forgotten with the workload, also if it is deleted during the look', async () => {
    answer = refusal(503, 'ServiceUnavailable');
    await worker.process(key);
    worker.forget(key);
    expect(unfinished.get(key)).toBeUndefined();
    jest.spyOn(coalescer, 'look').mockImplementation(async () => {
      workloads.remove(key);
      worker.forget(key);
      return await Promise.reject(new Error('the server fails'));
    });
    await worker.process(key);
    expect(unfinished.get(key)).toBeUndefined();
  });
});

describe('a restart that may not begin yet', () => {
  const closed = { gate: 'window', detail: '--restart-windows: Sat' } as const;

  it('sends nothing, is told, and is looked at again when it may begin', async () => {
    answer = { body: workloadObject({ baseline, resourceVersion: '11' }) };
    const untilMs = server.clock.nowMs() + 60_000;
    gates = { isOpen: false, closed: { ...closed, untilMs } };
    const look = jest.spyOn(coalescer, 'look');
    expect(await worker.process(key)).toEqual({
      ...{ kind: 'again', afterMs: 60_000, isUntried: true, closed: gates.closed },
    });
    expect([requests(), look.mock.calls, events.map(({ reason }) => reason)]).toEqual([[], [], ['ReloadDeferred']]);
    expect(unfinished.get(key)).toMatchObject({ waitsFor: 'window', closed: { untilMs } });
    gates = { isOpen: true, passed: [] };
    await worker.process(key);
    expect(requests()[0]).toBe('PATCH 10');
    expect(unfinished.get(key)?.closed).toBeUndefined();
  });

  it('for weeks is looked at once an hour', async () => {
    gates = { isOpen: false, closed: { ...closed, untilMs: server.clock.nowMs() + 30 * 86_400_000 } };
    expect(await worker.process(key)).toMatchObject({ kind: 'again', afterMs: 3_600_000 });
  });

  it('without an end waits for whoever ends it', async () => {
    gates = { isOpen: false, closed: { ...closed, gate: 'hold', untilMs: undefined } };
    expect(await worker.process(key)).toMatchObject({ kind: 'done' });
    expect(unfinished.get(key)).toMatchObject({ waitsFor: 'hold' });
  });

  it('waits for its gate, also while the workload is paused', async () => {
    gates = { isOpen: false, closed: { ...closed, gate: 'hold', untilMs: undefined } };
    pause = { kind: 'again', afterMs: 5_000 };
    expect(await worker.process(key)).toMatchObject({ kind: 'again', afterMs: 5_000 });
    expect(unfinished.get(key)).toMatchObject({ waitsFor: 'hold' });
    expect(unfinished.countByGate().get('hold')).toBe(1);
  });

  it('is not counted by a replica that stops leading during the look', async () => {
    jest.spyOn(coalescer, 'look').mockImplementation(async () => {
      gates = { isOpen: false, closed: { ...closed, untilMs: undefined } };
      term = undefined;
      unfinished.clear();
      return await Promise.resolve({ kind: 'restart' });
    });
    await worker.process(key);
    expect(unfinished.countByGate().size).toBe(0);
  });

  it.each([
    ['names who made the change when it begins, however long it waited', ['alice'], ['alice']],
    ['names an author who was reported after the first look', undefined, ['bob']],
  ])('%s', async (_what, first, later) => {
    answer = { body: workloadObject({ baseline, resourceVersion: '11' }) };
    gates = { isOpen: false, closed: { ...closed, untilMs: undefined } };
    for (authors of [first, later]) await worker.process(key);
    [authors, gates] = [undefined, { isOpen: true, passed: [] }];
    await worker.process(key);
    expect(lastRestart()).toMatchObject({ by: later });
  });

  it('and is answered by a rollout of somebody else is forgotten: a later change to the same content has its own author', async () => {
    answer = { body: workloadObject({ resourceVersion: '11' }) };
    gates = { isOpen: false, closed: { ...closed, untilMs: undefined } };
    authors = ['alice'];
    await worker.process(key);
    const look = jest.spyOn(coalescer, 'look').mockImplementation(async (workload) => {
      return await Promise.resolve({ kind: 'coalesced', workload });
    });
    [authors, gates] = [undefined, { isOpen: true, passed: [] }];
    await worker.process(key);
    show({ color: 'red' });
    await worker.process(key);
    look.mockResolvedValue({ kind: 'restart' });
    show({ color: 'blue' });
    await worker.process(key);
    expect(lastRestart(server.transport.requests.slice(2))).not.toHaveProperty('by');
  });

  it('because a gate closed while Reroll looked for a rollout that answers the change', async () => {
    jest.spyOn(coalescer, 'look').mockImplementation(async () => {
      gates = { isOpen: false, closed: { ...closed, untilMs: undefined } };
      return await Promise.resolve({ kind: 'restart' });
    });
    await worker.process(key);
    expect([requests(), asked]).toEqual([[], 2]);
  });
});

describe('a restart without an answer', () => {
  it('is not taken for stored where a rollout of somebody else answered the change and only the record was written', async () => {
    answer = refusal(503, 'ServiceUnavailable');
    await worker.process(key);
    const look = jest.spyOn(coalescer, 'look');
    look.mockImplementation(async (workload) => await Promise.resolve({ kind: 'coalesced', workload }));
    answer = { body: workloadObject({ baseline, resourceVersion: '12' }) };
    await worker.process(key);
    const [, written] = server.transport.requests.map(bodyOf) as {
      metadata: { annotations: Record<string, string> };
    }[];
    const recorded = written!.metadata.annotations['reroll.dev/baseline']!;
    const shown = workloadRecord({ baseline: recorded, resourceVersion: '12' });
    workloads.sink('Deployment', undefined, () => undefined).upsert(shown, 'watch');
    await worker.process(key);
    expect(requests()).toEqual(['PATCH 10', 'PATCH 10']);
  });
});

describe('a restart without an answer that was stored', () => {
  it.each([
    ['with its baseline', true],
    ['without it', false],
  ])('%s is told with its pause, as with an answer', async (_what, isRecorded) => {
    const untilMs = Date.UTC(2026, 0, 1, 0, 5);
    const pausedAt = { 'deployment.reloader.stakater.com/paused-at': '2026-01-01T00:00:00Z' };
    begun = { pause: { paused: true, periodMs: 300_000, since: 0 }, annotations: pausedAt, untilMs };
    answer = refusal(504, 'Timeout');
    await worker.process(key);
    const [written] = server.transport.requests.map(bodyOf) as { metadata: KubeObject['metadata']; spec: object }[];
    const { annotations } = written!.metadata;
    const object = workloadObject({ baseline, resourceVersion: '11' });
    stored = { ...object, spec: written!.spec };
    const shown = { ...object, metadata: { ...object.metadata, generation: 1, ...(isRecorded && { annotations }) } };
    workloads.sink('Deployment', undefined, () => undefined).upsert(read('Deployment', shown), 'watch');
    await worker.process(key);
    expect(reported).toEqual(['changed, and paused until 2026-01-01T00:05:00.000Z']);
  });
});

it('a change while Reroll looks for a rollout that answers another one opens a window, which that restart leaves open', async () => {
  settle.touch(key, 'cm/app');
  jest.spyOn(coalescer, 'look').mockImplementation(async () => {
    await server.clock.advance(1_000);
    settle.touch(key, 'cm/app');
    return await Promise.resolve({ kind: 'restart' });
  });
  const nowMs = server.clock.monotonicMs();
  await worker.process(key);
  expect([told[0], settle.openedMs(key)]).toEqual(['began', nowMs + 1_000]);
});

it('a workload that is tracked only for its pause has no window any more', async () => {
  const { record } = workloads.get(key)!;
  settle.touch(key, 'cm/app');
  const pause = { paused: true, periodMs: 60_000, since: 0 };
  const annotations = { 'reloader.stakater.com/auto': 'false' };
  workloads
    .sink('Deployment', undefined, () => undefined)
    .upsert({ ...record, policy: workloadRecord({ annotations }).policy, pause, resourceVersion: '12' }, 'watch');
  await worker.process(key);
  expect([workloads.get(key)?.record.pause, tended, settle.openedMs(key)]).toEqual([pause, 1, undefined]);
});

describe('a restart whose workload changes while Reroll looks for a rollout that answers the change', () => {
  it('is planned again', async () => {
    jest.spyOn(coalescer, 'look').mockImplementation(async () => {
      const sink = workloads.sink('Deployment', undefined, () => undefined);
      sink.remove('shop/web');
      sink.upsert(workloadRecord({ baseline, resourceVersion: '10' }), 'list');
      return await Promise.resolve({ kind: 'restart' });
    });
    expect(await worker.process(key)).toEqual({ kind: 'again', afterMs: 0 });
    expect(requests()).toEqual([]);
  });

  it('is not carried out if the namespace was left out', async () => {
    jest.spyOn(coalescer, 'look').mockImplementation(async () => {
      workloads.forgetNamespace('shop');
      return await Promise.resolve({ kind: 'restart' });
    });
    await worker.process(key);
    expect(await worker.process(key)).toEqual({ kind: 'done' });
    expect(requests()).toEqual([]);
  });
});

describe('a restart', () => {
  it.each([
    ['reported', [], ['alice']],
    ['forgotten', ['alice'], undefined],
  ])(
    'names an author who was %s while Reroll looked for a rollout that answers the change',
    async (_what, before, then) => {
      answer = { body: workloadObject({ baseline, resourceVersion: '11' }) };
      authors = before;
      jest.spyOn(coalescer, 'look').mockImplementation(async () => {
        authors = then;
        return await Promise.resolve({ kind: 'restart' });
      });
      await worker.process(key);
      expect(lastRestart()).toMatchObject({ by: ['alice'] });
    },
  );
});

describe('whether a source has too many keys', () => {
  it('is not told before the source is read', async () => {
    const listed = listedRecord({ resourceVersion: '2' });
    sources.sink('ConfigMap', undefined, () => undefined).upsert(listed, 'list');
    expect(await worker.process(key)).toEqual({ kind: 'again', afterMs: 0 });
    expect(judged).toEqual([]);
    show({ color: 'red' });
    await worker.process(key);
    expect(judged).toEqual([1]);
  });
});

describe('a baseline that somebody removed', () => {
  it('is written again at the next attempt, however often that failed', async () => {
    show({ color: 'red' });
    const shown = workloadRecord({ resourceVersion: '11' });
    workloads.sink('Deployment', undefined, () => undefined).upsert(shown, 'watch');
    answer = refusal(503, 'ServiceUnavailable');
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await worker.process(key)).toMatchObject({ kind: 'failed' });
      await server.clock.advance(500);
    }
    answer = { body: workloadObject({ resourceVersion: '12' }) };
    expect(await worker.process(key)).toEqual({ kind: 'done' });
    expect(requests()).toEqual(['PATCH 11', 'PATCH 11', 'PATCH 11', 'PATCH 11']);
    workloads.sink('Deployment', undefined, () => undefined).upsert({ ...shown, resourceVersion: '13' }, 'watch');
    await server.clock.advance(500);
    expect(await worker.process(key)).toEqual({ kind: 'again', afterMs: 500, waitsFor: 'baseline-turn' });
  });
});

describe("a restart that somebody else's write brought", () => {
  const blue = contentOf({ color: 'blue' }).whole();

  it.each([
    ['nothing else is to be done', { 'cm/app': blue }, undefined],
    ['something else is to be recorded', { 'cm/app': blue, 'cm/former': blue }, 'PATCH 12'],
    ['another restart is owed by now', { 'cm/app': contentOf({ color: 'green' }).whole() }, 'PATCH 12'],
  ])('is told where %s', async (_what, sources, expected) => {
    answer = { body: workloadObject({ resourceVersion: '13' }) };
    const baselineText = formatBaseline({ ...baselineOf(3), sources: new Map(Object.entries(sources)) });
    injected.add(key, { baselineText, changes: [changeOf()] });
    const shown = workloadRecord({ baseline: baselineText, resourceVersion: '12' });
    workloads.sink('Deployment', undefined, () => undefined).upsert(shown, 'watch');
    await worker.process(key);
    expect([requests()[0], brought]).toEqual([expected, [changeOf()]]);
  });
});

describe('a write that is answered after etcd was restored', () => {
  /** The list shows the workload as it was before the write. */
  function restored(): void {
    workloads.forgetSeen();
    workloads.sink('Deployment', undefined, () => undefined).upsert(workloadRecord({ baseline }), 'list');
  }

  it('of a restart counts as undone: the restart is still owed', async () => {
    const written = { kind: 'written' as const, did: 'restarted', stored: { resourceVersion: '12' } };
    const answering = jest.spyOn(coalescer, 'answering').mockImplementation(async () => {
      restored();
      return await Promise.resolve(written);
    });
    expect(await worker.process(key)).toEqual({ kind: 'again', afterMs: 0 });
    answering.mockResolvedValue(written);
    expect(await worker.process(key)).toEqual({ kind: 'done' });
    expect(await worker.process(key)).toEqual({ kind: 'done' });
    expect(answering).toHaveBeenCalledTimes(2);
  });

  it('and was found to have lost its baseline counts as undone: the restart is still owed', async () => {
    answer = refusal(504, 'Timeout');
    await worker.process(key);
    const [written] = server.transport.requests.map(bodyOf) as { spec: object }[];
    const object = workloadObject({ baseline, resourceVersion: '11' });
    stored = { ...object, spec: written!.spec };
    const shown = { ...workloadRecord({ baseline, resourceVersion: '11' }), generation: 1 };
    workloads.sink('Deployment', undefined, () => undefined).upsert(shown, 'watch');
    meanwhile = () => {
      meanwhile = () => undefined;
      restored();
    };
    answer = { body: { ...stored, metadata: { ...object.metadata, resourceVersion: '12' } } };
    expect(await worker.process(key)).toEqual({ kind: 'again', afterMs: 0 });
    await worker.process(key);
    const writes = server.transport.requests.filter(({ method }) => method === 'PATCH').map(bodyOf);
    expect(writes).toEqual([written, { ...written, metadata: expect.objectContaining({ resourceVersion: '10' }) }]);
  });

  it('of a baseline counts as undone: it is written again', async () => {
    jest.spyOn(coalescer, 'look').mockImplementation(async (workload) => {
      return await Promise.resolve({ kind: 'coalesced', workload });
    });
    answer = { body: workloadObject({ baseline: 'of the write', resourceVersion: '12' }) };
    meanwhile = restored;
    expect(await worker.process(key)).toMatchObject({ kind: 'failed' });
    expect(workloads.get(key)?.record.resourceVersion).toBe('10');
    meanwhile = () => undefined;
    expect(await worker.process(key)).toEqual({ kind: 'done' });
    expect([requests().filter((each) => each !== 'GET'), workloads.get(key)?.record.resourceVersion]).toEqual([
      ['PATCH 10', 'PATCH 11'],
      '12',
    ]);
  });
});

describe('the turn of a restart', () => {
  it('begins before its write, and the look ends it', async () => {
    answer = { body: workloadObject({ baseline, resourceVersion: '12' }) };
    await worker.process(key);
    expect(told.filter((each) => each !== 'answered').slice(0, 2)).toEqual(['began', expect.any(String)]);
    expect(told.at(-1)).toBe('ended');
  });

  it.each<[string, () => Reply, readonly string[]]>([
    ['is refused', () => refusal(409, 'Conflict'), ['began', 'taken back', 'ended']],
    ['may have been stored', () => refusal(504, 'Timeout'), ['began', 'ended']],
  ])('is taken back only if its write was not stored: %s', async (_what, reply, expected) => {
    answer = reply();
    await worker.process(key);
    expect(told).toEqual(expected);
  });

  it('that has not come costs no request, and is told', async () => {
    turn = { gate: 'pace', untilMs: undefined, detail: '--max-rolling: 100 workloads' };
    expect(await worker.process(key)).toMatchObject({ kind: 'done', closed: turn });
    expect([requests(), told, unfinished.get(key)?.waitsFor]).toEqual([[], ['ended, waits for pace'], 'pace']);
    expect(events.map(({ message }) => message)).toEqual([
      expect.stringContaining('deferred (--max-rolling: 100 workloads). '),
    ]);
  });

  it('is over where a rollout of somebody else answered the change', async () => {
    answer = { body: workloadObject({ resourceVersion: '12' }) };
    jest.spyOn(coalescer, 'look').mockImplementation(async (workload) => {
      return await Promise.resolve({ kind: 'coalesced', workload });
    });
    await worker.process(key);
    expect(told).toEqual(['answered', 'ended']);
  });

  it('is not asked for while a gate is closed', async () => {
    gates = { isOpen: false, closed: { gate: 'hold', untilMs: undefined, detail: 'a hold' } };
    turn = { gate: 'pace', untilMs: undefined, detail: 'x' };
    expect(await worker.process(key)).toMatchObject({ closed: { gate: 'hold' } });
  });

  it('ends with the workload', () => {
    worker.forget(key);
    expect(told).toContain('gone');
  });
});
