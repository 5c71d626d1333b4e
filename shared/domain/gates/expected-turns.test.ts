import { describe, expect, it } from '@jest/globals';
import type { GateSettings } from '../gate-settings/gate-settings';
import { withoutStages } from '../gate-settings/stage-settings';
import { workloadRecord, type WorkloadOptions } from '../plan/records.fixture';
import { workloadKey } from '../plan/tracked-workload';
import type { RankedWorkload } from './canary-order';
import { expectedTurns, type ExpectedChange } from './expected-turns';

const source = { kind: 'ConfigMap', name: 'app' } as const;

interface Options extends WorkloadOptions {
  readonly gates?: GateSettings;
  readonly pods?: number;
}

function user({ gates, pods = 1, ...options }: Options): RankedWorkload {
  const progress = { state: 'healthy', pods, pendingPods: 0 } as const;
  const record = { ...workloadRecord(options), progress, ...(gates && { gates }) };
  return { key: workloadKey(record.kind, record.namespace, record.name), record };
}

/** By name, what each waits for. */
function turnsOf(
  users: readonly RankedWorkload[],
  more: Partial<ExpectedChange> = {},
): Readonly<Record<string, string>> {
  const change = {
    source,
    users,
    restarting: users,
    mayBegin: () => true,
    stagesAround: undefined,
    stages: withoutStages,
  };
  const turnOf = expectedTurns({ ...change, ...more });
  return Object.fromEntries(
    (more.restarting ?? users).flatMap((each) => {
      const gate = turnOf(each);
      return gate ? [[each.record.name, `${gate.gate}: ${gate.detail}`]] : [];
    }),
  );
}

const after = (...names: readonly string[]): GateSettings => ({
  after: names.map((name) => ({ kind: 'Deployment', name })),
});

const dbFirst = 'order: reroll.dev/after: Deployment db has still to restart';

describe('the order of a change', () => {
  it('has all at once, unless something says otherwise', () => {
    expect(turnsOf([user({ name: 'a' }), user({ name: 'b' })])).toEqual({});
  });

  it('has those first that an annotation names, if the change restarts them', () => {
    const [db, web] = [user({ name: 'db' }), user({ name: 'web', gates: after('db') })];
    expect(turnsOf([db, web])).toEqual({ web: dbFirst });
    expect(turnsOf([db, web], { restarting: [web] })).toEqual({});
    expect(turnsOf([user({ name: 'web', gates: after('db', 'web') })])).toEqual({});
  });

  it('has the owner first', () => {
    const owned = user({ name: 'web' });
    const web = { ...owned, record: { ...owned.record, controlledBy: { kind: 'Deployment', name: 'db', uid: 'x' } } };
    expect(turnsOf([user({ name: 'db' }), web])).toEqual({
      web: 'order: its owner comes first: Deployment db has still to restart',
    });
  });

  it('has nobody wait in a circle, and those behind it wait for it', () => {
    const circle = [user({ name: 'a', gates: after('b') }), user({ name: 'b', gates: after('a') })];
    expect(turnsOf(circle)).toEqual({});
    expect(turnsOf([...circle, user({ name: 'c', gates: after('a') })])).toEqual({
      c: 'order: reroll.dev/after: Deployment a has still to restart',
    });
  });

  it('has lower waves first', () => {
    const users = [
      user({ name: 'a', gates: { wave: 2 } }),
      user({ name: 'b', gates: { wave: -1 } }),
      user({ name: 'c' }),
    ];
    const first = 'order: reroll.dev/wave -1 comes first: Deployment b has still to restart';
    expect(turnsOf(users)).toEqual({ a: first, c: first });
  });
});

describe('the stages of a change', () => {
  const on = { stages: { ...withoutStages, fromUsers: 3 } };
  const three = [user({ name: 'a', pods: 3 }), user({ name: 'b', pods: 1 }), user({ name: 'c', pods: 2 })];
  const first = (name: string): string =>
    `stages: ConfigMap app restarts its users in stages: Deployment ${name} goes first`;

  it('have one first, as for a restart', () => {
    expect(turnsOf(three, on)).toEqual({ a: first('b'), c: first('b') });
    expect(turnsOf([...three, user({ name: 'd', pods: 9, gates: { isCanary: true } })], on)).toMatchObject({
      b: first('d'),
    });
  });

  it('are for many users, or where they are set', () => {
    expect(turnsOf(three)).toEqual({});
    expect(turnsOf(three.slice(1), on)).toEqual({});
    expect(turnsOf(three.slice(1), { ...on, stagesAround: 'on' })).toEqual({ c: first('b') });
    expect(turnsOf(three, { ...on, stagesAround: 'off' })).toEqual({});
  });

  it('leave out who does not take part', () => {
    const off = user({ name: 'd', gates: { stages: 'off' } });
    expect(turnsOf([...three, off], on)).toEqual({ a: first('b'), c: first('b') });
  });

  it('count all users, and begin with one that this change restarts', () => {
    const [a, , c] = three;
    expect(turnsOf(three, { ...on, restarting: [a!, c!] })).toEqual({ a: first('c') });
  });

  it('pass over who may not begin', () => {
    expect(turnsOf(three, { ...on, mayBegin: ({ record }) => record.name !== 'b' })).toEqual({
      a: first('c'),
      b: first('c'),
    });
    expect(turnsOf(three, { ...on, mayBegin: () => false })).toEqual({});
  });
});

it('is found out for a chain of thousands by following few of it', () => {
  let looks = 0;
  const chain = Array.from({ length: 5_000 }, (_, index) => {
    const { key, record } = user({ name: `web-${index}`, gates: after(`web-${index + 1}`) });
    const counted = {
      get key() {
        looks++;
        return key;
      },
      record: { ...record, gates: { after: [{ kind: 'Deployment', name: `web-${index + 1}` }] } } as const,
    };
    return counted;
  });
  const turnOf = expectedTurns({
    source,
    users: chain,
    restarting: chain,
    mayBegin: () => true,
    stagesAround: undefined,
    stages: withoutStages,
  });
  looks = 0;
  expect(turnOf(chain[0]!)?.detail).toContain('web-1 has still to restart');
  expect(looks).toBeLessThan(200);
});

it('is found out for ten thousand users by asking few of them whether they may begin', () => {
  let asked = 0;
  const many = Array.from({ length: 10_000 }, (_, index) => user({ name: `web-${index}`, pods: 1 + (index % 7) }));
  const turns = turnsOf(many, {
    stages: { ...withoutStages, fromUsers: 3 },
    mayBegin: () => ++asked > 0,
  });
  expect(Object.keys(turns)).toHaveLength(9_999);
  expect(asked).toBeLessThan(100);
});
