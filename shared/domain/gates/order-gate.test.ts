import { describe, expect, it } from '@jest/globals';
import { orderGate, predecessorStanding, type Predecessor } from './order-gate';

function db(standing: Predecessor['standing'], by: Predecessor['by'] = 'after'): Predecessor {
  return { kind: 'Deployment', name: 'db', by, standing };
}

describe('orderGate', () => {
  it.each<[Predecessor, string]>([
    [db('owes'), 'reroll.dev/after: Deployment db has still to restart'],
    [db('rolling'), 'reroll.dev/after: Deployment db is still rolling out'],
    [db('held'), 'reroll.dev/after: Deployment db is not rolled out: it is paused or not complete'],
    [db('failed', 'owner'), 'its owner comes first: Deployment db has failed to roll out'],
    [db('owes', { wave: -5 }), 'reroll.dev/wave -5 comes first: Deployment db has still to restart'],
  ])('names the first that is not done: %j', (predecessor, detail) => {
    expect(orderGate([db('done'), predecessor, db('failed')])).toEqual({ gate: 'order', untilMs: undefined, detail });
  });

  it('is open if all are done', () => expect(orderGate([db('done'), db('done')])).toBeUndefined());

  it('looks no further than the first', () => {
    let asked = 0;
    const many = (function* () {
      for (;;) yield db(asked++ === 3 ? 'owes' : 'done');
    })();
    expect(orderGate(many)).toBeDefined();
    expect(asked).toBe(4);
  });
});

describe('predecessorStanding', () => {
  it.each([
    [true, 'healthy', 'owes'],
    [true, 'failed', 'owes'],
    [false, 'healthy', 'done'],
    [false, 'unknown', 'done'],
    [false, 'rolling', 'rolling'],
    [false, 'held', 'held'],
    [false, 'failed', 'failed'],
  ] as const)('owes: %s, %s: %s', (owes, state, standing) => expect(predecessorStanding(owes, state)).toBe(standing));
});
