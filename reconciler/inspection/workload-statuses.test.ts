import { describe, expect, it } from '@jest/globals';
import { waitReasons } from '../../shared/domain/protocol/workload-status';
import type { QueueResult } from '../queue/key-queue';
import type { WorkloadOptions } from '../../shared/domain/plan/records.fixture';
import { InspectionWorld } from './inspection.fixture';
import { workloadStatus } from './workload-statuses';

const time = (ms: number): string => new Date(ms).toISOString();

describe('the state of a workload', () => {
  it('is in step if nothing waits', () => {
    const world = new InspectionWorld();
    expect(workloadStatus(world.view, world.see())).toEqual({ state: 'in-step' });
  });

  it('is pending in its settle window, until the window ends', async () => {
    const world = new InspectionWorld();
    const web = world.see();
    const sinceMs = world.clock.nowMs();
    world.settle.touch(web.key, 'cm/app');
    await world.clock.advance(400);
    expect(workloadStatus(world.view, web)).toEqual({
      ...{ state: 'pending', waitsFor: 'settle-window' },
      ...{ since: time(sinceMs), until: time(sinceMs + 1_000) },
    });
    await world.clock.advance(600);
    expect(workloadStatus(world.view, web)).toEqual({ state: 'in-step' });
  });

  it('ends its settle window by its own annotation', () => {
    const world = new InspectionWorld();
    const annotations = { 'reloader.stakater.com/auto': 'true', 'reroll.dev/settle': '5s' };
    const web = world.see({ annotations });
    world.settle.touch(web.key, 'cm/app');
    expect(workloadStatus(world.view, web).until).toBe(time(world.clock.nowMs() + 5_000));
  });

  it('is pending in the queue, and while it is looked at', async () => {
    const world = new InspectionWorld();
    const ends: ((result: QueueResult) => void)[] = [];
    world.result = new Promise((resolve) => void ends.push(resolve));
    const web = world.see();
    const sinceMs = world.clock.nowMs();
    world.queue.add(web.key, 500);
    expect(workloadStatus(world.view, web)).toEqual({ state: 'pending', waitsFor: 'turn', since: time(sinceMs) });
    await world.clock.advance(500);
    expect(workloadStatus(world.view, web)).toEqual({ state: 'pending', waitsFor: 'turn' });
    ends[0]!({ kind: 'done' });
    await world.clock.advance(0);
    expect(workloadStatus(world.view, web)).toEqual({ state: 'in-step' });
  });

  it('tells what the last look left behind, and when the next one is', async () => {
    const world = new InspectionWorld();
    const web = world.see();
    const sinceMs = world.clock.nowMs();
    world.unfinished.note(web, { kind: 'failed', error: new Error() });
    await world.clock.advance(100);
    world.queue.add(web.key, 900);
    expect(workloadStatus(world.view, web)).toEqual({
      ...{ state: 'waiting', waitsFor: 'retry', errorCode: 'UNEXPECTED' },
      ...{ since: time(sinceMs), until: time(sinceMs + 1_000) },
    });
  });

  it.each(waitReasons.filter((reason) => reason !== 'settle-window'))('has one for %s', (waitsFor) => {
    const states: Readonly<Record<string, string>> = {
      ...{ turn: 'pending', permission: 'blocked', fix: 'blocked', 'baseline-write': 'blocked' },
      ...{ sources: 'unknown' },
    };
    const world = new InspectionWorld();
    const web = world.see();
    world.unfinished.note(web, { kind: 'again', afterMs: 0, waitsFor });
    expect(workloadStatus(world.view, web)).toMatchObject({ state: states[waitsFor] ?? 'waiting', waitsFor });
  });

  it('is in step in a dry run, where no baseline is ever written', () => {
    const world = new InspectionWorld({ dryRun: true });
    const web = world.see();
    world.unfinished.note(web, { kind: 'again', afterMs: 600_000, waitsFor: 'baseline-write' });
    world.queue.add(web.key, 600_000);
    expect(workloadStatus(world.view, web)).toEqual({ state: 'in-step' });
    world.queue.add(web.key, 0);
    expect(workloadStatus(world.view, web)).toMatchObject({ state: 'pending', waitsFor: 'turn' });
  });

  it.each<
    [
      string,
      ConstructorParameters<typeof InspectionWorld>[0],
      ConstructorParameters<typeof InspectionWorld>[1],
      string,
      WorkloadOptions?,
    ]
  >([
    ['that it uses may not be listed', {}, { knownKinds: () => new Set(['Secret'] as const) }, 'unknown'],
    ['of another kind may not be listed', {}, { knownKinds: () => new Set(['ConfigMap'] as const) }, 'in-step'],
    [
      'that it uses may not be listed and are read by name',
      {},
      { knownKinds: () => new Set(['Secret'] as const), isNamed: () => true },
      'in-step',
    ],
    [
      'that a list names may not be listed',
      {},
      { knownKinds: () => new Set(['Secret'] as const) },
      'unknown',
      { annotations: { 'configmap.reloader.stakater.com/reload': 'app' }, uses: [] },
    ],
    [
      'that a pattern names may not be listed',
      {},
      { knownKinds: () => new Set(['Secret'] as const), isNamed: () => true },
      'unknown',
      { annotations: { 'configmap.reloader.stakater.com/reload': 'a.*' }, uses: [] },
    ],
    [
      'that it uses and excludes may not be listed',
      {},
      { knownKinds: () => new Set(['Secret'] as const) },
      'in-step',
      {
        annotations: {
          'reloader.stakater.com/auto': 'true',
          'configmaps.exclude.reloader.stakater.com/reload': 'app',
        },
      },
    ],
    [
      'that it uses are left out by a flag',
      { ignoredSourceKind: 'ConfigMap' as const },
      { knownKinds: () => new Set(['Secret'] as const) },
      'in-step',
    ],
  ])('if sources %s', (_what, settings, parts, state, options = {}) => {
    const world = new InspectionWorld(settings, parts);
    expect(workloadStatus(world.view, world.see(options)).state).toBe(state);
  });
});
