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
let told: (readonly string[])[];
let removals: BaselineRemovals;

function inWorld(answer: Parameters<typeof clientWorld>[0]): void {
  world = clientWorld(answer);
  told = [];
  const reporter = { baselineRemoved: (_: unknown, removers: readonly string[]) => void told.push(removers) };
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
  ['nobody who did it twice', 2, minuteMs, 0],
  ['who did it three times within an hour', 3, 30 * minuteMs, 1],
  ['nobody who did it three times in more', 30, 30 * minuteMs + 1, 0],
  ['who goes on, once', 60, minuteMs, 1],
])('tells of %s', async (_what, times, everyMs, expected) => {
  await putBack(times, everyMs);
  expect(told).toHaveLength(expected);
});

it('names who may have done it, by one read', async () => {
  await putBack(10, minuteMs);
  expect(told).toEqual([['web-operator']]);
  expect(world.transport.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /apis/apps/v1/namespaces/shop/deployments/web',
  ]);
});

it('names nobody where it may not read', async () => {
  inWorld(() => refusal(403, 'Forbidden'));
  await putBack(3, minuteMs);
  expect(told).toEqual([[]]);
});

describe('once it has told', () => {
  beforeEach(async () => await putBack(3, 0));

  it.each([
    ['a day later, though it is put back only once an hour by then', 24, hourMs, 2],
    ['not before', 23, hourMs, 1],
    ['each day', 48, hourMs, 3],
    ['not of another day that begins anew', 2, 24 * hourMs, 1],
  ])('tells it again %s', async (_what, times, everyMs, expected) => {
    await world.clock.advance(everyMs);
    await putBack(times, everyMs);
    expect(told).toHaveLength(expected);
  });

  it('tells of another workload of that name', async () => {
    removals.forget(workload.key);
    await putBack(3, 0);
    expect(told).toHaveLength(2);
  });
});

it('does not count an older baseline in its place, which a rollback brings', async () => {
  for (let n = 0; n < 5; n++) {
    await removals.putBack({ ...workload, record: { ...workload.record, baselineText: '{"v":1,"n":1}' } });
  }
  expect(told).toEqual([]);
});
