import { describe, expect, it } from '@jest/globals';
import {
  configMap,
  daemonSet,
  deployment,
  envFromKey,
  fromConfigMap,
  fromSecret,
  secret,
  statefulSet,
} from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { Harness, handoverLease } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });
const app = configMap({ name: 'app', data: { color: 'red' } });

describe('one change, one restart', () => {
  it('records a baseline when it first sees a workload, and restarts nothing', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.start();
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    const { metadata } = await harness.get('Deployment', 'web');
    expect(JSON.parse(metadata.annotations!['reroll.dev/baseline']!)).toMatchObject({
      v: 1,
      n: 1,
      sources: { 'cm/app': expect.any(String) },
    });
  });

  it.each([
    ['Deployment', deployment],
    ['StatefulSet', statefulSet],
    ['DaemonSet', daemonSet],
  ] as const)('restarts a %s once for a change of its ConfigMap', async (kind, build) => {
    const harness = new Harness();
    harness.seed(app, build({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts(kind, 'web')).toBe(1);
  });

  it('costs one PATCH and one Event for each workload, and no read', async () => {
    const harness = new Harness();
    const names = ['a', 'b', 'c'];
    harness.seed(app, ...names.map((name) => deployment({ name, annotations: auto, envFrom: [fromConfigMap('app')] })));
    new Controllers(harness.server).start();
    await harness.clock.advance(30_000);
    await harness.start();
    harness.requestsSinceLast();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.requestsSinceLast().toSorted()).toEqual([
      ...names.map(() => 'create events'),
      ...names.map(() => 'patch deployments.apps'),
    ]);
  });

  it('sends no request for a change of a source that nobody uses', async () => {
    const harness = new Harness();
    harness.seed(app, web, configMap({ name: 'other', data: { a: '1' } }));
    await harness.start();
    harness.requestsSinceLast();
    await harness.edit('ConfigMap', 'other', { a: '2' });
    await harness.clock.advance(20_000);
    expect(harness.requestsSinceLast()).toEqual([]);
  });

  it('sends no request to an idle cluster except to renew watches and Lease', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.start();
    harness.requestsSinceLast();
    await harness.clock.advance(290_000);
    expect(harness.requestsSinceLast()).toEqual([]);
  });

  it('does not restart for a write that changes no content', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.start();
    await harness.label('ConfigMap', 'app', { team: 'blue' });
    await harness.edit('ConfigMap', 'app', { color: 'red' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('restarts only for keys in use, and logs why other keys restart nothing', async () => {
    const harness = new Harness();
    harness.seed(
      configMap({ name: 'app', data: { color: 'red', size: '1' } }),
      deployment({ name: 'web', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] }),
    );
    const engine = await harness.start();
    await harness.edit('ConfigMap', 'app', { size: '2' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    expect(
      engine.lines.find(({ message }) => message === 'Deployment default/web not restarted')?.fields,
    ).toMatchObject({
      because: ['ConfigMap app: the content it uses has not changed'],
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('restarts again when content returns to a former state', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.start();
    for (const color of ['blue', 'red', 'blue']) {
      await harness.edit('ConfigMap', 'app', { color });
      await harness.clock.advance(20_000);
    }
    expect(harness.restarts('Deployment', 'web')).toBe(3);
  });

  it('changes template and baseline in one write', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.start();
    const before = (await harness.get('Deployment', 'web')).metadata.annotations!['reroll.dev/baseline'];
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    const writes = harness.writesOf('Deployment', 'web').filter(({ user }) => user === 'reroll');
    expect(writes).toHaveLength(2);
    const { metadata, ...deploymentNow } = await harness.get('Deployment', 'web');
    expect(metadata.annotations!['reroll.dev/baseline']).not.toBe(before);
    expect(JSON.stringify(deploymentNow)).toContain('STAKATER_APP_CONFIGMAP');
  });

  it('names source and keys in the log, in an Event and on the workload, and never a value', async () => {
    const harness = new Harness();
    harness.seed(
      secret({ name: 'db', data: { password: 'hunter2', user: 'shop' } }),
      deployment({ name: 'web', annotations: auto, envFrom: [fromSecret('db')] }),
    );
    const engine = await harness.start();
    await harness.edit('Secret', 'db', { password: 'correct-horse' });
    await harness.clock.advance(20_000);
    const said = JSON.stringify([
      engine.lines,
      harness.server.history().filter(({ user }) => user === 'reroll'),
      await engine.metrics.registry.text(),
    ]);
    expect(said).toContain('Secret db: content changed (keys: password)');
    const { metadata } = await harness.get('Deployment', 'web');
    expect(JSON.parse(metadata.annotations!['reroll.dev/last-restart']!)).toMatchObject({
      sources: { 'secret/db': ['password'] },
    });
    for (const value of ['hunter2', 'correct-horse'].flatMap((text) => [text, Buffer.from(text).toString('base64')])) {
      expect(said).not.toContain(value);
    }
  });
});

describe('the settle window', () => {
  it('combines ten edits into one restart', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.start();
    for (let n = 0; n < 10; n++) {
      await harness.edit('ConfigMap', 'app', { color: String(n) });
      await harness.clock.advance(300);
    }
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('ends after settle-max even if the edits go on', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.start({ settleMs: 1_000, settleMaxMs: 5_000 });
    for (let n = 0; n < 14; n++) {
      await harness.edit('ConfigMap', 'app', { color: String(n) });
      await harness.clock.advance(500);
    }
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it.each([
    ['2s', 3_000, 1],
    ['6s', 5_000, 0],
  ])('ends after the settle-max of the workload, here %s', async (settleMax, afterMs, restarts) => {
    const harness = new Harness();
    const annotations = { ...auto, 'reroll.dev/settle-max': settleMax };
    harness.seed(app, deployment({ name: 'web', annotations, envFrom: [fromConfigMap('app')] }));
    await harness.start({ settleMs: 1_000, settleMaxMs: 4_000 });
    for (let passedMs = 0; passedMs < afterMs; passedMs += 500) {
      await harness.edit('ConfigMap', 'app', { color: String(passedMs) });
      await harness.clock.advance(500);
    }
    expect(harness.restarts('Deployment', 'web')).toBe(restarts);
  });

  it.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
    ['that is ignored', auto, { 'reloader.stakater.com/ignore': 'true' }],
    ['that the workload excludes', { ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'extra' }, {}],
    ['that the workload does not name', { 'configmap.reloader.stakater.com/reload': 'app' }, {}],
  ])('does not begin with an edit of a source %s, and does not last longer for it', async (_what, asks, ofExtra) => {
    const harness = new Harness();
    const annotations = { ...asks, 'reroll.dev/settle-max': '1500ms' };
    harness.seed(
      app,
      configMap({ name: 'extra', annotations: ofExtra, data: { size: 'small' } }),
      deployment({ name: 'web', annotations, envFrom: [fromConfigMap('app'), fromConfigMap('extra')] }),
    );
    await harness.start({ settleMs: 1_000 });
    await harness.edit('ConfigMap', 'extra', { size: 'large' });
    await harness.clock.advance(700);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(900);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await harness.edit('ConfigMap', 'extra', { size: 'huge' });
    await harness.clock.advance(200);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('restarts nothing for an edit that is reverted within it', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(500);
    await harness.edit('ConfigMap', 'app', { color: 'red' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('is as long as the workload requests', async () => {
    const harness = new Harness();
    harness.seed(
      app,
      deployment({
        name: 'web',
        annotations: { ...auto, 'reroll.dev/settle': '30s' },
        envFrom: [fromConfigMap('app')],
      }),
    );
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(29_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await harness.clock.advance(2_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('strategies', () => {
  const marker = async (strategy: string): Promise<string> => {
    const harness = new Harness();
    harness.seed(
      app,
      deployment({
        name: 'web',
        annotations: { ...auto, 'reroll.dev/strategy': strategy },
        envFrom: [fromConfigMap('app')],
      }),
    );
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    return JSON.stringify(harness.template(await harness.get('Deployment', 'web')));
  };

  it('env-vars puts a variable into the container that uses the source', async () => {
    expect(await marker('env-vars')).toMatch(/"name":"STAKATER_APP_CONFIGMAP","value":"[\w-]{22}\.[0-9a-f]{8}"/);
  });

  it('annotations writes last-reloaded-from as Reloader does', async () => {
    expect(await marker('annotations')).toMatch(
      /last-reloaded-from":"\{\\"type\\":\\"CONFIGMAP\\",\\"name\\":\\"app\\",\\"namespace\\":\\"default\\",\\"hash\\":\\"[\w-]{22}\\",\\"containerRefs\\":\[\\"app\\"\],\\"observedAt\\":\d+/,
    );
  });

  it('restarted-at writes what kubectl rollout restart writes', async () => {
    expect(await marker('restarted-at')).toMatch(
      /"kubectl.kubernetes.io\/restartedAt":"2026-01-01T00:00:\d\d\.\d{3}Z"/,
    );
  });
});

describe('creation and deletion of a source', () => {
  const optional = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app', true)] });

  it.each([
    [false, 0],
    [true, 1],
  ])('with reload-on-create %s a created source restarts %i times', async (reloadOnCreate, restarts) => {
    const harness = new Harness();
    harness.seed(optional);
    await harness.start({ reloadOnCreate });
    await harness.clock.advance(10_000);
    harness.seed(app);
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(restarts);
  });

  it.each([
    [false, 0],
    [true, 1],
  ])('with reload-on-delete %s a deleted source restarts %i times', async (reloadOnDelete, restarts) => {
    const harness = new Harness();
    harness.seed(app, optional);
    await harness.start({ reloadOnDelete });
    await harness.delete('ConfigMap', 'app');
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(restarts);
  });

  it.each([
    ['other content restarts once', 'blue', 1],
    ['the same content restarts nothing', 'red', 0],
  ])('a source that is recreated with %s', async (_what, color, restarts) => {
    const harness = new Harness();
    harness.seed(app, optional);
    await harness.start();
    await harness.delete('ConfigMap', 'app');
    await harness.clock.advance(20_000);
    harness.seed(configMap({ name: 'app', data: { color } }));
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(restarts);
  });

  describe.each([0, 60_000, 1_200_000])(
    '§7.3 a deletion is judged by the annotations at that time, even %i ms later',
    (laterMs) => {
      const searching = { 'reloader.stakater.com/search': 'true' };
      const ignored = { 'reloader.stakater.com/ignore': 'true' };
      const matching = { 'reloader.stakater.com/match': 'true' };

      it.each([
        ['ignored restarts nothing', auto, ignored, {}, 0],
        ['ignored after it was recorded restarts nothing', auto, {}, ignored, 0],
        ['not ignored restarts once', auto, {}, {}, 1],
        ['matching restarts a workload with search once', searching, matching, {}, 1],
        ['not matching does not restart a workload with search', searching, {}, {}, 0],
        [
          'no longer matching does not restart a workload with search',
          searching,
          matching,
          { 'reloader.stakater.com/match': 'false' },
          0,
        ],
      ])('a deleted source that was %s', async (_what, annotations, onSource, afterwards, restarts) => {
        const harness = new Harness();
        harness.seed(
          configMap({ name: 'app', data: { color: 'red' }, annotations: onSource }),
          deployment({ name: 'web', annotations, envFrom: [fromConfigMap('app', true)] }),
        );
        harness.leaseTimings = handoverLease;
        const first = await harness.start({ reloadOnDelete: true });
        await harness.clock.advance(10_000);
        await harness.annotate('ConfigMap', 'app', afterwards);
        await harness.clock.advance(10_000);
        await harness.delete('ConfigMap', 'app');
        await harness.clock.advance(10_000);
        // The workload is judged again, maybe after the annotations were forgotten: by this process, then by the next.
        await harness.clock.advance(laterMs);
        await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reroll.dev/settle': '2s' } } });
        await harness.clock.advance(20_000);
        first.kill();
        await harness.start({ reloadOnDelete: true, identity: 'reroll-1' });
        await harness.clock.advance(60_000);
        expect(harness.restarts('Deployment', 'web')).toBe(restarts);
      });
    },
  );

  it('an edit of a new source before Reroll has looked at it is a change', async () => {
    const harness = new Harness();
    harness.seed(optional);
    await harness.start();
    harness.seed(app);
    await harness.clock.advance(300);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});
