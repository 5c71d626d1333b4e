import { beforeEach, describe, expect, it } from '@jest/globals';
import { WaitGraph, type Wait } from './wait-graph';

const named: Wait = { by: 'after', changes: [] };
const inWave: Wait = { by: 'wave', source: { kind: 'ConfigMap', namespace: 'shop', name: 'app' }, wave: 1 };

let graph: WaitGraph;
beforeEach(() => void (graph = new WaitGraph()));

describe('WaitGraph', () => {
  it('knows who waits for whom, and one at a time', () => {
    graph.waitFor('web', 'db', named);
    graph.waitFor('job', 'db', inWave);
    graph.waitFor('web', 'cache', named);
    expect(graph.waitingFor('db')).toEqual([['job', inWave]]);
    expect([graph.of('web')?.blocker, graph.size, graph.blockers()]).toEqual(['cache', 2, ['db', 'cache']]);
    graph.leave('web');
    expect([graph.waitingFor('cache'), graph.of('web')]).toEqual([[], undefined]);
  });

  it('finds a circle of any length, and in it the waits by name alone', () => {
    graph.waitFor('a', 'b', named);
    graph.waitFor('b', 'c', inWave);
    expect(graph.circleFrom('a')).toEqual([]);
    graph.waitFor('c', 'a', named);
    const circle = [{ waiting: 'a', blocker: 'b' }, { waiting: 'c', blocker: 'a' }]; // prettier-ignore
    expect(graph.circleFrom('a')).toEqual(circle);
    graph.waitFor('outside', 'a', named);
    expect(graph.circleFrom('outside')).toEqual(circle);
  });

  it('follows no chain for longer than a budget', () => {
    for (let n = 0; n < 5_000; n++) graph.waitFor(String(n), String((n + 1) % 5_000), named);
    expect(graph.circleFrom('0')).toEqual([]);
  });

  it('remembers what was dropped until nothing is owed any more, or the settings change', () => {
    graph.drop('a', 'b', 1);
    graph.leave('a');
    expect([graph.isDropped('a', 'b', 1), graph.isDropped('b', 'a', 1)]).toEqual([true, false]);
    expect(graph.isDropped('a', 'b', 2)).toBe(false);
    graph.forget('a');
    expect(graph.isDropped('a', 'b', 1)).toBe(false);
  });
});
