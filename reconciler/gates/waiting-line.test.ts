import { beforeEach, describe, expect, it } from '@jest/globals';
import { paced, type PacedOptions } from './gates.fixture';
import { WaitingLine, type Turn, type WaitingRestart } from './waiting-line';

let line: WaitingLine;
beforeEach(() => void (line = new WaitingLine()));

interface Options extends PacedOptions {
  readonly isUrgent?: boolean;
  readonly owedSinceMs?: number;
}

function add(name: string, { isUrgent = false, owedSinceMs = 0, ...options }: Options = {}): void {
  line.add({ workload: paced({ name, ...options }), changes: [], isUrgent, owedSinceMs });
}

/** Those that go, in their order. */
function served(ask: (restart: WaitingRestart) => Turn = () => 'goes', rolling = new Map<string, number>()): string[] {
  const went: string[] = [];
  line.take(
    (namespace) => rolling.get(namespace) ?? 0,
    (restart) => {
      const turn = ask(restart);
      const { name, namespace } = restart.workload.record;
      if (turn === 'goes') {
        went.push(name);
        rolling.set(namespace, (rolling.get(namespace) ?? 0) + 1);
      }
      return turn;
    },
  );
  return went;
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

  it('favours the namespace in which the fewest roll', () => {
    for (const name of ['a', 'b', 'c', 'd']) add(name, { owedSinceMs: -9 });
    for (const name of ['x', 'y']) add(name, { namespace: 'bank' });
    expect(served(undefined, new Map([['shop', 1]]))).toEqual(['x', 'a', 'y', 'b', 'c', 'd']);
  });

  it('has urgent ones of all namespaces first', () => {
    add('a');
    add('x', { namespace: 'bank', isUrgent: true });
    expect(served(undefined, new Map([['bank', 9]]))).toEqual(['x', 'a']);
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
    expect([line.delete('Deployment/shop/gone'), line.delete('Deployment/shop/gone'), line.size]).toEqual([
      true,
      false,
      2,
    ]);
    expect(served()).toEqual(['a', 'b']);
    expect(served()).toEqual([]);
  });

  it('keeps those that stay, in order', () => {
    for (const name of ['c', 'a', 'b']) add(name);
    expect(served(() => 'stays')).toEqual([]);
    add('0');
    expect(served()).toEqual(['0', 'a', 'b', 'c']);
  });
});
