import { describe, expect, it } from '@jest/globals';
import { configMap, deployment, fromConfigMap, fromSecret, secret } from '../apiserver/cluster';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app', true)] });

/** Cuts all watches and compacts the history, so that only a new list shows what happens meanwhile. */
async function duringGap(harness: Harness, happens: () => Promise<void>): Promise<void> {
  const end = harness.faults.add({ match: ({ isWatch }) => isWatch, fault: { kind: 'reset', when: 'before' } });
  harness.server.compact();
  await harness.clock.advance(600_000);
  await happens();
  await harness.clock.advance(60_000);
  harness.server.compact();
  end();
  await harness.clock.advance(120_000);
}

describe('§7.1 a source that exists at the start is no creation', () => {
  it.each([
    ['Q34: even in a namespace whose list comes late', '/api/v1/namespaces/slow/configmaps'],
    ['Q34: even if the Secrets of a namespace are listed late', '/api/v1/namespaces/slow/secrets'],
  ])('%s', async (_what, path) => {
    const harness = new Harness();
    const namespaces = ['default', 'slow'];
    harness.seed(
      ...namespaces.flatMap((namespace) => [
        configMap({ name: 'app', namespace, data: { color: 'red' } }),
        secret({ name: 'db', namespace, data: { password: 'a' } }),
        deployment({
          name: 'web',
          namespace,
          annotations: auto,
          envFrom: [fromConfigMap('app', true), fromSecret('db', true)],
        }),
      ]),
    );
    harness.faults.add({
      match: ({ pathname }) => pathname === path,
      times: 1,
      fault: { kind: 'delay', delayMs: 20_000 },
    });
    await harness.start({ namespaces, reloadOnCreate: true });
    await harness.clock.advance(120_000);
    expect(namespaces.map((namespace) => harness.restarts('Deployment', 'web', namespace))).toEqual([0, 0]);
    for (const namespace of namespaces) await harness.edit('ConfigMap', 'app', { color: 'blue' }, namespace);
    await harness.clock.advance(20_000);
    expect(namespaces.map((namespace) => harness.restarts('Deployment', 'web', namespace))).toEqual([1, 1]);
  });

  it('§7.2 at any later start: nothing is replayed', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    for (let starts = 0; starts < 3; starts++) {
      const engine = await harness.start({ reloadOnCreate: true, strategy: 'annotations' });
      await harness.clock.advance(20_000);
      await engine.stop();
    }
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });
});

describe('§7 what happens in a gap of the watch', () => {
  const db = secret({ name: 'db', data: { password: 'hunter2' } });
  const named = { 'secret.reloader.stakater.com/reload': 'db' };

  it('Q12, Q13: a deletion restarts only the workloads that used the source, and its content is not logged', async () => {
    const harness = new Harness();
    harness.seed(
      db,
      app,
      deployment({ name: 'api', annotations: named, envFrom: [fromSecret('db', true)] }),
      web,
      deployment({ name: 'silent', envFrom: [fromSecret('db', true)] }),
      deployment({ name: 'api', namespace: 'shop', annotations: named }),
    );
    const engine = await harness.start({ reloadOnDelete: true });
    await duringGap(harness, async () => await harness.delete('Secret', 'db'));
    expect(['api', 'web', 'silent'].map((name) => harness.restarts('Deployment', name))).toEqual([1, 0, 0]);
    expect(harness.restarts('Deployment', 'api', 'shop')).toBe(0);
    const told = JSON.stringify(engine.lines);
    expect(told).toContain('Secret db: it was deleted');
    for (const text of ['hunter2', Buffer.from('hunter2').toString('base64')]) {
      // Reloader logs the whole deleted object, including its contents.
      expect(told).not.toContain(text);
    }
  });

  it.each([
    ['other content restarts once', 'blue', 1],
    ['the same content restarts nothing', 'red', 0],
  ])('§7.3 a source that is recreated with %s', async (_what, color, restarts) => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.start();
    await duringGap(harness, async () => {
      await harness.delete('ConfigMap', 'app');
      harness.seed(configMap({ name: 'app', data: { color } }));
    });
    expect(harness.restarts('Deployment', 'web')).toBe(restarts);
  });
});

describe('§4 when a change counts', () => {
  it.each<[string, object, number]>([
    ['labels and annotations restart nothing', { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } }, 0],
    ['immutable restarts nothing', { immutable: true }, 0],
    ['a changed value restarts', { data: { color: 'blue' } }, 1],
    ['an added key restarts', { data: { size: '1' } }, 1],
    ['a removed key restarts', { data: { color: null } }, 1],
    ['Q17: a value that looks like two keys and is split into two restarts', { data: { pair: '1', size: '2' } }, 1],
    ['binaryData restarts', { binaryData: { logo: 'AAEC' } }, 1],
    [
      'Q17: a value that moves to binaryData unchanged restarts nothing',
      { data: { color: null }, binaryData: { color: Buffer.from('red').toString('base64') } },
      0,
    ],
    [
      'Q17: a value that moves to binaryData and changes restarts',
      { data: { color: null }, binaryData: { color: 'red=' } },
      1,
    ],
  ])('%s', async (_what, patch, restarts) => {
    const harness = new Harness();
    harness.seed(configMap({ name: 'app', data: { color: 'red', pair: '1;size=2' } }), web);
    await harness.start();
    await harness.patchSource('ConfigMap', 'app', patch);
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(restarts);
  });
});
