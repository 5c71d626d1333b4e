import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RolloutHealth } from '../../shared/domain/workloads/rollout-health';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { FakeClock } from '../../shared/runtime/fake-clock';
import type { HistoryTarget } from './history-entry';
import { OpenRestarts } from './open-restarts';
import type { ShownRestart } from './shown-restarts';

const minute = 60_000;
let clock: FakeClock;
let shown: Map<string, ShownRestart>;
let ends: string[];
let open: OpenRestarts;

beforeEach(() => {
  clock = new FakeClock();
  shown = new Map();
  ends = [];
  open = new OpenRestarts({
    ...{ clock, shown },
    onEnd: ({ id }, { outcome, reason }) => ends.push(`${id} ${outcome}${reason === undefined ? '' : `: ${reason}`}`),
  });
});

const target = (kind: WorkloadKindName = 'StatefulSet', name = 'db', uid = `uid-${name}`): HistoryTarget => ({
  ...{ kind, namespace: 'shop', name, uid },
});

function begin(id = '1', of = target(), heldUntilMs?: number): void {
  open.begin({ id, atMs: clock.nowMs(), target: of, ...(heldUntilMs !== undefined && { heldUntilMs }) });
}

function show(health: RolloutHealth, id = '1', of = target()): void {
  const each = { target: of, restart: { id, atMs: 0 }, told: undefined, health };
  shown.set(of.uid, each);
  open.look(each);
}

const rolling: RolloutHealth = { state: 'rolling', missing: '2 of 3 pods are ready' };
const failed: RolloutHealth = { state: 'failed', missing: 'none is ready' };
const healthy: RolloutHealth = { state: 'healthy' };

it('ends once when a watch shows it healthy', () => {
  begin();
  show(rolling);
  expect(ends).toEqual([]);
  show(healthy);
  show(healthy);
  expect(ends).toEqual(['1 healthy']);
});

it('ends at once if a watch has shown it before', () => {
  shown.set('uid-db', { target: target(), restart: { id: '1', atMs: 0 }, told: undefined, health: healthy });
  begin();
  expect(ends).toEqual(['1 healthy']);
});

it('is not ended by what is shown of another restart, or of an object of the same name', () => {
  begin();
  show(healthy, '0');
  show(healthy, '1', target('StatefulSet', 'db', 'another'));
  expect(ends).toEqual([]);
});

it('is superseded by the next of the same workload alone', () => {
  begin('1');
  begin('2', target('StatefulSet', 'other'));
  begin('3');
  expect(ends).toEqual(['1 superseded']);
  expect([open.has('StatefulSet/shop/db', '1'), open.has('StatefulSet/shop/db', '3')]).toEqual([false, true]);
});

describe('at its deadline', () => {
  it.each<[WorkloadKindName, number, RolloutHealth, string]>([
    ['StatefulSet', 10, rolling, '1 unhealthy: 2 of 3 pods are ready after 10m'],
    ['DaemonSet', 10, rolling, '1 unhealthy: 2 of 3 pods are ready after 10m'],
    ['Deployment', 60, rolling, '1 unknown: 2 of 3 pods are ready after 1h'],
    ['Rollout', 60, { state: 'held', missing: 'its rollout is paused' }, '1 unknown: its rollout is paused after 1h'],
    ['Job', 10, { state: 'held', missing: 'the Job is not complete' }, '1 unknown: the Job is not complete after 10m'],
  ])('a %s ends after %i minutes', async (kind, minutes, health, end) => {
    begin('1', target(kind));
    show(health, '1', target(kind));
    await clock.advance(minutes * minute - 1);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect(ends).toEqual([end]);
  });

  it('it is unknown if no watch has shown it', async () => {
    begin();
    await clock.advance(10 * minute);
    expect(ends).toEqual(['1 unknown: no watch has shown it after 10m']);
  });

  it('a Deployment that Reroll holds paused has the time from its end on', async () => {
    begin('1', target('Deployment'), clock.nowMs() + 30 * minute);
    await clock.advance(89 * minute);
    expect(ends).toEqual([]);
    await clock.advance(minute);
    expect(ends).toHaveLength(1);
  });
});

describe('an unhealthy one', () => {
  it('is told once, and stays until its pods are well', async () => {
    begin();
    show(failed);
    show(failed);
    await clock.advance(60 * minute);
    expect(ends).toEqual(['1 unhealthy: none is ready']);
    expect(open.unhealthySince('StatefulSet/shop/db')?.id).toBe('1');
    show(healthy);
    expect(ends).toHaveLength(1);
    expect(open.unhealthySince('StatefulSet/shop/db')).toBeUndefined();
  });

  it('is not told as superseded, and the next begins anew', () => {
    begin();
    show(failed);
    begin('2');
    expect(ends).toEqual(['1 unhealthy: none is ready']);
    expect(open.unhealthySince('StatefulSet/shop/db')).toBeUndefined();
  });
});

it('ends with its workload, but a Job comes back', () => {
  begin();
  open.gone('StatefulSet/shop/db', 'of an earlier one');
  expect(ends).toEqual([]);
  open.gone('StatefulSet/shop/db', 'uid-db');
  begin('2', target('Job'));
  open.gone('Job/shop/db', 'uid-db');
  expect(ends).toEqual(['1 unknown: the workload is gone, or asks for no restarts any more']);
});

it('is dropped without a word when the term ends', async () => {
  begin();
  open.clear();
  await clock.advance(60 * minute);
  expect(ends).toEqual([]);
});

it('is bounded: a namespace that has too many loses its own oldest', () => {
  begin('of another', { ...target(), namespace: 'quiet' });
  for (let index = 0; index < 5_000; index++) begin(String(index), target('StatefulSet', `w-${index}`));
  expect(ends[0]).toBe('0 unknown: too many restarts were followed at once');
  expect(ends.length).toBeGreaterThan(3_000);
  expect(open.has('StatefulSet/quiet/db', 'of another')).toBe(true);
});
