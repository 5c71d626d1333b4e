import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { readinessChecks } from '../../reconciler/process/health';
import { hang } from '../../shared/outbound/post.fixture';
import { fieldAt, listOf, objectOf } from '../../shared/domain/kubernetes/json-value';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { Lifecycle, processPort } from '../../shared/runtime/process/lifecycle';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';
import {
  configMap,
  cronJob,
  daemonSet,
  deployment,
  fromConfigMap,
  fromSecret,
  job,
  secret,
  statefulSet,
} from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { FakeProcess } from '../fake-process';
import { alertsOf } from './alert-outlet';
import { Harness, usualLease } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };
const app = configMap({ name: 'app', data: { color: 'red' } });
const web = deployment({ name: 'web', ...uses });

/** A cluster with these objects and ConfigMap `app`. */
function world(...objects: readonly ObjectInput[]): Harness {
  const harness = new Harness();
  harness.seed(app, ...objects);
  return harness;
}

/** Each title says what Reloader does; each test shows that Reroll does not. */
describe('faults of Reloader that Reroll does not have', () => {
  it('a change is lost after five failures in 155 ms', async () => {
    const harness = world(web);
    await harness.start();
    const end = harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/web'),
      fault: { kind: 'status', code: 503 },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('a change is lost that is made while Reloader is down', async () => {
    const harness = world(web);
    await (await harness.start()).stop();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(3_600_000);
    await harness.start();
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('one failing workload stops the others', async () => {
    const harness = world(
      deployment({ name: 'a-fails', ...uses }),
      deployment({ name: 'other', ...uses }),
      statefulSet({ name: 'other', ...uses }),
      daemonSet({ name: 'other', ...uses }),
      cronJob({ name: 'other', ...uses }),
    );
    await harness.start();
    const end = harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/a-fails'),
      fault: { kind: 'status', code: 500 },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    // The settle window, with no time for a retry.
    await harness.clock.advance(1_050);
    const kinds: readonly WorkloadKindName[] = ['Deployment', 'StatefulSet', 'DaemonSet'];
    expect(kinds.map((kind) => harness.restarts(kind, 'other'))).toEqual([1, 1, 1]);
    expect(harness.objects('Job')).toHaveLength(1);
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'a-fails')).toBe(1);
  });

  it('a LIST that fails loses a change silently', async () => {
    const harness = world(web, statefulSet({ name: 'db', ...uses }));
    await (await harness.start()).stop();
    const end = harness.faults.add({
      match: ({ pathname }) => pathname === '/apis/apps/v1/statefulsets',
      fault: { kind: 'status', code: 503 },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    const engine = await harness.start();
    await harness.clock.advance(10_000);
    const restarts = (): readonly number[] => [
      harness.restarts('Deployment', 'web'),
      harness.restarts('StatefulSet', 'db'),
    ];
    expect(restarts()).toEqual([1, 0]);
    const told = readinessChecks(engine.reconciler).map(({ check }) => check());
    expect(told.filter(({ ok }) => !ok)).toEqual([
      expect.objectContaining({ message: expect.stringContaining('statefulsets.apps: backing-off') }),
    ]);
    end();
    await harness.clock.advance(120_000);
    expect(restarts()).toEqual([1, 1]);
  });

  it('a pause is forgotten when Reloader restarts (Q43)', async () => {
    const annotations = { ...auto, 'deployment.reloader.stakater.com/pause-period': '5m' };
    const harness = world(deployment({ name: 'web', ...uses, annotations }));
    const isPaused = async (): Promise<boolean> =>
      fieldAt(await harness.get('Deployment', 'web'), ['spec', 'paused']) === true;
    const engine = await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(10_000);
    engine.kill();
    await harness.clock.advance(60_000);
    await harness.start();
    await harness.clock.advance(120_000);
    expect(await isPaused()).toBe(true);
    await harness.clock.advance(120_000);
    expect(await isPaused()).toBe(false);
    const { metadata } = await harness.get('Deployment', 'web');
    expect(metadata.annotations).not.toHaveProperty(['deployment.reloader.stakater.com/paused-at']);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('a Job is deleted and not created again', async () => {
    const harness = world(job({ name: 'migrate', ...uses }));
    const first = await harness.start();
    const end = harness.faults.add({
      match: ({ method, pathname, query }) => method === 'POST' && pathname.endsWith('/jobs') && !query.has('dryRun'),
      fault: { kind: 'status', code: 500 },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.objects('Job')).toEqual([]);
    // Longer than any retry, and after the death of the process that deleted the Job.
    first.kill();
    await harness.clock.advance(3_600_000);
    await harness.start();
    end();
    await harness.clock.advance(300_000);
    expect(harness.objects('Job').map(({ metadata }) => metadata.name)).toEqual(['migrate']);
    const births = harness.writesOf('Job', 'migrate').filter(({ type }) => type === 'ADDED');
    expect(births).toHaveLength(2);
  });

  it('changes of two sources cause two restarts', async () => {
    const harness = world(
      secret({ name: 'db', data: { password: 'a' } }),
      deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app'), fromSecret('db')] }),
    );
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(200);
    await harness.edit('Secret', 'db', { password: 'b' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it.each(['env-vars', 'annotations', 'restarted-at'] as const)(
    'the template contains an unkeyed hash of a Secret: %s',
    async (strategy) => {
      const pin = '123456';
      const written = async (install: number): Promise<string> => {
        const harness = world(
          secret({ name: 'db', data: { pin: '000000' } }),
          deployment({ name: 'web', annotations: auto, envFrom: [fromSecret('db')] }),
        );
        // Each install draws a key of its own.
        harness.random.bytes(install);
        await harness.start({ strategy });
        await harness.edit('Secret', 'db', { pin });
        await harness.clock.advance(20_000);
        expect(harness.restarts('Deployment', 'web')).toBe(1);
        const { metadata, ...object } = await harness.get('Deployment', 'web');
        const [container] = listOf(fieldAt(object, ['spec', 'template', 'spec', 'containers']));
        const template = fieldAt(object, ['spec', 'template', 'metadata', 'annotations']);
        return JSON.stringify([metadata.annotations, template, objectOf(container)['env']]);
      };
      const [first, second] = [await written(1), await written(2)];
      const guesses = [`pin=${pin}`, pin, Buffer.from(pin).toString('base64')].flatMap((text) =>
        ['sha1', 'sha256', 'sha512', 'md5'].flatMap((algorithm) =>
          (['hex', 'base64', 'base64url'] as const).map((encoding) =>
            createHash(algorithm).update(text).digest(encoding).slice(0, 16),
          ),
        ),
      );
      expect(guesses.filter((guess) => first.includes(guess))).toEqual([]);
      // Nor is any other function of the content alone: two installs write different digests for the same content.
      expect(digests(first)).not.toEqual([]);
      expect(digests(first).filter((digest) => second.includes(digest))).toEqual([]);
    },
  );

  it('the process ignores SIGTERM', async () => {
    const harness = world(web);
    harness.leaseTimings = usualLease;
    const engine = await harness.start();
    const process = new FakeProcess();
    const stop = async (): Promise<void> => await engine.reconciler.stop();
    await new Lifecycle({
      clock: harness.clock,
      logger: new RecordingLogger(),
      process: processPort(process as unknown as NodeJS.Process),
      components: [{ name: 'engine', start: () => undefined, stop }],
    }).run();
    // A write is under way when the signal comes.
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/web'),
      times: 1,
      fault: { kind: 'delay', delayMs: 1_000 },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(1_100);
    process.emit('SIGTERM');
    await harness.clock.advance(3_000);
    expect(await process.exited).toBe(0);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(harness.objects('Lease')[0]).toMatchObject({ spec: { holderIdentity: '' } });
    // The Lease was released, so the next process need not wait until it expires.
    const next = harness.launch({ identity: 'reroll-1' });
    await harness.clock.advance(2_000);
    expect(next.reconciler.status.state).toBe('acting');
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('a slow pattern blocks the process, and an invalid one ends it (Q1)', async () => {
    const longName = 'a'.repeat(253);
    // A backtracking regular expression engine would need exponential time: it would never return.
    const slow = { 'configmap.reloader.stakater.com/reload': '(a*)*(a*)*(a*)*b,app[,(a+)+$x' };
    const harness = world(
      configMap({ name: longName, data: { color: 'red' } }),
      deployment({ name: 'slow', annotations: slow }),
      web,
    );
    await harness.start();
    for (const name of [longName, 'app']) await harness.edit('ConfigMap', name, { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(['slow', 'web'].map((name) => harness.restarts('Deployment', name))).toEqual([0, 1]);
  });

  it('an alert sink that hangs blocks reloading (Q57)', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `web-${n}`);
    const harness = world(...names.map((name) => deployment({ name, ...uses })));
    await harness.start({ stages: withoutStages }, undefined, alertsOf(harness, hang));
    for (const color of ['blue', 'green']) {
      await harness.edit('ConfigMap', 'app', { color });
      // The settle window (1 s), with no time to wait for the sink.
      await harness.clock.advance(1_100);
    }
    expect(names.map((name) => harness.restarts('Deployment', name))).toEqual(names.map(() => 2));
  });

  it('a ConfigMap and a Secret of one name are confused', async () => {
    const harness = world(
      secret({ name: 'app', data: { color: 'red' } }),
      deployment({ name: 'uses-configmap', ...uses }),
      deployment({ name: 'uses-secret', annotations: auto, envFrom: [fromSecret('app')] }),
      deployment({ name: 'names-configmap', annotations: { 'configmap.reloader.stakater.com/reload': 'app' } }),
      deployment({ name: 'names-secret', annotations: { 'secret.reloader.stakater.com/reload': 'app' } }),
      deployment({ name: 'uses-both', annotations: auto, envFrom: [fromConfigMap('app'), fromSecret('app')] }),
    );
    const names = ['uses-configmap', 'names-configmap', 'uses-secret', 'names-secret', 'uses-both'];
    const restarts = (): readonly number[] => names.map((name) => harness.restarts('Deployment', name));
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(restarts()).toEqual([1, 1, 0, 0, 1]);
    await harness.edit('Secret', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(restarts()).toEqual([1, 1, 1, 1, 2]);
    const template = JSON.stringify(harness.template(await harness.get('Deployment', 'uses-both')));
    for (const variable of ['STAKATER_APP_CONFIGMAP', 'STAKATER_APP_SECRET']) expect(template).toContain(variable);
  });
});

/** Everything in the text that may be a digest: 128 bits in base64url. */
function digests(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w-])[\w-]{22}(?![\w-])/g)].map(([digest]) => digest);
}
