import { describe, expect, it } from '@jest/globals';
import { workloadStates } from '../../../shared/domain/protocol/workload-status';
import type { WorkloadRow } from './live-message';
import { filtered, namespacesOf, ordered, searchOf, statesOf } from './filters';

const row = (namespace: string, name: string, state = 'in-step', more: Partial<WorkloadRow> = {}): WorkloadRow => ({
  ...{ kind: 'Deployment', namespace, name, state },
  ...more,
});
const rows = [
  row('shop', 'web'),
  row('shop', 'api', 'pending'),
  row('billing', 'web', 'blocked', { waitsFor: 'fix', errorCode: 'INVALID' }),
  row('billing', 'db', 'unknown', { kind: 'StatefulSet' }),
  row('billing', 'job', 'of-a-newer-leader'),
];
const names = (found: readonly WorkloadRow[]): readonly string[] =>
  found.map((each) => `${each.namespace}/${each.name}`);
const none = { search: '', namespace: '', state: '' };

describe('the order of rows', () => {
  it('is that of urgency, then of names', () => {
    expect(names(ordered(rows))).toEqual(['billing/web', 'shop/api', 'billing/job', 'billing/db', 'shop/web']);
  });

  it('is by number where names have numbers', () => {
    const numbered = ['web-10', 'web-2', 'web-1'].map((name) => row('shop', name));
    expect(names(ordered(numbered))).toEqual(['shop/web-1', 'shop/web-2', 'shop/web-10']);
  });

  it('leaves what it was given as it is', () => {
    expect(() => ordered(Object.freeze([...rows]))).not.toThrow();
  });
});

it.each([{ states: workloadStates }, { states: workloadStates.toReversed() }])(
  'each state has its place in the order: $states',
  ({ states }) => {
    expect(ordered(states.map((state) => row('shop', 'web', state))).map(({ state }) => state)).toEqual([
      ...['blocked', 'unhealthy', 'waiting', 'pending', 'unknown', 'in-step'],
    ]);
  },
);

describe('filtered rows', () => {
  it.each([
    [{}, ['shop/web', 'shop/api', 'billing/web', 'billing/db', 'billing/job']],
    [{ namespace: 'shop' }, ['shop/web', 'shop/api']],
    [{ state: 'blocked' }, ['billing/web']],
    [{ namespace: 'shop', state: 'blocked' }, []],
    [{ search: 'WEB' }, ['shop/web', 'billing/web']],
    [{ search: 'web shop' }, ['shop/web']],
    [{ search: 'statefulset/db' }, ['billing/db']],
    [{ search: 'invalid' }, ['billing/web']],
    [{ search: 'nothing' }, []],
  ])('fit %j', (filter, expected) => {
    expect(names(filtered(rows, { ...none, ...filter }))).toEqual(expected);
  });
});

it('a search of spaces alone fits everything', () => {
  expect(searchOf('  ')('x')).toBe(true);
});

it('choices have counts: namespaces by name, states by urgency within the namespace that is chosen', () => {
  expect(namespacesOf(rows)).toEqual([
    { value: 'billing', count: 3 },
    { value: 'shop', count: 2 },
  ]);
  expect(statesOf(rows, '').map(({ value }) => value)).toEqual([
    'blocked',
    'pending',
    'unknown',
    'of-a-newer-leader',
    'in-step',
  ]);
  expect(statesOf(rows, 'shop')).toEqual([
    { value: 'pending', count: 1 },
    { value: 'in-step', count: 1 },
  ]);
});
