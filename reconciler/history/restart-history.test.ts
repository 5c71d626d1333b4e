import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { policySettings, workloadObject } from '../../shared/domain/plan/records.fixture';
import type { HistoryEntry } from '../../shared/domain/protocol/history';
import { readWorkload } from '../../shared/domain/workloads/workload';
import { zeroRandom } from '../../shared/kube/client/client.fixture';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { silentLogger } from '../../shared/runtime/log/logger';
import { HistoryLog } from './history-log';
import { RestartHistory } from './restart-history';
import { entryAt } from './history.fixture';

const minuteMs = 60_000;
let clock: FakeClock;
let stored: HistoryLog;
let history: RestartHistory;
let ended: string[];

beforeEach(() => {
  clock = new FakeClock();
  stored = new HistoryLog();
  ended = [];
  history = new RestartHistory({
    ...{ clock, random: zeroRandom, logger: silentLogger },
    store: { read: async () => await Promise.resolve(stored), write: async () => await Promise.resolve() },
    onRefused: () => undefined,
    isReferenced: () => false,
    onEnd: ({ target: { namespace, name } }, { outcome }) => ended.push(`${namespace}/${name} ${outcome}`),
  });
});

/** A watch shows a workload whose pods are well, with the annotation of a restart of a minute ago. */
function see(namespace: string, name: string, id: string): void {
  const last = { at: new Date(clock.nowMs() - minuteMs).toISOString(), id, sources: { 'cm/app': ['color'] } };
  const object = workloadObject({ namespace, name, annotations: { 'reroll.dev/last-restart': JSON.stringify(last) } });
  const whole = {
    ...object,
    metadata: { ...object.metadata, generation: 1, uid: `uid of ${namespace}/${name}` },
    spec: { ...object.spec, replicas: 2 },
    status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
  };
  history.saw(readWorkload(workloadKind('Deployment'), whole, defaultAnnotationKeys, policySettings), whole);
}

async function lead(...entries: readonly HistoryEntry[]): Promise<void> {
  for (const entry of entries) stored.add(entry);
  history.begin();
  await clock.advance(0);
  await clock.settle();
}

const outcomes = () => history.read().entries.map(({ namespace, id, outcome }) => [namespace, id, outcome]);
const { id } = entryAt(7);

describe('the restart of an earlier leader', () => {
  it('ends as its own workload shows it', async () => {
    see('shop', 'web', id);
    await lead(entryAt(7));
    expect(outcomes()).toEqual([['shop', id, 'healthy']]);
    expect(ended).toEqual(['shop/web healthy']);
  });

  it('does not end as a copy of its workload shows it, which has its annotation too', async () => {
    see('copies', 'web', id);
    await lead(entryAt(7));
    expect(outcomes()).toEqual([['shop', id, 'unknown']]);
    expect(ended).toEqual([]);
  });
});

it('takes over thousands of restarts, and looks through the whole history for none of them', async () => {
  const ids = Array.from({ length: 50 }, (_, index) => entryAt(index).id);
  ids.forEach((each, index) => see('shop', `web-${index}`, each));
  see('copies', 'web-49', entryAt(49).id);
  const find = jest.spyOn(stored, 'find');
  await lead(...ids.slice(0, 40).map((_, index) => entryAt(index, { name: `web-${index}` })));
  expect(find).not.toHaveBeenCalled();
  expect(outcomes().toSorted()).toEqual(ids.map((each) => ['shop', each, 'healthy']));
});

it('is not written over by a workload that claims the id of a restart of this term', async () => {
  await lead();
  const target = { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' } as const;
  history.restarted({ id, atMs: clock.nowMs(), target, strategy: 'env-vars', changes: [] });
  see('liars', 'web', id);
  expect(outcomes()).toEqual([['shop', id, 'rolling']]);
  expect(ended).toEqual([]);
});

it('does not call a Job refused that could not be created again at first', async () => {
  await lead();
  const target = { kind: 'Job', namespace: 'shop', name: 'import', uid: 'u' } as const;
  const told = JSON.stringify({ at: new Date(clock.nowMs()).toISOString(), id, sources: { 'cm/app': ['color'] } });
  history.refusedAsTold(target, told, 'FORBIDDEN');
  expect(outcomes()).toEqual([['shop', id, 'failed']]);
  history.restartedAsTold(target, told);
  expect(outcomes()).toEqual([['shop', id, 'rolling']]);
  expect(history.find(id)).not.toHaveProperty('reason');
});
