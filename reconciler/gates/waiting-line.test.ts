import { beforeEach, describe, expect, it } from '@jest/globals';
import { paced, type PacedOptions } from './gates.fixture';
import { WaitingLine, type NamespaceShares, type Turn, type WaitingRestart } from './waiting-line';

let line: WaitingLine;
beforeEach(() => void (line = new WaitingLine()));

interface Options extends PacedOptions {
  readonly isUrgent?: boolean;
  readonly owedSinceMs?: number;
}

function restart(name: string, { isUrgent = false, owedSinceMs = 0, ...options }: Options = {}): WaitingRestart {
  return { workload: paced({ name, ...options }), isUrgent, owedSinceMs };
}

function add(name: string, options: Options = {}): WaitingRestart {
  const added = restart(name, options);
  line.add(added);
  return added;
}

/** Those that go, in their order. */
function served(
  ask: (restart: WaitingRestart) => Turn = () => 'goes',
  shares = new Map<string, number>(),
  urgentBelow = Infinity,
): string[] {
  const went: string[] = [];
  line.take(sharesOf(shares, urgentBelow), (restart) => {
    const turn = ask(restart);
    const { name, namespace } = restart.workload.record;
    if (turn === 'goes') {
      went.push(name);
      shares.set(namespace, (shares.get(namespace) ?? 0) + 1);
    }
    return turn;
  });
  return went;
}

function sharesOf(shares: ReadonlyMap<string, number>, urgentBelow = Infinity): NamespaceShares {
  const of = (namespace: string): number => shares.get(namespace) ?? 0;
  return { of, mayBeUrgent: (namespace) => of(namespace) < urgentBelow };
}

describe('WaitingLine', () => {
  it('has those of a namespace in order: urgent, wave, longest owed, name', () => {
    add('f');
    add('e', { owedSinceMs: -5 });
    add('d', { gates: { wave: 10 }, owedSinceMs: -9 });
    add('c', { gates: { wave: -1 } });
    add('b', { isUrgent: true, gates: { wave: 3 } });
    add('a');
    expect(served()).toEqual(['b', 'c', 'e', 'a', 'f', 'd']);
    expect(line.size).toBe(0);
  });

  it('favours the namespace with the smallest share', () => {
    for (const name of ['a', 'b', 'c', 'd']) add(name, { owedSinceMs: -9 });
    for (const name of ['x', 'y']) add(name, { namespace: 'bank' });
    expect(served(undefined, new Map([['shop', 1]]))).toEqual(['x', 'a', 'y', 'b', 'c', 'd']);
  });

  it('has urgent ones of all namespaces first', () => {
    add('a');
    add('x', { namespace: 'bank', isUrgent: true });
    expect(served(undefined, new Map([['bank', 9]]))).toEqual(['x', 'a']);
  });

  it('has urgent ones of a namespace that has had its part of all within that namespace only', () => {
    for (const name of ['a', 'b', 'c']) add(name, { isUrgent: true });
    add('0');
    for (const name of ['x', 'y']) add(name, { namespace: 'bank' });
    expect(served(undefined, new Map(), 1)).toEqual(['a', 'x', 'b', 'y', 'c', '0']);
  });

  it.each<[Turn, string[], number]>([
    ['stays', ['b', 'x'], 1],
    ['namespace-stays', ['x'], 2],
    ['all-stay', [], 3],
  ])('asks on after %s as far as others may go', (turn, went, left) => {
    for (const name of ['a', 'b']) add(name, { owedSinceMs: -9 });
    add('x', { namespace: 'bank' });
    expect(served((restart) => (restart.workload.record.name === 'a' ? turn : 'goes'))).toEqual(went);
    expect(line.size).toBe(left);
  });

  it('has each once, as it was added last, and none that left', () => {
    add('a', { owedSinceMs: 5 });
    add('b');
    add('gone');
    add('a', { owedSinceMs: -5 });
    line.delete('Deployment/shop/gone');
    expect(line.size).toBe(2);
    expect(served()).toEqual(['a', 'b']);
    expect(served()).toEqual([]);
  });

  describe('one for whose pods there is no room', () => {
    const shares = sharesOf(new Map([['bank', 1]]));
    const isBehind = (name: string, options: Options = {}, limit = 'cluster'): boolean =>
      line.isBehind(limit, restart(name, options), shares);

    it.each<[string, boolean, Options]>([
      ['later', true, { owedSinceMs: 5 }],
      ['of a namespace in which more roll', true, { namespace: 'bank', owedSinceMs: -5 }],
      ['owed for longer', false, { owedSinceMs: -5 }],
      ['urgent', false, { isUrgent: true }],
      ['of a lower wave', false, { gates: { wave: -1 } }],
    ])('keeps one waiting that is %s: %p', (_which, expected, options) => {
      line.block('cluster', add('big'), shares);
      expect(isBehind('new', options)).toBe(expected);
    });

    it('keeps nobody waiting in another limit, nor itself', () => {
      line.block('cluster', add('big'), shares);
      expect([isBehind('new', {}, 'namespace shop'), isBehind('big')]).toEqual([false, false]);
    });

    it('is the first of several, in whatever order they come', () => {
      const [second, first, third] = [2, 1, 3].map((owedSinceMs) => add(`big-${owedSinceMs}`, { owedSinceMs }));
      for (const each of [second, first, third]) if (each) line.block('cluster', each, shares);
      expect([isBehind('new', { owedSinceMs: 0 }), isBehind('new', { owedSinceMs: 2 })]).toEqual([false, true]);
    });

    it('keeps nobody waiting when it goes, or leaves, which is told', () => {
      line.block('cluster', add('big'), shares);
      add('small');
      expect([line.delete('Deployment/shop/small'), line.delete('Deployment/shop/big')]).toEqual([false, true]);
      expect([isBehind('new'), line.delete('Deployment/shop/big')]).toEqual([false, false]);
      line.block('cluster', add('big'), shares);
      served();
      expect([isBehind('new'), line.delete('Deployment/shop/big')]).toEqual([false, false]);
    });

    it('keeps nobody waiting when it waits for something else by now', () => {
      line.block('cluster', add('big'), shares);
      served(() => 'stays');
      expect(isBehind('new')).toBe(false);
    });
  });

  it('keeps those that stay, in order', () => {
    for (const name of ['c', 'a', 'b']) add(name);
    expect(served(() => 'stays')).toEqual([]);
    add('0');
    expect(served()).toEqual(['0', 'a', 'b', 'c']);
  });
});
