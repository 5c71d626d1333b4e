import { beforeEach, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { policySettings, workloadObject } from '../../shared/domain/plan/records.fixture';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { readWorkload } from '../../shared/domain/workloads/workload';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { ShownRestarts, type ShownRestart } from './shown-restarts';

const minute = 60_000;
let clock: FakeClock;
let told: ShownRestart[];
let shown: ShownRestarts;

beforeEach(() => {
  clock = new FakeClock();
  told = [];
  shown = new ShownRestarts({ clock, onShown: (each) => told.push(each) });
});

function see(ready: number, { name = 'web', id = '0123abcd', agoMs = minute, more = {} } = {}): void {
  const last = { at: new Date(clock.nowMs() - agoMs).toISOString(), id, ...more };
  const object = workloadObject({ name, annotations: { 'reroll.dev/last-restart': JSON.stringify(last) } });
  const status = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: ready };
  const whole = {
    ...object,
    metadata: { ...object.metadata, generation: 1 },
    spec: { ...object.spec, replicas: 2 },
    status,
  };
  shown.saw(readWorkload(workloadKind('Deployment'), whole, defaultAnnotationKeys, policySettings), whole);
}

it('tells of a restart and of each change of its health, and of no more', () => {
  see(0);
  see(0);
  see(1);
  see(2);
  see(1);
  see(2, { id: '0123abce' });
  expect(told.map(({ restart, health }) => [restart.id, health.state])).toEqual([
    ['0123abcd', 'rolling'],
    ['0123abcd', 'rolling'],
    ['0123abcd', 'healthy'],
    ['0123abce', 'healthy'],
  ]);
});

it('looks at no workload that was not restarted within the hour', () => {
  see(0, { agoMs: 61 * minute });
  const object = workloadObject();
  shown.saw(readWorkload(workloadKind('Deployment'), object, defaultAnnotationKeys, policySettings), object);
  expect(told).toEqual([]);
  expect(shown.all()).toEqual([]);
});

it('follows one that is not well for longer, and forgets one that is', async () => {
  see(0, { name: 'bad' });
  see(2, { name: 'good' });
  await clock.advance(60 * minute);
  see(2, { name: 'new', id: '0123abce' });
  expect(shown.all().map(({ target }) => target.name)).toEqual(['bad', 'new']);
});

it('keeps what the annotation tells, unless it is long', () => {
  see(0, { more: { sources: { 'cm/app': ['color'] } } });
  see(0, { name: 'long', more: { sources: { 'cm/app': ['k'.repeat(3_000)] } } });
  expect(told[0]?.told).toContain('"cm/app":["color"]');
  expect(told[1]?.told).toBeUndefined();
});

it('is bounded', () => {
  for (let index = 0; index < 3_000; index++) see(0, { name: `w-${index}` });
  expect(shown.all().length).toBeLessThan(budgets.followedNamespaceBytes / 400);
  expect(shown.get('uid-w-2999')).toBeDefined();
});
