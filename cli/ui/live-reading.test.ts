import { describe, expect, it } from '@jest/globals';
import { ConnectionError } from '../../shared/kube/errors';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { LeaderSilentError } from '../cluster/silence';
import { clusterThatSays, type Says } from './cluster.fixture';
import { HistoryWatch } from './history-watch';
import { readLive } from './live-reading';

const question = { namespace: undefined, rerollNamespace: 'reroll', timeoutMs: 1_000, nowMs: () => 0 };
const row = { kind: 'Deployment', namespace: 'shop', name: 'web', state: 'in-step' };
const at = '2026-01-01T12:00:00.000Z';
const entry = {
  ...{ at, id: '3f9c2a71', kind: 'Deployment', namespace: 'shop', name: 'web', strategy: 'env-vars' },
  causes: [
    { kind: 'ConfigMap', name: 'app', change: '9f3e11aa', why: 'content changed', keys: ['color'], author: 'alice' },
  ],
  outcome: 'healthy',
};
const workloads = { v: 1, workloads: [row] };

function world(says: Says) {
  const clock = new FakeClock();
  const { cluster, asked } = clusterThatSays(says);
  const history = new HistoryWatch(cluster, clock, { limit: 200 });
  return { clock, cluster, asked, history, read: async () => await readLive(cluster, question, history) };
}

describe('what is read', () => {
  it('is what the leader says of workloads and restarts', async () => {
    const { read, asked } = world({
      '/v1/workloads': workloads,
      '/v1/history': { v: 1, keptSince: at, entries: [entry], continue: 'token' },
    });
    expect(await read()).toEqual({
      standing: { from: 'leader', leader: 'reroll-0', missing: [], hasHistory: true, historySince: at },
      found: { rows: [row], history: [entry] },
    });
    expect(asked).toEqual(['/v1/workloads?namespace=&limit=2000&continue=', '/v1/history?limit=200']);
  });

  it('may be a restart of which only the workload told', async () => {
    const bare = { ...entry, strategy: undefined, causes: [], outcome: 'unknown' };
    const { read } = world({ '/v1/workloads': workloads, '/v1/history': { v: 1, entries: [bare] } });
    const { found } = await read();
    expect(found?.history).toEqual([bare]);
  });

  it('is understood if a newer leader says more', async () => {
    const newer = { ...entry, outcome: 'rolled-back', causes: [{ ...entry.causes[0], risk: 'low' }], more: 1 };
    const { read } = world({ '/v1/workloads': workloads, '/v1/history': { v: 1, entries: [newer] } });
    const { found } = await read();
    expect(found?.history).toEqual([{ ...entry, outcome: 'rolled-back' }]);
  });

  it('has no restarts of a leader that remembers none, and asks it again after a minute', async () => {
    const { clock, read, asked } = world({ '/v1/workloads': workloads });
    const questions = (): number => asked.filter((path) => path.startsWith('/v1/history')).length;
    expect(await read()).toMatchObject({ standing: { from: 'leader', hasHistory: false }, found: { history: [] } });
    await read();
    expect(questions()).toBe(1);
    await clock.advance(60_000);
    await read();
    expect(questions()).toBe(2);
  });

  it('has the restarts of before if the leader answers a question about them just now with nothing', async () => {
    const { cluster } = world({ '/v1/workloads': workloads, '/v1/history': { v: 1, entries: [entry] } });
    let isBroken = false;
    const handingOver = {
      ...cluster,
      ask: async (path: string) => {
        if (isBroken && path.startsWith('/v1/history')) throw new LeaderSilentError('not-ready', 'it does not lead');
        return await cluster.ask(path);
      },
    };
    const watch = new HistoryWatch(handingOver, new FakeClock(), { limit: 200 });
    const read = async () => await readLive(handingOver, question, watch);
    const told = { standing: { from: 'leader', hasHistory: true }, found: { history: [entry] } };
    expect(await read()).toMatchObject(told);
    isBroken = true;
    expect(await read()).toMatchObject(told);
    isBroken = false;
    expect(await read()).toMatchObject(told);
  });

  it('has restarts as soon as the leader answers a question about them', async () => {
    const { cluster } = world({ '/v1/workloads': workloads, '/v1/history': { v: 1, entries: [entry] } });
    let failures = 1;
    const starting = {
      ...cluster,
      ask: async (path: string) => {
        if (path.startsWith('/v1/history') && failures-- > 0) throw new LeaderSilentError('unreachable', 'ECONNRESET');
        return await cluster.ask(path);
      },
    };
    const watch = new HistoryWatch(starting, new FakeClock(), { limit: 200 });
    await readLive(starting, question, watch);
    expect(await readLive(starting, question, watch)).toMatchObject({ standing: { hasHistory: true } });
  });

  it('is from the objects if the leader is silent, and says why, and what to do', async () => {
    const { cluster, history } = world({});
    const silent = {
      ...cluster,
      ask: async () => await Promise.reject(new LeaderSilentError('nobody-leads', 'nobody leads')),
    };
    const { standing, found } = await readLive(silent, question, history);
    expect(standing).toMatchObject({
      from: 'objects',
      problem: 'nobody leads',
      fix: 'look at the pods of Reroll: kubectl -n reroll get pods',
    });
    expect(standing.missing).toContain("the flags of Reroll's Deployment are not known: the defaults are assumed");
    expect(found).toEqual({ rows: [], history: [] });
  });

  it('is nothing if the API server does not answer, and says so', async () => {
    const { cluster, history } = world({});
    const lost = { ...cluster, ask: async () => await Promise.reject(new ConnectionError('ECONNREFUSED')) };
    expect(await readLive(lost, question, history)).toEqual({
      standing: {
        ...{ from: 'lost', problem: 'the API server does not answer: ECONNREFUSED', missing: [], hasHistory: false },
      },
    });
  });
});
