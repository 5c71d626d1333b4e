import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';
import { describe, expect, it } from '@jest/globals';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import {
  appConfig,
  policySettings,
  sourceRecord,
  trackedWorkload,
  workloadRecord,
} from '../../shared/domain/plan/records.fixture';
import { WorkloadGates } from './workload-gates';

const held: GateSettings = { hold: { untilMs: undefined, because: undefined } };
const app = { kind: 'ConfigMap', name: 'app' } as const;

interface Places {
  readonly workload?: GateSettings;
  readonly source?: GateSettings;
  readonly namespace?: GateSettings;
  readonly install?: GateSettings;
  readonly lastRestartMs?: number;
}

function world({ source, namespace, install }: Places, isHeld = false): WorkloadGates {
  const hold = { untilMs: undefined, because: undefined, bearer: 'ConfigMap reroll/reroll-hold' };
  return new WorkloadGates({
    sources: {
      get: ({ name }) => (name === 'app' ? { ...sourceRecord({}), ...(source && { gates: source }) } : undefined),
    },
    namespaces: { of: (name) => (name === 'shop' ? namespace : undefined) },
    heldInstall: { hold: isHeld ? hold : undefined },
    install,
    policy: policySettings,
    stages: withoutStages,
  });
}

function ask(places: Places, isHeld = false) {
  const { workload, lastRestartMs } = places;
  const record = {
    ...workloadRecord(),
    ...(workload && { gates: workload }),
    ...(lastRestartMs !== undefined && { lastRestart: { atMs: lastRestartMs, id: '01234567' } }),
  };
  return world(places, isHeld).ask({ record }, [app, { kind: 'Secret', name: 'gone' }], 1_000);
}

describe('WorkloadGates', () => {
  it.each<[string, Places, string]>([
    ['the workload', { workload: held }, 'reroll.dev/hold on the workload'],
    ['its namespace', { namespace: held }, 'reroll.dev/hold on namespace shop'],
    ['the install', { install: { minIntervalMs: 500 }, lastRestartMs: 900 }, '--min-interval: 500ms'],
  ])('asks what %s says', (_what, places, detail) => {
    expect(ask(places)).toMatchObject({ isOpen: false, closed: { detail } });
  });

  it('asks each source about its own change', () => {
    expect(ask({ source: held })).toEqual({ isOpen: true, passed: [] });
    expect(ask({ source: held, namespace: { mode: 'next-rollout' } })).toMatchObject({ isOpen: false });
  });

  it('asks whether everything is held', () => {
    expect(ask({}, true)).toMatchObject({ closed: { detail: 'ConfigMap reroll/reroll-hold' } });
  });
});

describe('the turns of a change', () => {
  const users = ['a', 'b'].map((name) => trackedWorkload(workloadRecord({ name })));
  const closedIn = (places: Places): readonly (string | undefined)[] =>
    users.map(world(places).turns(appConfig, users, users, 1_000)).map((closed) => closed?.gate);
  const [on, off] = [{ stages: 'on' }, { stages: 'off' }] as const;

  it('have none if nothing says so', () => expect(closedIn({})).toEqual([undefined, undefined]));

  it.each<[string, Places]>([
    ['the source', { source: on }],
    ['its namespace', { namespace: on }],
  ])('have stages if %s says so', (_what, places) => {
    expect(closedIn(places)).toEqual([undefined, 'stages']);
  });

  it('have none if the source says so, whatever its namespace says', () => {
    expect(closedIn({ source: off, namespace: on })).toEqual([undefined, undefined]);
  });
});
