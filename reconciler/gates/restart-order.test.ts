import { beforeEach, describe, expect, it } from '@jest/globals';
import { at, sourceRecord } from '../../shared/domain/plan/records.fixture';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { SourceRecord } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { paced, type PacedOptions } from './gates.fixture';
import { RestartOrder } from './restart-order';

const app = { kind: 'ConfigMap', name: 'app' } as const;
const changes = [app];

let workloads: Map<WorkloadKey, TrackedWorkload>;
let owing: Set<WorkloadKey>;
let rolling: Set<WorkloadKey>;
let source: SourceRecord;
let revision: number;
let woken: string[];
let asked: number;
let logger: RecordingLogger;
let order: RestartOrder;

beforeEach(() => {
  [workloads, owing, rolling] = [new Map(), new Set(), new Set()];
  [revision, woken, asked] = [0, [], 0];
  source = sourceRecord({ writtenAtMs: at(0) });
  logger = new RecordingLogger();
  order = new RestartOrder({
    clock: new FakeClock(),
    workloads: {
      get: (key) => workloads.get(key),
      usersOf: () => [...workloads.values()],
      revisionOf: () => revision,
    },
    sources: { get: () => source },
    rolling: { isRolling: (key) => rolling.has(key) },
    owes: ({ key }) => {
      asked++;
      return owing.has(key);
    },
    logger,
    onTurn: (key) => woken.push(nameOf(key)),
  });
});

function nameOf(key: WorkloadKey): string {
  return key.slice('Deployment/shop/'.length);
}

function keyOf(name: string): WorkloadKey {
  return `Deployment/shop/${name}`;
}

/** A user of the source that owes a restart for it. */
function user(name: string, wave = 0, options: PacedOptions = {}): TrackedWorkload {
  const workload = paced({ name, ...options, gates: { wave, ...options.gates } });
  workloads.set(workload.key, workload);
  owing.add(workload.key);
  revision++;
  return workload;
}

function after(name: string, ...named: readonly string[]): TrackedWorkload {
  return user(name, 0, { gates: { after: named.map((each) => ({ kind: 'Deployment', name: each })) } });
}

function ask(name: string): string | undefined {
  const workload = workloads.get(keyOf(name));
  return workload && order.ask(workload, changes)?.detail;
}

/** It has restarted for the change, and its rollout stands as given. */
function restarted(name: string, options: PacedOptions = {}): void {
  const { record } = workloads.get(keyOf(name))!;
  const workload = paced({ name, lastRestart: { id: 'a', atMs: at(1) }, gates: record.gates!, ...options });
  workloads.set(workload.key, workload);
  owing.delete(workload.key);
  order.changed(workload.key);
}

describe('RestartOrder', () => {
  it('wakes a workload when the last one of all lower waves is done, and not before', () => {
    user('last', 20);
    user('a', 5);
    user('b');
    expect(ask('last')).toBe('reroll.dev/wave 0 comes first: Deployment b has still to restart');
    restarted('b', { state: 'rolling' });
    restarted('b');
    expect(woken).toEqual([]);
    expect(order.told(keyOf('last'))?.detail).toBe('reroll.dev/wave 5 comes first: Deployment a has still to restart');
    restarted('a');
    expect(woken).toEqual(['last']);
    expect(ask('last')).toBeUndefined();
  });

  it.each<[string, PacedOptions, boolean]>([
    ['is healthy', {}, false],
    ['is left alone by restarts', { state: 'unknown' }, false],
    ['rolls out', { state: 'rolling' }, true],
    ['is paused', { state: 'held' }, true],
    ['has failed', { state: 'failed' }, true],
    ['has failed since before the change', { state: 'failed', lastRestart: { id: 'a', atMs: at(-1) } }, false],
  ])('waits for one of a lower wave that has restarted and %s: %j', (_what, options, waits) => {
    user('first');
    user('last', 1);
    restarted('first', options);
    expect(ask('last') !== undefined).toBe(waits);
  });

  it('waits for one whose restart no watch has shown yet', () => {
    user('first');
    user('last', 1);
    restarted('first');
    rolling.add(keyOf('first'));
    expect(ask('last')).toContain('is still rolling out');
  });

  it('counts the health of a named one whenever it restarted, and of no workload that is not tracked', () => {
    after('web', 'db', 'gone', 'web');
    user('db', 0, { state: 'failed' });
    owing.delete(keyOf('db'));
    expect(ask('web')).toBe('reroll.dev/after: Deployment db has failed to roll out');
    restarted('db');
    expect([woken, ask('web')]).toEqual([['web'], undefined]);
  });

  it('begins anew with a new content, and with other users', () => {
    user('first');
    user('last', 1);
    restarted('first');
    expect(ask('last')).toBeUndefined();
    owing.add(keyOf('first'));
    source = { ...source, resourceVersion: '99', writtenAtMs: at(60) };
    expect(ask('last')).toContain('first');
    restarted('first', { lastRestart: { id: 'b', atMs: at(61) } });
    user('second');
    expect(ask('last')).toContain('second');
  });

  it('wakes those that wait for one that is gone', () => {
    user('first');
    user('web', 1, { gates: { after: [{ kind: 'Deployment', name: 'first' }] } });
    user('last', 1);
    ask('web');
    ask('last');
    workloads.delete(keyOf('first'));
    revision++;
    order.changed(keyOf('first'));
    expect(woken).toEqual(['web', 'last']);
  });

  it('finds out what was missed when somebody looks', () => {
    user('first');
    user('last', 1);
    ask('last');
    owing.delete(keyOf('first'));
    expect([woken, order.isWaiting]).toEqual([[], true]);
    order.recheck();
    expect([woken, order.isWaiting]).toEqual([['last'], false]);
  });

  describe('in a circle', () => {
    it('drops the names, wakes the others, and warns once of each', () => {
      after('a', 'b');
      after('b', 'c');
      after('c', 'a');
      expect([ask('a'), ask('b')]).toEqual([expect.any(String), expect.any(String)]);
      expect(ask('c')).toBeUndefined();
      expect(woken.toSorted()).toEqual(['a', 'b']);
      expect([ask('a'), ask('b')]).toEqual([undefined, undefined]);
      expect(logger.lines).toHaveLength(3);
      for (const name of ['a', 'b', 'c']) order.forget(keyOf(name));
      for (const name of ['a', 'b', 'c']) ask(name);
      expect(logger.lines).toHaveLength(3);
    });

    it('is told of a namespace also if another one is full of them', () => {
      for (let n = 0; n < 1_001; n++) {
        after(`a-${n}`, `b-${n}`);
        after(`b-${n}`, `a-${n}`);
        for (const name of [`a-${n}`, `b-${n}`]) ask(name);
      }
      const lines = logger.lines.length;
      expect(lines).toBeLessThan(1_000);
      const gates = (name: string) => ({ gates: { after: [{ kind: 'Deployment', name } as const] } });
      const [one, other] = [
        user('one', 0, { namespace: 'bank', ...gates('other') }),
        user('other', 0, { namespace: 'bank', ...gates('one') }),
      ];
      for (const workload of [one, other]) order.ask(workload, changes);
      expect(logger.lines.slice(lines)).toHaveLength(2);
    });

    it('waits again as soon as another annotation has opened it', () => {
      after('a', 'b');
      after('b', 'a');
      for (const name of ['a', 'b']) ask(name);
      expect([ask('a'), ask('b')]).toEqual([undefined, undefined]);
      user('b');
      expect([ask('a'), ask('b')]).toEqual([expect.stringContaining('Deployment b'), undefined]);
    });

    it('keeps the waves, and drops the name that closes it', () => {
      user('late', 10);
      user('early', 0, { gates: { after: [{ kind: 'Deployment', name: 'late' }] } });
      expect([ask('early'), ask('late')]).toEqual([expect.any(String), expect.any(String)]);
      expect(woken).toEqual(['early']);
      expect([ask('early'), ask('late')]).toEqual([undefined, expect.stringContaining('early')]);
    });

    it('that closes when a wave goes on is found too', () => {
      user('a');
      user('b', 0, { gates: { after: [{ kind: 'Deployment', name: 'late' }] } });
      user('late', 10);
      for (const name of ['late', 'b']) expect(ask(name)).toBeDefined();
      restarted('a');
      expect(woken).toContain('b');
      expect(ask('b')).toBeUndefined();
    });
  });

  it('does little work for a change of many: each user is judged a few times', () => {
    const half = 500;
    for (let n = 0; n < half; n++) {
      user(`first-${n}`);
      user(`last-${n}`, 1);
    }
    for (let n = 0; n < half; n++) expect(ask(`last-${n}`)).toBeDefined();
    for (let n = 0; n < half; n++) restarted(`first-${n}`);
    expect(new Set(woken).size).toBe(half);
    for (let n = 0; n < half; n++) expect(ask(`last-${n}`)).toBeUndefined();
    expect(asked).toBeLessThan(10 * half);
  });
});
