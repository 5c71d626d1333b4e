import { describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { installHoldName } from '../../shared/domain/annotations/annotations';
import { configMap, deployment, envFromKey, fromConfigMap, fromSecret, secret } from '../apiserver/cluster';
import type { FaultTarget } from '../apiserver/faults';
import { engineUser, Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const app = configMap({ name: 'app', data: { color: 'red', size: 'small' } });
const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });
const colorOnly = deployment({ name: 'web', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] });

/** Whether a request reads the content of one ConfigMap or Secret, current or former. The hold of everything is not one. */
function isRead({ pathname, query }: Pick<FaultTarget, 'pathname' | 'query'>): boolean {
  const name = /^metadata\.name=(.*)$/.exec(query.get('fieldSelector') ?? '')?.[1] ?? installHoldName;
  return /\/(?:configmaps|secrets)$/.test(pathname) && name !== installHoldName;
}

/** The sources whose content was read since the start, in order: `app`, or `app as it was` for an exact version. */
function reads(harness: Harness): readonly string[] {
  return harness.server.requests().flatMap(({ user, verb, path }) => {
    const { pathname, searchParams: query } = new URL(path, 'https://api');
    if (user !== engineUser || verb !== 'list' || !isRead({ pathname, query })) return [];
    const name = query.get('fieldSelector')?.slice('metadata.name='.length) ?? '';
    return [query.has('resourceVersion') ? `${name} as it was` : name];
  });
}

/** Makes every read of content fail until the returned function is called. */
function noReads(harness: Harness): () => void {
  return harness.faults.add({ match: isRead, fault: { kind: 'status', code: 503 } });
}

/** Records all baselines, then starts an engine that can read no content until the returned function is called. */
async function startedBlind(harness: Harness, settings: Partial<EngineSettings> = {}): Promise<() => void> {
  await (await harness.start()).stop();
  const end = noReads(harness);
  await harness.start(settings);
  return end;
}

describe('the contents of sources', () => {
  it('are read once, and only if a decision depends on them', async () => {
    const harness = new Harness();
    const ignored = { 'reloader.stakater.com/ignore': 'true' };
    harness.seed(
      app,
      web,
      deployment({ name: 'two', annotations: auto, envFrom: [fromConfigMap('app'), fromSecret('hidden')] }),
      deployment({ name: 'nobody-asked', envFrom: [fromConfigMap('other')] }),
      configMap({ name: 'other', data: { color: 'red' } }),
      secret({ name: 'unused', data: { password: 'hunter2' } }),
      secret({ name: 'hidden', annotations: ignored, data: { password: 'hunter2' } }),
    );
    await harness.start();
    expect(reads(harness)).toEqual(['app']);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(['web', 'two'].map((name) => harness.restarts('Deployment', name))).toEqual([1, 1]);
    expect(reads(harness)).toEqual(['app']);
  });

  it('are read when a workload starts to use them', async () => {
    const harness = new Harness();
    harness.seed(app);
    await harness.start();
    expect(reads(harness)).toEqual([]);
    harness.seed(web);
    await harness.clock.advance(20_000);
    expect(reads(harness)).toEqual(['app']);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('are read again only if a list shows another resourceVersion', async () => {
    const harness = new Harness();
    const both = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app'), fromConfigMap('same')] });
    harness.seed(app, configMap({ name: 'same', data: { color: 'red' } }), both);
    await harness.start();
    const end = harness.faults.add({
      match: ({ pathname }) => pathname === '/api/v1/configmaps',
      fault: { kind: 'status', code: 503 },
    });
    await harness.clock.advance(600_000);
    const before = reads(harness).length;
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    harness.server.compact();
    end();
    await harness.clock.advance(60_000);
    expect(reads(harness).slice(before)).toEqual(['app']);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('are read with the permission to list alone', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    const isGet = ({ method, pathname }: FaultTarget): boolean =>
      method === 'GET' && /\/(?:configmaps|secrets)\/[^/]+$/.test(pathname) && !pathname.includes('/reroll/');
    harness.faults.add({ match: isGet, fault: { kind: 'status', code: 403 } });
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('are reported if they cannot be read, and nothing is decided until they can', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await (await harness.start()).stop();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    const end = noReads(harness);
    const engine = await harness.start();
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    expect(engine.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'a source of Deployment default/web could not be read; trying again',
      }),
    );
    end();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('count as deleted if the source is deleted before they are read', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    const end = await startedBlind(harness, { reloadOnDelete: true });
    await harness.delete('ConfigMap', 'app');
    end();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

async function lastRestart(harness: Harness): Promise<unknown> {
  const { metadata } = await harness.get('Deployment', 'web');
  return JSON.parse(metadata.annotations?.['reroll.dev/last-restart'] ?? '{}');
}

describe('a change before the content was read', () => {
  /**
   * The workload is older than the engine, and its adoption waits for the content. What it is owed is therefore decided
   * against the content at the first list.
   */
  async function changed(harness: Harness, ...data: readonly Record<string, string>[]): Promise<void> {
    await harness.clock.advance(600_000);
    const end = noReads(harness);
    await harness.start();
    for (const change of data) {
      await harness.edit('ConfigMap', 'app', change);
      await harness.clock.advance(5_000);
    }
    end();
    await harness.clock.advance(60_000);
  }

  it('is not missed', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await changed(harness, { color: 'blue' });
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(reads(harness)).toContain('app as it was');
  });

  it('is not missed if another change follows', async () => {
    const harness = new Harness();
    harness.seed(app, colorOnly);
    await changed(harness, { color: 'blue' }, { size: 'large' });
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('restarts nothing if it is about a key that is not used', async () => {
    const harness = new Harness();
    harness.seed(app, colorOnly);
    await changed(harness, { size: 'large' });
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    expect(reads(harness)).toContain('app as it was');
  });

  it('restarts nothing if it is about labels alone', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    const end = await startedBlind(harness);
    await harness.label('ConfigMap', 'app', { team: 'shop' });
    end();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('restarts nothing if it is reverted', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await changed(harness, { color: 'blue' }, { color: 'red' });
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('restarts once, in doubt, if the server has compacted the former content', async () => {
    const harness = new Harness();
    harness.seed(app, colorOnly);
    await harness.clock.advance(600_000);
    const end = noReads(harness);
    await harness.start();
    await harness.edit('ConfigMap', 'app', { size: 'large' });
    harness.server.compact();
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(await lastRestart(harness)).toMatchObject({ sources: { 'cm/app': null } });
  });

  it('is reported with the changed keys', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    const end = await startedBlind(harness);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    end();
    await harness.clock.advance(60_000);
    expect(await lastRestart(harness)).toMatchObject({ sources: { 'cm/app': ['color'] } });
  });
});

describe('a standby', () => {
  it('has read the content that its workloads use, and compares with it however long it stood by', async () => {
    const harness = new Harness();
    harness.seed(app, colorOnly);
    const leases = ({ method, pathname }: FaultTarget): boolean => method !== 'GET' && pathname.includes('/leases');
    const end = harness.faults.add({ match: leases, fault: { kind: 'status', code: 503 } });
    await harness.start();
    expect(reads(harness)).toEqual(['app']);
    await harness.edit('ConfigMap', 'app', { size: 'large' });
    await harness.clock.advance(400_000);
    harness.server.compact();
    end();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    expect(reads(harness)).toEqual(['app']);
  });
});
