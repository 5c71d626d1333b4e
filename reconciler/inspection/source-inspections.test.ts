import { describe, expect, it } from '@jest/globals';
import { appConfig, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { InspectionWorld } from './inspection.fixture';
import { inspectSource } from './source-inspections';

const app = { about: 'source', ...appConfig } as const;
const term = { inChargeSinceMs: 0, watchingSinceMs: 0 };

describe('what is known about a source', () => {
  it('has its annotations, and each user with its keys', () => {
    const world = new InspectionWorld();
    world.seeSource(sourceRecord({ match: true }));
    world.see({ keys: ['size', 'color'] });
    world.see({ name: 'other', uses: ['cm/other'] });
    expect(inspectSource(world.view, app, term)).toMatchObject({
      ...{ presence: 'present', ignore: false, match: true },
      users: [{ kind: 'Deployment', name: 'web', decision: 'auto', keys: ['color', 'size'], restarts: true }],
    });
  });

  it.each([
    ['says that this process writes nothing', true, true],
    ['does not say so of one that does', false, undefined],
  ])('%s', (_what, dryRun, expected) => {
    const world = new InspectionWorld({ dryRun });
    expect(inspectSource(world.view, app, term).dryRun).toBe(expected);
  });

  it('says that a change restarts nobody if it is annotated to be ignored', () => {
    const world = new InspectionWorld();
    world.seeSource(sourceRecord({ ignore: true }));
    world.see();
    expect(inspectSource(world.view, app, term).users).toMatchObject([{ decision: 'source-ignored', restarts: false }]);
  });

  it.each([
    ['may not be listed', 'not-listed', () => false],
    ['may not be listed, and this one was read by name', 'absent', () => true],
  ])('says that its kind %s', (_what, presence, isNamed) => {
    const world = new InspectionWorld({}, { knownKinds: () => new Set(), isNamed });
    expect(inspectSource(world.view, app, term)).toMatchObject({ presence });
  });

  it.each([
    ['there before its first rotation', { ignore: false, match: true }, { presence: 'present', match: true }],
    ['not there', undefined, { presence: 'absent' }],
  ])('says that a SecretProviderClass is %s', (_what, flags, expected) => {
    const vault = { namespace: 'shop', name: 'vault' };
    const world = new InspectionWorld(
      { csi: true },
      {
        knownKinds: () => new Set(['SecretProviderClass']),
        csi: { classOf: ({ name }) => (name === 'vault' && flags ? { ...vault, ...flags } : undefined) },
      },
    );
    const answer = inspectSource(world.view, { about: 'source', kind: 'SecretProviderClass', ...vault }, term);
    expect(answer).toMatchObject(expected);
  });

  it('says that a rotation restarts nobody if its SecretProviderClass is to be ignored, also before the first one', () => {
    const vault = { namespace: 'shop', name: 'vault', ignore: true, match: false };
    const knownKinds = () => new Set(['SecretProviderClass'] as const);
    const world = new InspectionWorld({ csi: true }, { knownKinds, csi: { classOf: () => vault } });
    world.see({ annotations: { 'secretproviderclass.reloader.stakater.com/reload': 'vault' } });
    const { users } = inspectSource(world.view, { about: 'source', kind: 'SecretProviderClass', ...vault }, term);
    expect(users).toMatchObject([{ decision: 'source-ignored', restarts: false }]);
  });

  it('says that a change does not restart a workload that is being deleted', () => {
    const world = new InspectionWorld();
    world.seeSource(sourceRecord());
    world.see({ deleting: true });
    expect(inspectSource(world.view, app, term).users).toMatchObject([
      { restarts: false, why: 'the workload is being deleted' },
    ]);
  });

  it('says that a restart would not begin yet', () => {
    const hold = { untilMs: 86_400_000 * 30_000, because: undefined };
    const world = new InspectionWorld();
    world.seeSource({ ...sourceRecord(), gates: { hold } });
    world.see();
    world.see({ name: 'free', annotations: { 'reloader.stakater.com/auto': 'true', 'reroll.dev/hold': 'false' } });
    world.see({ name: 'going', deleting: true });
    const deferred = { gate: 'hold', until: '2052-02-20T00:00:00.000Z', detail: 'reroll.dev/hold on ConfigMap app' };
    const { users } = inspectSource(world.view, app, term);
    expect(users.map((user) => [user.name, user.deferred])).toEqual([
      ['free', undefined],
      ['going', undefined],
      ['web', deferred],
    ]);
  });

  it('says who would restart first', () => {
    const world = new InspectionWorld();
    world.seeSource({ ...sourceRecord(), gates: { stages: 'on' } });
    const annotations = { 'reloader.stakater.com/auto': 'true' };
    world.see({ name: 'db', annotations });
    world.see({ name: 'web', annotations: { ...annotations, 'reroll.dev/after': 'deployment/db' } });
    world.see({ name: 'worker', annotations });
    const { users } = inspectSource(world.view, app, term);
    expect(users.map((user) => [user.name, user.deferred?.detail])).toEqual([
      ['db', undefined],
      ['web', 'reroll.dev/after: Deployment db has still to restart'],
      ['worker', 'ConfigMap app restarts its users in stages: Deployment db goes first'],
    ]);
  });

  it('says that its namespace is not selected', () => {
    const world = new InspectionWorld({}, { scope: { isKnown: true, isSelected: () => false } });
    expect(inspectSource(world.view, app, term).namespaceSelected).toBe(false);
  });
});
