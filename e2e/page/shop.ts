import type { HistoryEntry, WorkloadRow } from '../../cli/ui/model/live-message';
import { ShopLeader } from './shop-leader';

const namespaces = ['billing', 'checkout', 'identity', 'media', 'payments', 'search', 'shop', 'warehouse'];
const kinds = ['Deployment', 'Deployment', 'Deployment', 'StatefulSet', 'DaemonSet', 'CronJob'];
const names = ['api', 'web', 'worker', 'gateway', 'cache', 'indexer', 'mailer', 'scheduler', 'exporter', 'proxy'];

export const minuteMs = 60_000;

function rowAt(index: number, nowMs: number): WorkloadRow {
  const namespace = namespaces[index % namespaces.length] ?? '';
  const kind = kinds[index % kinds.length] ?? '';
  const base = { kind, namespace, name: `${names[index % names.length] ?? ''}-${index}` };
  const ago = (ms: number): string => new Date(nowMs - ms).toISOString();
  const lastRestartAt = ago((index % 500) * 7 * minuteMs + 30_000);
  if (index % 617 === 3)
    return { ...base, state: 'blocked', waitsFor: 'fix', errorCode: 'INVALID', since: ago(12 * minuteMs) };
  if (index % 401 === 5) {
    const until = new Date(nowMs + 3 * minuteMs).toISOString();
    return { ...base, state: 'waiting', waitsFor: 'pause', since: ago(minuteMs), until, lastRestartAt: ago(minuteMs) };
  }
  if (index % 619 === 11) return { ...base, state: 'unhealthy', since: lastRestartAt, lastRestartAt };
  if (index % 7 === 0) return { ...base, state: 'in-step' };
  return { ...base, state: 'in-step', lastRestartAt };
}

function entryAt(index: number, nowMs: number): HistoryEntry {
  const at = nowMs - (index + 1) * 4 * minuteMs;
  const iso = (ms: number): string => new Date(ms).toISOString();
  const outcomes = ['healthy', 'healthy', 'healthy', 'unhealthy', 'superseded'];
  const outcome = index === 0 ? 'rolling' : (outcomes[index % outcomes.length] ?? '');
  const row = rowAt(index * 3 + 1, nowMs);
  return {
    ...{ at: iso(at), id: (0x3f9c2a71 + index).toString(16), strategy: 'env-vars', outcome },
    ...{ kind: row.kind, namespace: row.namespace, name: row.name },
    causes: [
      {
        ...{ kind: index % 2 === 0 ? 'ConfigMap' : 'Secret', name: index % 2 === 0 ? 'app' : 'db', change: '9f3e11aa' },
        ...{ why: 'content changed', keys: index % 2 === 0 ? ['color', 'log-level'] : ['url'] },
        ...{ author: index % 3 === 0 ? 'alice' : 'deploy-bot', manager: 'kubectl-edit', changedAt: iso(at - 1_400) },
      },
    ],
    ...(outcome !== 'rolling' && { outcomeAt: iso(at + 21_300 + index * 100) }),
    ...(outcome === 'unhealthy' && { reason: '2 of 3 pods are ready after 10m' }),
  };
}

/** The workload of which the tests speak. */
export const web: WorkloadRow = { kind: 'Deployment', namespace: 'shop', name: 'web', state: 'in-step' };

/** A leader with this many workloads, restarts, a source with many users, and an account of `shop/web`. */
export function shop(count: number, nowMs: number): ShopLeader {
  const rows = Array.from({ length: count - 1 }, (_, index) => rowAt(index, nowMs));
  const restartedAt = new Date(nowMs - 9 * minuteMs).toISOString();
  const leader = new ShopLeader([...rows, { ...web, lastRestartAt: restartedAt }]);
  leader.history = [
    ...Array.from({ length: 40 }, (_, index) => entryAt(index, nowMs)),
    { ...entryAt(2, nowMs + 3 * minuteMs), ...{ kind: web.kind, namespace: web.namespace, name: web.name } },
  ].toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at));
  const decision = { decision: 'auto', rule: 'reloader.stakater.com/auto' } as const;
  const excluded = { decision: 'excluded', rule: 'secrets.exclude.reloader.stakater.com/reload' } as const;
  const users = ['api', 'web', 'worker', 'gateway', 'mailer', 'indexer', 'cache'];
  leader.setSource('ConfigMap/shop/app', {
    ...{ v: 1, kind: 'ConfigMap', namespace: 'shop', name: 'app', presence: 'present', namespaceSelected: true },
    users: users.map((name, index) => ({
      ...{ kind: index === 6 ? 'StatefulSet' : 'Deployment', name, keys: index % 2 === 0 ? ['color'] : 'all' },
      ...(index < 5
        ? { ...decision, why: 'the workload restarts for everything it uses', restarts: true }
        : { ...excluded, why: "the workload's exclude list names the source", restarts: false }),
    })),
  });
  leader.setWorkload('Deployment/shop/web', {
    ...{ v: 1, kind: 'Deployment', namespace: 'shop', name: 'web', tracked: true, state: 'in-step' },
    ...{ dryRun: false, deleting: false, restart: 'not-owed', problems: [] },
    sources: [
      {
        kind: 'ConfigMap',
        name: 'app',
        container: 'web',
        exists: true,
        ...decision,
        why: 'nothing changed',
        keys: 'all',
        standing: 'unchanged',
        restarts: false,
      },
      {
        kind: 'Secret',
        name: 'db',
        container: 'web',
        exists: true,
        ...decision,
        why: 'nothing changed',
        keys: ['url'],
        standing: 'unchanged',
        restarts: false,
      },
      {
        kind: 'Secret',
        name: 'tls',
        container: 'web',
        exists: true,
        ...excluded,
        why: "the workload's exclude list names the source",
        keys: 'all',
        standing: 'not-compared',
        restarts: false,
      },
    ],
    lastRestart: { at: restartedAt, id: '3f9c2a73' },
  });
  return leader;
}
