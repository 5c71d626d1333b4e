import { beforeEach, describe, expect, it } from '@jest/globals';
import { clientWorld, type ClientWorld } from '../../shared/kube/client/client.fixture';
import { refusal } from '../../shared/kube/transport/fake-transport';
import { restartOf } from '../apply/restart.fixture';
import { BaselineRemovals } from './baseline-removals';

const metadata = {
  ...{ name: 'web', uid: 'u', resourceVersion: '1' },
  managedFields: [{ manager: 'web-operator', operation: 'Update' }],
};
const { workload } = restartOf();
const [minuteMs, hourMs] = [60_000, 3_600_000];

let world: ClientWorld;
let reported: (readonly string[])[];
let lost: number;
let removals: BaselineRemovals;

function inWorld(answer: Parameters<typeof clientWorld>[0]): void {
  world = clientWorld(answer);
  reported = [];
  lost = 0;
  const reporter = {
    baselineRemoved: (_: unknown, removers: readonly string[]) => void reported.push(removers),
    baselineLost: () => {
      lost++;
    },
  };
  removals = new BaselineRemovals({ ...world, reporter });
}

beforeEach(() => inWorld(() => ({ status: 200, body: { metadata } })));

async function putBack(times: number, everyMs: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await removals.putBack(workload);
    await world.clock.advance(everyMs);
  }
}

it.each([
  ['two removals are not reported', 2, minuteMs, 0],
  ['three removals within an hour are reported', 3, 30 * minuteMs, 1],
  ['removals more than half an hour apart are not reported', 30, 30 * minuteMs + 1, 0],
  ['continued removals are reported once', 60, minuteMs, 1],
])('%s', async (_what, times, everyMs, expected) => {
  await putBack(times, everyMs);
  expect(reported).toHaveLength(expected);
});

it('names the field managers that may have done it, with one read', async () => {
  await putBack(10, minuteMs);
  expect(reported).toEqual([['web-operator']]);
  expect(world.transport.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /apis/apps/v1/namespaces/shop/deployments/web',
  ]);
});

it('names nobody if it may not read the workload', async () => {
  inWorld(() => refusal(403, 'Forbidden'));
  await putBack(3, minuteMs);
  expect(reported).toEqual([[]]);
});

describe('after a report', () => {
  beforeEach(async () => await putBack(3, 0));

  it.each([
    ['is repeated a day later, though the baseline is restored only once an hour by then', 24, hourMs, 2],
    ['not before', 23, hourMs, 1],
    ['each day', 48, hourMs, 3],
    ['is not repeated for removals a day apart', 2, 24 * hourMs, 1],
  ])('%s', async (_what, times, everyMs, expected) => {
    await world.clock.advance(everyMs);
    await putBack(times, everyMs);
    expect(reported).toHaveLength(expected);
  });

  it('reports another workload of that name', async () => {
    removals.forget(workload.key);
    await putBack(3, 0);
    expect(reported).toHaveLength(2);
  });
});

it('does not count an older baseline in its place, as after a rollback', async () => {
  for (let n = 0; n < 5; n++) {
    await removals.putBack({ ...workload, record: { ...workload.record, baselineText: '{"v":1,"n":1}' } });
  }
  expect(reported).toEqual([]);
});

describe('a baseline that is removed from the write itself', () => {
  it('is reported at once, and once a day while that goes on', async () => {
    for (let n = 0; n < 24 * 6; n++) {
      removals.lost(workload);
      await world.clock.advance(10 * minuteMs);
    }
    expect(lost).toBe(1);
    removals.lost(workload);
    expect(lost).toBe(2);
  });

  it('is reported for another workload of that name', () => {
    removals.lost(workload);
    removals.forget(workload.key);
    removals.lost(workload);
    expect(lost).toBe(2);
  });
});
