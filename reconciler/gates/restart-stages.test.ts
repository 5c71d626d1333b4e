import { beforeEach, describe, expect, it } from '@jest/globals';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { at, auto, policySettings, sourceRecord } from '../../shared/domain/plan/records.fixture';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import { changeId } from '../../shared/domain/sources/change-id';
import { hasContent } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { failed, passed, type CheckAnswer } from '../health-checks/check-answer';
import { HealthChecks } from './health-checks';
import { paced, type PacedOptions } from './gates.fixture';
import { RestartStages } from './restart-stages';

const app = { kind: 'ConfigMap', name: 'app' } as const;
const record = sourceRecord({ writtenAtMs: at(0) });
const change = hasContent(record) ? changeId(record.uid, record.content.whole()) : '';

let clock: FakeClock;
let workloads: Map<WorkloadKey, TrackedWorkload>;
let owing: Set<WorkloadKey>;
let held: Set<WorkloadKey>;
let sourceGates: GateSettings | undefined;
let namespaceGates: GateSettings | undefined;
let isContentRead: boolean;
let isMatch: boolean;
let judgesLast: boolean;
let revision: number;
let woken: string[];
let stopped: string[];
let looks: number;
/** How often all users of a source were looked through. */
let searches: number;
/** What the check of each workload answers; without an entry it has none. */
let answers: Map<string, CheckAnswer>;
let asked: string[];
let stages: RestartStages;

beforeEach(() => {
  clock = new FakeClock();
  [workloads, owing, held] = [new Map(), new Set(), new Set()];
  [sourceGates, namespaceGates, revision, looks, searches] = [undefined, undefined, 0, 0, 0];
  [isContentRead, isMatch, judgesLast] = [true, false, false];
  [woken, stopped, asked, answers] = [[], [], [], new Map()];
  const checks = new HealthChecks({
    clock,
    checker: {
      asked: { urls: true, queries: false },
      ask: async ({ healthyUrl }) => {
        const name = typeof healthyUrl === 'object' ? healthyUrl.service : '';
        asked.push(name);
        return await Promise.resolve(answers.get(name) ?? passed);
      },
    },
    onAnswer: () => undefined,
    onChange: (key) => stages.changed(key),
  });
  stages = new RestartStages({
    ...{ clock, settings: { fromUsers: 3, healthyForMs: 10_000, deadlineMs: 60_000 }, policy: policySettings },
    workloads: {
      get: (key) => workloads.get(key),
      usersOf: ({ kind }) => {
        searches++;
        return kind === 'ConfigMap' ? [...workloads.values()] : [];
      },
      revisionOf: () => revision,
    },
    sources: {
      get: () => ({
        ...record,
        match: isMatch,
        ...(sourceGates && { gates: sourceGates }),
        ...(!isContentRead && { content: 'metadata-only' }),
      }),
    },
    namespaces: { of: () => namespaceGates },
    checks,
    owes: ({ key }) => {
      looks++;
      return owing.has(key);
    },
    judgesLast: () => judgesLast,
    mayBegin: ({ key }) => !held.has(key),
    onTurn: (key) => void woken.push(nameOf(key)),
    onStopped: ({ failed }) => void stopped.push(failed ? nameOf(failed.key) : 'rolled back'),
  });
});

function nameOf(key: WorkloadKey): string {
  return key.split('/')[2] ?? '';
}

function keyOf(name: string): WorkloadKey {
  return `Deployment/shop/${name}`;
}

/** A user that owes a restart. */
function seed(name: string, options: PacedOptions = {}): void {
  const workload = paced({ name, ...options });
  workloads.set(workload.key, workload);
  owing.add(workload.key);
}

function ask(name: string): string | undefined {
  const workload = workloads.get(keyOf(name));
  return workload && stages.ask(workload, [app])?.detail;
}

/** A whole look, and whether it restarted. */
function look(name: string): boolean {
  const isOpen = ask(name) === undefined;
  if (isOpen) restarted(name, 'rolling');
  stages.ended(keyOf(name), isOpen ? undefined : 'stages', false);
  return isOpen;
}

function restarted(name: string, state: NonNullable<PacedOptions['state']>): void {
  owing.delete(keyOf(name));
  show(name, { state, lastRestart: { id: `${name}0000`, atMs: clock.nowMs(), changeIds: [change] } });
}

/** The index shows another state of it. */
function show(name: string, options: PacedOptions): void {
  const lastRestart = workloads.get(keyOf(name))?.record.lastRestart;
  const workload = paced({ name, ...(lastRestart && { lastRestart }), ...options });
  workloads.set(workload.key, workload);
  stages.changed(workload.key);
}

async function healthy(name: string): Promise<void> {
  show(name, { state: 'healthy' });
  await clock.advance(10_000);
  stages.expire();
}

describe('RestartStages', () => {
  beforeEach(() => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) seed(name);
  });

  it('knows who has restarted once the content is read that a watch has shown', () => {
    isContentRead = false;
    expect(ask('b')).toBeDefined();
    isContentRead = true;
    expect(look('a')).toBe(true);
    expect(look('b')).toBe(false);
    expect(ask('b')).toContain('Deployment a must first be healthy');
  });

  it('lets one go, and wakes the others when it is healthy for a time: one, then all', async () => {
    expect(['e', 'd', 'a', 'b', 'c'].map(look)).toEqual([false, false, true, false, false]);
    expect(woken).toEqual(['a']);
    await healthy('a');
    expect(woken.slice(1)).toEqual(['b']);
    expect([look('c'), look('b')]).toEqual([false, true]);
    await healthy('b');
    expect(woken.slice(2)).toEqual(['c', 'd', 'e']);
    expect([look('d'), look('e'), look('c')]).toEqual([true, true, true]);
    expect(stages.isWaiting).toBe(false);
  });

  it('waits for the second one also if the first one has restarted for something else since', async () => {
    look('a');
    await healthy('a');
    look('b');
    const since = { id: 'a0000001', atMs: clock.nowMs(), changeIds: ['0123abcd', change], earlierChangeIds: [change] };
    show('a', { state: 'rolling', lastRestart: since });
    await healthy('a');
    expect(ask('c')).toContain('Deployment b must first be healthy');
    await healthy('b');
    expect(look('c')).toBe(true);
  });

  it('tells when something happens by itself', async () => {
    look('a');
    look('b');
    expect(stages.dueMs - clock.nowMs()).toBe(60_000);
    await clock.advance(5_000);
    show('a', { state: 'healthy' });
    expect(stages.dueMs - clock.nowMs()).toBe(10_000);
  });

  it('tells once who stopped it, and counts it', async () => {
    look('a');
    look('b');
    await clock.advance(60_000);
    stages.expire();
    look('c');
    expect([stopped, stages.stopped]).toEqual([['a'], 1]);
    expect(stages.told(keyOf('b'))?.detail).toMatch(
      /^restarts for ConfigMap app are stopped: Deployment a is not healthy/,
    );
    expect(stages.of({ ...app, namespace: 'shop' })).toMatchObject({ isStopped: true, waiting: 4, change });
  });

  it('does not stop because Reroll itself holds the first one paused, but when it is not healthy after that', async () => {
    const pause = { paused: true, periodMs: 100_000, since: clock.nowMs() };
    look('a');
    show('a', { state: 'held', pause });
    look('b');
    await clock.advance(100_000);
    show('a', { state: 'rolling', pause: { ...pause, paused: false, since: undefined } });
    await clock.advance(59_000);
    stages.expire();
    expect(stopped).toEqual([]);
    await clock.advance(1_000);
    stages.expire();
    expect(stopped).toEqual(['a']);
  });

  it('is open for a content that is resumed, and for no other', async () => {
    look('a');
    look('b');
    sourceGates = { resumed: '0123abcd' };
    revision++;
    expect(look('b')).toBe(false);
    sourceGates = { resumed: change };
    revision++;
    expect([look('b'), look('c')]).toEqual([true, true]);
    await clock.advance(0);
  });

  it('does not believe a wall clock that was set: how long somebody is healthy is measured', async () => {
    look('a');
    look('b');
    show('a', { state: 'healthy' });
    clock.jump(15_000);
    stages.expire();
    expect(woken).toEqual([]);
    await clock.advance(10_000);
    stages.recheck();
    expect(woken).toEqual(['b']);
  });

  it('begins the time anew when it was not healthy for a moment, also if nobody waited then', async () => {
    look('a');
    look('b');
    show('a', { state: 'healthy' });
    await clock.advance(9_000);
    show('a', { state: 'rolling' });
    show('a', { state: 'healthy' });
    await clock.advance(9_000);
    stages.expire();
    expect(look('b')).toBe(false);
    await clock.advance(1_000);
    expect(look('b')).toBe(true);
  });

  it('lets the next one go if the first is held, and does not choose one of which that is known', () => {
    held.add(keyOf('b'));
    look('e');
    expect(woken).toEqual(['a']);
    held.add(keyOf('a'));
    stages.ended(keyOf('a'), 'hold', false);
    expect(woken).toEqual(['a', 'c']);
    expect([look('b'), look('c')]).toEqual([false, true]);
  });

  it('lets the first go first again when its hold is over, whoever is looked at before it', () => {
    for (const key of workloads.keys()) held.add(key);
    for (const key of workloads.keys()) stages.ended(key, 'hold', false);
    held.clear();
    expect([look('e'), woken]).toEqual([false, ['a']]);
    expect([look('a'), look('b')]).toEqual([true, false]);
  });

  it('lets the first go first again when it waits for no other workload, whoever is looked at before it', () => {
    stages.ended(keyOf('a'), 'order', false);
    expect(look('e')).toBe(false);
    expect(woken).toEqual(['b']);
    stages.ended(keyOf('b'), 'order', false);
    stages.unblocked(keyOf('a'));
    stages.ended(keyOf('c'), 'order', false);
    expect([look('e'), look('a')]).toEqual([false, true]);
  });

  it('waits for the first while it waits for its turn', () => {
    look('b');
    stages.ended(keyOf('a'), 'pace', false);
    expect(woken).toEqual(['a']);
    expect([look('b'), look('a')]).toEqual([false, true]);
  });

  it('lets the next one go if the first could restart for so long, and did not; never two at once', async () => {
    look('b');
    stages.ended(keyOf('a'), undefined, false);
    await clock.advance(59_000);
    stages.ended(keyOf('a'), undefined, false);
    expect([look('b'), woken]).toEqual([false, ['a']]);
    await clock.advance(1_000);
    stages.ended(keyOf('a'), undefined, false);
    expect(woken).toEqual(['a', 'b']);
    expect([look('a'), look('b'), look('a')]).toEqual([false, true, false]);
    await healthy('b');
    expect([look('c'), look('a'), look('d')]).toEqual([true, false, false]);
  });

  it('looks what became of a restart that fails again and again before the next one goes in its place', async () => {
    look('b');
    for (const name of ['a', 'a']) {
      expect(ask(name)).toBeUndefined();
      stages.ended(keyOf(name), undefined, false);
      expect(look('b')).toBe(false);
      await clock.advance(30_000);
    }
    expect([look('a'), woken, look('b')]).toEqual([false, ['a', 'b'], true]);
  });

  it('lets nobody go in place of the first before it is known what became of a restart that took longer', async () => {
    look('b');
    stages.ended(keyOf('a'), undefined, false);
    await clock.advance(59_000);
    expect(ask('a')).toBeUndefined();
    await clock.advance(1_000);
    stages.ended(keyOf('a'), undefined, false);
    expect(look('b')).toBe(false);
    expect([look('a'), look('b')]).toEqual([false, true]);
  });

  it('goes on with the first that could not restart if all others are held, and wakes nobody in a circle', async () => {
    look('e');
    for (const name of ['a', 'b']) {
      stages.ended(keyOf(name), undefined, false);
      await clock.advance(60_000);
      stages.ended(keyOf(name), undefined, false);
    }
    for (const name of ['c', 'd', 'e']) held.add(keyOf(name));
    for (const name of ['c', 'd', 'e']) stages.ended(keyOf(name), 'hold', false);
    woken = [];
    expect([look('b'), look('a'), woken.length]).toEqual([true, false, 0]);
  });

  it('lets the next one go if the first is deleted before it restarts', () => {
    look('b');
    workloads.delete(keyOf('a'));
    revision++;
    stages.forget(keyOf('a'));
    expect(look('c')).toBe(false);
    expect(look('b')).toBe(true);
  });

  it('wakes those that wait when their number is no longer large', () => {
    look('a');
    look('b');
    for (const name of ['c', 'd', 'e']) workloads.delete(keyOf(name));
    revision++;
    stages.recheck();
    expect(woken).toEqual(['b']);
    expect(look('b')).toBe(true);
  });

  it.each([
    [['d', 'e'], false],
    [['a', 'd', 'e'], true],
  ])('does not count users that ask for no restart when it changes: %j', (excluding, isOpen) => {
    const annotations = { ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'app' };
    for (const name of excluding) seed(name, { annotations });
    expect([look('b'), look('c')]).toEqual([isOpen, isOpen]);
  });

  it('counts its users anew when an annotation of the source has more of them ask for restarts', () => {
    const annotations = { 'reloader.stakater.com/search': 'true' };
    for (const name of ['a', 'c', 'd', 'e']) seed(name, { annotations });
    expect(ask('b')).toBeUndefined();
    isMatch = true;
    expect(ask('b')).toBeDefined();
  });

  it.each<[string, GateSettings | undefined, GateSettings | undefined, GateSettings | undefined, boolean]>([
    ['nothing', undefined, undefined, undefined, false],
    ['off on the workload', { stages: 'off' }, { stages: 'on' }, { stages: 'on' }, true],
    ['on on the workload', { stages: 'on' }, { stages: 'off' }, { stages: 'off' }, false],
    ['off on the source', undefined, { stages: 'off' }, { stages: 'on' }, true],
    ['on on the source', undefined, { stages: 'on' }, { stages: 'off' }, false],
    ['off on the namespace', undefined, undefined, { stages: 'off' }, true],
  ])('takes the nearest setting: %s', (_what, workload, source, namespace, isOpen) => {
    [sourceGates, namespaceGates] = [source, namespace];
    if (workload) for (const name of ['a', 'b', 'c', 'd', 'e']) seed(name, { gates: workload });
    look('a');
    expect(look('b')).toBe(isOpen);
  });

  describe('a content that was put back before', () => {
    const detail =
      'restarts for ConfigMap app are stopped: its content was rolled back before, and somebody has written it again';

    beforeEach(() => {
      sourceGates = { rolledBack: ['ffffffff', change] };
    });

    it('restarts nobody, and is told once', () => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) expect(look(name)).toBe(false);
      expect(ask('a')).toBe(detail);
      expect(stopped).toEqual(['rolled back']);
      expect([stages.stopped, stages.stoppedBy({ ...app, namespace: 'shop' })?.failed]).toEqual([1, undefined]);
    });

    it('restarts nobody, however few users there are, and whatever they say about stages', () => {
      workloads.clear();
      seed('a');
      seed('b', { gates: { stages: 'off' } });
      revision++;
      expect([look('a'), look('b')]).toEqual([false, false]);
    });

    it('restarts all when it is resumed', () => {
      sourceGates = { rolledBack: [change], resumed: change };
      expect([look('a'), look('b')]).toEqual([true, true]);
    });

    it('is another one than that of another change', () => {
      sourceGates = { rolledBack: ['ffffffff'] };
      expect(look('a')).toBe(true);
    });
  });

  it('says who has stopped it', () => {
    look('a');
    look('b');
    show('a', { state: 'failed' });
    expect(stages.stoppedBy({ ...app, namespace: 'shop' })).toMatchObject({ change, failed: { key: keyOf('a') } });
    show('a', { state: 'healthy' });
    expect(stages.stoppedBy({ ...app, namespace: 'shop' })).toBeUndefined();
    expect(stages.stoppedBy({ kind: 'Secret', namespace: 'shop', name: 'db' })).toBeUndefined();
  });

  it('judges those after whom nobody restarts until they have been healthy, and no longer', async () => {
    workloads.clear();
    seed('a', { gates: { stages: 'on' } });
    [judgesLast, revision] = [true, revision + 1];
    look('a');
    await healthy('a');
    await clock.advance(3_600_000);
    show('a', { state: 'rolling' });
    revision++;
    show('a', { state: 'failed' });
    expect([stopped, stages.stoppedBy({ ...app, namespace: 'shop' })]).toEqual([[], undefined]);
  });

  it('waits with what has stopped for one of several sources', () => {
    look('a');
    const workload = workloads.get(keyOf('b'));
    const both = [{ kind: 'Secret', name: 'db' } as const, app];
    expect(workload && stages.ask(workload, both)?.detail).toMatch(/^ConfigMap app/);
  });
});

describe('RestartStages, with health checks', () => {
  const wrong = failed('reroll.dev/healthy-url: status 503');

  beforeEach(() => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) seed(name, checked(name));
    look('a');
    look('b');
  });

  function checked(service: string): PacedOptions {
    const healthyUrl = { protocol: 'http', service, namespace: undefined, port: 80, path: '/' } as const;
    return { gates: { healthyUrl } };
  }

  /** As the timer of the turns does. */
  async function passes(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) {
      await clock.advance(1_000);
      if (stages.dueMs <= clock.nowMs()) stages.expire();
      await clock.settle();
    }
  }

  it('asks only those that restarted first, and only once they are rolled out', async () => {
    await passes(20_000);
    expect([asked, stages.dueMs]).toEqual([[], clock.nowMs() + 40_000]);
    show('a', { state: 'healthy', ...checked('a') });
    expect(stages.dueMs).toBeLessThanOrEqual(clock.nowMs());
    await passes(6_000);
    expect(new Set(asked)).toEqual(new Set(['a']));
  });

  it('does not call it healthy while its check fails, and says which check', async () => {
    answers.set('a', wrong);
    show('a', { state: 'healthy', ...checked('a') });
    await passes(30_000);
    expect(woken).toEqual([]);
    expect(stages.told(keyOf('b'))?.detail).toBe(
      'ConfigMap app restarts its users in stages: Deployment a must first be healthy for 10s (reroll.dev/healthy-url: status 503)',
    );
    answers.delete('a');
    await passes(9_000);
    expect(woken).toEqual([]);
    await passes(6_000);
    expect(woken).toEqual(['b']);
  });

  it('begins the time anew when the check fails once', async () => {
    show('a', { state: 'healthy', ...checked('a') });
    await passes(3_000);
    answers.set('a', wrong);
    await passes(5_000);
    answers.delete('a');
    await passes(10_000);
    expect(woken).toEqual([]);
    await passes(5_000);
    expect(woken).toEqual(['b']);
  });

  it('stops at the deadline, goes on asking, and goes on when the check passes', async () => {
    answers.set('a', wrong);
    show('a', { state: 'healthy', ...checked('a') });
    await passes(70_000);
    expect([stopped, woken]).toEqual([['a'], []]);
    expect(stages.told(keyOf('b'))?.detail).toMatch(
      /^restarts for ConfigMap app are stopped: Deployment a is not healthy since .* \(reroll\.dev\/healthy-url: status 503\)$/,
    );
    answers.delete('a');
    await passes(16_000);
    expect(woken).toEqual(['b']);
  });

  it('does not stop before it has asked, however late that is: a new leader knows no answers', async () => {
    await clock.advance(300_000);
    show('a', { state: 'healthy', ...checked('a') });
    expect([stages.stopped, stages.told(keyOf('b'))?.detail]).toEqual([
      0,
      'ConfigMap app restarts its users in stages: Deployment a must first be healthy for 10s',
    ]);
    await passes(20_000);
    expect([stopped, woken]).toEqual([[], ['b']]);
  });

  it('does not ask again the first one, which has proved what it had to, nor any when nobody waits', async () => {
    show('a', { state: 'healthy', ...checked('a') });
    await passes(16_000);
    look('b');
    look('c');
    show('b', { state: 'healthy', ...checked('b') });
    asked = [];
    await passes(6_000);
    expect(new Set(asked)).toEqual(new Set(['b']));
    for (const name of ['c', 'd', 'e']) stages.ended(keyOf(name), 'hold', false);
    asked = [];
    await passes(20_000);
    expect([asked, stages.dueMs]).toEqual([[], Infinity]);
  });

  it('asks anew when somebody waits again after a long time', async () => {
    show('a', { state: 'healthy', ...checked('a') });
    await passes(9_000);
    for (const name of ['b', 'c', 'd', 'e']) stages.ended(keyOf(name), 'hold', false);
    await clock.advance(3_600_000);
    expect(look('b')).toBe(false);
    await passes(16_000);
    expect(look('b')).toBe(true);
  });
});

it('looks at each of thousands of users a few times, and not at all for each', async () => {
  const count = 3_000;
  const names = Array.from({ length: count }, (_, n) => `w${String(n).padStart(5, '0')}`);
  for (const name of names) seed(name);
  for (const name of names) look(name);
  await healthy('w00000');
  for (const name of names.slice(1)) look(name);
  for (const name of names.slice(1, 1 + count / 10)) show(name, { state: 'healthy' });
  await clock.advance(10_000);
  stages.expire();
  for (const name of names.slice(1 + count / 10)) look(name);
  expect(owing.size).toBe(0);
  expect(looks).toBeLessThan(10 * count);
});

it('looks once through thousands of users that all may restart, and again when something about them is new', () => {
  const names = Array.from({ length: 3_000 }, (_, n) => `w${String(n).padStart(5, '0')}`);
  for (const name of names) seed(name);
  sourceGates = { resumed: change };
  for (const name of names) expect(ask(name)).toBeUndefined();
  expect(searches).toBe(1);
  sourceGates = {};
  expect(ask('w00001')).toBeDefined();
  sourceGates = { resumed: change };
  expect(ask('w00001')).toBeUndefined();
});

it('finds out after a minute what it missed about a source without stages', async () => {
  seed('a');
  expect(ask('a')).toBeUndefined();
  for (const name of ['b', 'c']) seed(name);
  expect(ask('b')).toBeUndefined();
  await clock.advance(60_000);
  expect(ask('b')).toBeDefined();
});
