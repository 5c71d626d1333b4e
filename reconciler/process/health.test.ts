import { describe, expect, it } from '@jest/globals';
import { errorFromStatus, ConnectionError } from '../../shared/kube/errors';
import { requestTarget } from '../../shared/kube/request-target';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { configMaps, namespaces } from '../../shared/kube/resource';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { livenessChecks, readinessChecks } from './health';
import type { ReconcilerStatus } from './reconciler';
import type { WatchStatus } from '../watch/watches';

const forbidden = errorFromStatus(403, undefined, requestTarget('GET', '/api/v1/secrets'));
const missing = errorFromStatus(404, undefined, requestTarget('GET', '/api/v1/secrets'));
const minuteMs = 60_000;
const refused = { synced: false, state: 'backing-off', lastError: forbidden } as const;
const jobs = workloadKind('Job').resource;
const deployments = { name: 'deployments.apps', resource: workloadKind('Deployment').resource };

function watch(status: Partial<WatchStatus> = {}): WatchStatus {
  return {
    name: 'configmaps',
    resource: configMaps,
    namespace: undefined,
    state: 'watching',
    synced: true,
    begun: true,
    lastActivityMonotonicMs: 0,
    optional: false,
    isScope: false,
    ...status,
  };
}

function statusOf(status: Partial<ReconcilerStatus> = {}): { readonly status: ReconcilerStatus } {
  return { status: { state: 'acting', problem: undefined, watches: [watch()], ...status } };
}

describe('readiness', () => {
  const [engine, watches] = [0, 1].map(
    (index) => (status: Partial<ReconcilerStatus>) => readinessChecks(statusOf(status))[index]!.check(),
  );

  it.each([
    ['starting', false, 'getting the digest key'],
    ['syncing', false, 'reading the first lists'],
    ['standby', true, 'in sync; another replica holds the lease'],
    ['acting', true, 'in sync and holding the lease'],
    ['stopped', false, 'stopping'],
  ] as const)('of an engine that is %s: %s', (state, ok, message) => {
    expect(engine!({ state })).toEqual({ ok, message });
    expect(engine!({ state, problem: 'digest key: no' }).message).toBe('digest key: no');
    const remark = 'dry run: nothing is written';
    expect(engine!({ state, remark }).message).toBe(state === 'acting' ? `in sync; ${remark}` : message);
  });

  it.each<[string, readonly Partial<WatchStatus>[], boolean, string]>([
    ['none yet', [], false, 'none yet'],
    ['in sync', [{}, { name: 'secrets in shop' }], true, 'configmaps: ok; secrets in shop: ok'],
    [
      'one without its first list',
      [{}, { name: 'secrets', synced: false, state: 'listing' }],
      false,
      'configmaps: ok; secrets: listing',
    ],
    [
      'one whose watch has not begun after its first list',
      [{}, { name: 'secrets', begun: false, state: 'listing' }],
      false,
      'configmaps: ok; secrets: listed, watch not established yet',
    ],
    [
      'one that may be listed and not watched',
      [{}, { name: 'secrets', begun: false, state: 'backing-off', lastError: forbidden }],
      true,
      `configmaps: ok; secrets: backing-off, ${forbidden.message}`,
    ],
    [
      'one of an add-on that was just installed',
      [{}, { name: 'rollouts.argoproj.io', optional: true, synced: false, state: 'listing' }],
      true,
      'configmaps: ok; rollouts.argoproj.io: listing',
    ],
    [
      'one that fails before its first list',
      [{ synced: false, state: 'backing-off', lastError: new ConnectionError('reset') }],
      false,
      'configmaps: backing-off, reset',
    ],
    [
      'one that fails after it',
      [{ state: 'backing-off', lastError: new ConnectionError('reset') }],
      true,
      'configmaps: backing-off, reset',
    ],
    [
      'one that is refused: named, and the rest goes on',
      [{}, { name: 'secrets', synced: false, state: 'backing-off', lastError: forbidden }],
      true,
      `configmaps: ok; secrets: backing-off, ${forbidden.message}`,
    ],
    [
      '§10.2 that of namespaces refused: nothing can be selected',
      [{}, { name: 'namespaces', isScope: true, synced: false, state: 'backing-off', lastError: forbidden }],
      false,
      `configmaps: ok; namespaces: backing-off, ${forbidden.message}`,
    ],
    [
      'that of namespaces refused, where all are selected: their annotations do not count',
      [{}, { name: 'namespaces', resource: namespaces, synced: false, state: 'backing-off', lastError: forbidden }],
      true,
      `configmaps: ok; namespaces: backing-off, ${forbidden.message}`,
    ],
    [
      'one whose API is missing',
      [{}, { name: 'secrets', synced: false, state: 'backing-off', lastError: missing }],
      true,
      `configmaps: ok; secrets: backing-off, ${missing.message}`,
    ],
    [
      'sources refused and a kind of workloads seen: what the workloads use may be read by name',
      [refused, deployments],
      true,
      `configmaps: backing-off, ${forbidden.message}; deployments.apps: ok`,
    ],
    [
      'every kind of workloads refused: there is nothing to restart',
      [{}, { ...deployments, ...refused }, { ...deployments, name: 'jobs.batch', resource: jobs, ...refused }],
      false,
      `configmaps: ok; deployments.apps: backing-off, ${forbidden.message}; jobs.batch: backing-off, ${forbidden.message}`,
    ],
    [
      'one of two kinds of workloads refused',
      [deployments, { name: 'jobs.batch', resource: jobs, ...refused }],
      true,
      `deployments.apps: ok; jobs.batch: backing-off, ${forbidden.message}`,
    ],
    [
      '§14.3 every source refused, where nothing else is watched',
      [refused],
      false,
      `configmaps: backing-off, ${forbidden.message}`,
    ],
  ])('of watches: %s', (_what, statuses, ok, message) => {
    expect(watches!({ watches: statuses.map(watch) })).toEqual({ ok, message });
  });
});

describe('liveness', () => {
  async function liveness(...watches: readonly WatchStatus[]) {
    const clock = new FakeClock();
    await clock.advance(60 * minuteMs);
    return livenessChecks(statusOf({ watches }), clock)[0]!.check();
  }
  const heard = (minutesAgo: number, status: Partial<WatchStatus> = {}) =>
    watch({ lastActivityMonotonicMs: (60 - minutesAgo) * minuteMs, ...status });

  it.each([
    [14, true],
    [15, true],
    [15.001, false],
  ])('with a watch that was heard %f minutes ago: %s', async (minutesAgo, ok) => {
    expect((await liveness(heard(0), heard(minutesAgo))).ok).toBe(ok);
  });

  it('names the silent watch', async () => {
    const silent = await liveness(heard(20), heard(1, { name: 'pods' }), heard(30, { name: 'secrets in shop' }));
    expect(silent).toEqual({ ok: false, message: 'configmaps: silent; secrets in shop: silent' });
    expect(await liveness(heard(1))).toEqual({ ok: true, message: 'ok' });
  });

  it.each([
    ['backing-off', true],
    ['watching', false],
    ['listing', false],
  ] as const)(
    'of a silent watch that is %s: %s, for a restart helps only against one that hangs',
    async (state, ok) => {
      expect((await liveness(heard(30, { state, lastError: new ConnectionError('reset') }))).ok).toBe(ok);
    },
  );

  it('holds before there are watches', async () => {
    expect((await liveness()).ok).toBe(true);
  });
});
