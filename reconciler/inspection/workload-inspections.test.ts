import { describe, expect, it } from '@jest/globals';
import { formatBaseline } from '../../shared/domain/baseline/baseline';
import {
  contentOf,
  digester,
  listedRecord,
  sourceRecord,
  workloadRecord,
} from '../../shared/domain/plan/records.fixture';
import type { HistoryEntry } from '../../shared/domain/protocol/history';
import type { WorkloadInspection } from '../../shared/domain/protocol/workload-inspection';
import { InspectionWorld } from './inspection.fixture';
import { inspectWorkload } from './workload-inspections';

const web = { about: 'workload', kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
const digestOf = (name: string) => contentOf({ color: 'red' }, 'ConfigMap', name).whole();
const term = { inChargeSinceMs: 0, watchingSinceMs: 0 };

describe('what is known about a workload', () => {
  it('has a source that was not read yet, and does not guess', () => {
    const world = new InspectionWorld();
    world.see();
    world.seeSource(listedRecord());
    expect(inspectWorkload(world.view, web, term)).toMatchObject({
      restart: 'not-known',
      sources: [{ name: 'app', standing: 'not-read-yet', why: 'the source must be read first' }],
    });
  });

  it('names 500 sources and counts the rest', () => {
    const world = new InspectionWorld();
    world.see({ annotations: { 'configmap.reloader.stakater.com/reload': 'app-.*' }, uses: [] });
    for (let index = 0; index < 507; index++) world.seeSource(sourceRecord({ name: `app-${index}` }));
    const answer = inspectWorkload(world.view, web, term);
    expect(answer.tracked && [answer.sources.length, answer.moreSources]).toEqual([500, 7]);
  });

  it('names the sources first that call for a restart', () => {
    const world = new InspectionWorld();
    const names = Array.from({ length: 503 }, (_, index) => `app-${index}`);
    const sources = new Map(names.map((name) => [`cm/${name}`, digestOf(name)] as const));
    const baseline = formatBaseline({ sequence: 1, keyId: digester.keyId, sources });
    const annotations = { 'configmap.reloader.stakater.com/reload': 'app-.*' };
    world.see({ annotations, uses: [], baseline });
    for (const name of names) {
      const isEdited = name === 'app-502';
      world.seeSource(
        sourceRecord({ name, ...(isEdited && { data: { color: 'blue' }, writtenAtMs: world.clock.nowMs() }) }),
      );
    }
    const answer = inspectWorkload(world.view, web, term);
    expect(answer.tracked && [answer.restart, answer.moreSources]).toEqual(['owed', 3]);
    expect(answer.tracked && answer.sources.slice(0, 2)).toMatchObject([
      { name: 'app-502', standing: 'changed', restarts: true },
      { standing: 'unchanged', restarts: false },
    ]);
  });

  it('says that it is being deleted', () => {
    const world = new InspectionWorld();
    world.seeSource(sourceRecord());
    world.see({ deleting: true });
    expect(inspectWorkload(world.view, web, term)).toMatchObject({ deleting: true, restart: 'not-owed', sources: [] });
  });

  it('says that a Job is being recreated while there is none', () => {
    const isRecreating = (namespace: string, name: string) => `${namespace}/${name}` === 'shop/web';
    const { view } = new InspectionWorld({}, { journal: { isRecreating } });
    const job = { ...web, kind: 'Job' } as const;
    expect(inspectWorkload(view, job, term)).toMatchObject({ tracked: false, because: 'being-recreated' });
    for (const other of [web, { ...job, name: 'other' }, { ...job, namespace: 'other' }]) {
      expect(inspectWorkload(view, other, term)).toMatchObject({ tracked: false, because: 'not-listed' });
    }
  });

  it('says why its baseline cannot be used, and what is wrong with its annotations', () => {
    const world = new InspectionWorld();
    const annotations = { 'reloader.stakater.com/auto': 'true', 'reroll.dev/settle': 'soon' };
    world.see({ annotations, baseline: 'nonsense' });
    expect(inspectWorkload(world.view, web, term)).toMatchObject({
      baselineProblem: expect.stringContaining('it is not JSON'),
      problems: [expect.stringContaining('Deployment shop/web: annotation reroll.dev/settle="soon"')],
    });
  });

  it('does not say that it does not exist before its namespace is known', () => {
    const world = new InspectionWorld({}, { scope: { isKnown: false, isSelected: () => false } });
    expect(inspectWorkload(world.view, web, term)).toMatchObject({ tracked: false, because: 'not-listed' });
  });

  it('says that its namespace is not selected, whatever it asked for when that was', () => {
    let isSelected = true;
    const world = new InspectionWorld({}, { scope: { isKnown: true, isSelected: () => isSelected } });
    world.show(workloadRecord({ annotations: {} }));
    expect(inspectWorkload(world.view, web, term)).toMatchObject({ tracked: false, because: 'not-opted-in' });
    isSelected = false;
    expect(inspectWorkload(world.view, web, term)).toMatchObject({ tracked: false, because: 'namespace-not-selected' });
  });

  it.each([
    [
      'tells how its last restart ended',
      'web',
      { lastRestart: { at: '2026-01-01T09:30:00.000Z', outcome: 'unhealthy' } },
    ],
    ['tells nothing of the restart of another workload, of which it is a copy', 'original', { lastRestart: undefined }],
  ])('%s', (_what, name, expected) => {
    const id = '3f9c2a71';
    const entry: HistoryEntry = {
      ...{ at: '2026-01-01T09:30:00.000Z', id, kind: 'Deployment', namespace: 'shop', name, causes: [] },
      outcome: 'unhealthy',
    };
    const { view } = new InspectionWorld();
    const world = new InspectionWorld(
      {},
      { history: { ...view.history, find: (of) => (of === id ? entry : undefined) } },
    );
    const noted = JSON.stringify({ at: entry.at, id });
    world.see({ annotations: { 'reloader.stakater.com/auto': 'true', 'reroll.dev/last-restart': noted } });
    const { lastRestart } = inspectWorkload(world.view, web, term) as WorkloadInspection & { tracked: true };
    expect({ lastRestart }).toMatchObject(expected);
  });

  it('owes no restart to a workload that is only tracked to be resumed', () => {
    const world = new InspectionWorld();
    const annotations = {
      'reloader.stakater.com/auto': 'false',
      'deployment.reloader.stakater.com/paused-at': '2026-01-01T00:00:00Z',
    };
    world.see({ annotations });
    world.seeSource(sourceRecord());
    expect(inspectWorkload(world.view, web, term)).toMatchObject({ tracked: true, restart: 'not-owed' });
  });
});
