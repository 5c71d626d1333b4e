import { describe, expect, it } from '@jest/globals';
import { readinessChecks } from '../../reconciler/process/health';
import { configMap, deployment, fromConfigMap, fromSecret, secret } from '../apiserver/cluster';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });

describe('a bad annotation', () => {
  it.each([
    [
      'an unknown strategy',
      { ...auto, 'reroll.dev/strategy': 'reboot' },
      /reroll.dev\/strategy="reboot".*env-vars, annotations/,
    ],
    ['a malformed duration', { ...auto, 'reroll.dev/settle': 'soon' }, /reroll.dev\/settle="soon"/],
    [
      'an invalid pattern',
      { ...auto, 'configmap.reloader.stakater.com/reload': 'app[' },
      /configmap.reloader.stakater.com\/reload="app\["/,
    ],
    ['an unknown key', { ...auto, 'reroll.dev/settel': '1s' }, /reroll.dev\/settel/],
  ])(
    '%s is reported with object, key and value, and the workload is restarted anyway',
    async (_what, annotations, message) => {
      const harness = new Harness();
      harness.seed(app, deployment({ name: 'odd', annotations, envFrom: [fromConfigMap('app')] }));
      const engine = await harness.start();
      const told = engine.lines.filter((line) => line.level === 'warn').map((line) => line.message);
      expect(told).toEqual([expect.stringMatching(message)]);
      expect(told[0]).toContain('Deployment default/odd');
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.clock.advance(60_000);
      expect(harness.restarts('Deployment', 'odd')).toBe(1);
    },
  );
});

describe('missing permissions', () => {
  it('for one resource are named in log and readiness, and other resources work', async () => {
    const harness = new Harness();
    harness.seed(
      app,
      web,
      secret({ name: 'db', data: { password: 'a' } }),
      deployment({ name: 'api', annotations: auto, envFrom: [fromSecret('db'), fromConfigMap('app')] }),
    );
    const end = harness.faults.add({
      match: ({ pathname }) => pathname === '/api/v1/secrets',
      fault: { kind: 'status', code: 403 },
    });
    const engine = await harness.start();
    await harness.clock.advance(15_000);
    expect(
      engine.lines
        .filter(({ level }) => level === 'warn')
        .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`),
    ).toContainEqual(expect.stringMatching(/secrets/));
    const checks = readinessChecks(engine.reconciler).map(({ check }) => check());
    expect(checks.every(({ ok }) => ok)).toBe(true);
    expect(checks.map(({ message }) => message).join()).toMatch(/secrets: backing-off/);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(harness.restarts('Deployment', 'api')).toBe(1);
    end();
    await harness.clock.advance(120_000);
    await harness.edit('Secret', 'db', { password: 'b' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'api')).toBe(2);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('for the digest key keep the engine from acting, and readiness says so until they are granted', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    const end = harness.faults.add({
      match: ({ pathname }) => pathname.includes('/namespaces/reroll/secrets'),
      fault: { kind: 'status', code: 403 },
    });
    const engine = await harness.start();
    const [check] = readinessChecks(engine.reconciler);
    expect(check!.check()).toMatchObject({ ok: false, message: expect.stringMatching(/digest key: .*secrets/) });
    end();
    await harness.clock.advance(120_000);
    expect(check!.check()).toMatchObject({ ok: true });
  });
});

describe('a malformed object in a list', () => {
  it('is named and skipped, and every other object is read', async () => {
    const harness = new Harness();
    harness.seed(app, web, deployment({ name: 'broken', annotations: auto, envFrom: [fromConfigMap('app')] }));
    const engine = await harness.start({}, spoilName('broken'));
    expect(
      engine.lines
        .filter(({ level }) => level === 'warn')
        .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`),
    ).toContainEqual(expect.stringMatching(/Deployment default\/broken: metadata.uid/));
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('broken watches', () => {
  it.each([
    ['are reset', { kind: 'reset-stream', atEvent: 3 }],
    ['are truncated', { kind: 'truncate', atEvent: 3 }],
    ['send malformed data', { kind: 'malform', atEvent: 3 }],
    ['expire', { kind: 'error-event', code: 410, atEvent: 3 }],
    ['go silent without an error', { kind: 'half-open', atEvent: 3 }],
    ['repeat events', { kind: 'duplicate' }],
  ] as const)(
    'that %s lose no change and count none twice',
    async (_how, fault) => {
      const harness = new Harness();
      harness.seed(app, web);
      harness.faults.add({ match: ({ isWatch }) => isWatch, times: 20, fault });
      await harness.start();
      await harness.clock.advance(300_000);
      for (const color of ['blue', 'green', 'red']) {
        await harness.edit('ConfigMap', 'app', { color });
        await harness.clock.advance(300_000);
      }
      expect(harness.restarts('Deployment', 'web')).toBe(3);
    },
    20_000,
  );

  it('are replaced by a new list, which shows the change, if the history was compacted meanwhile', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.start();
    harness.faults.add({ match: ({ isWatch }) => isWatch, fault: { kind: 'reset', when: 'before' } });
    harness.server.compact();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(700_000);
    harness.server.compact();
    harness.faults.clear();
    await harness.clock.advance(700_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  }, 20_000);
});

/** Drops the uid of one object from the server's answers, as a broken proxy might. */
function spoilName(name: string): (text: string) => string {
  return (text) =>
    text
      .split('\n')
      .map((line) => (line.includes(`"name":"${name}"`) ? line.replace(/"uid":"[^"]*",?/, '') : line))
      .join('\n');
}

describe('a kind of source that cannot be listed', () => {
  it('delays the other kind for at most a minute, and its changes restart once it can be listed', async () => {
    const harness = new Harness();
    harness.seed(
      app,
      secret({ name: 'db', data: { password: 'a' } }),
      web,
      deployment({ name: 'api', annotations: auto, envFrom: [fromSecret('db')] }),
    );
    await (await harness.start()).stop();
    const end = harness.faults.add({
      match: ({ pathname }) => pathname === '/api/v1/secrets',
      fault: { kind: 'status', code: 500 },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.edit('Secret', 'db', { password: 'b' });
    await harness.start();
    await harness.clock.advance(50_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await harness.clock.advance(10_000);
    expect([harness.restarts('Deployment', 'web'), harness.restarts('Deployment', 'api')]).toEqual([1, 0]);
    end();
    await harness.clock.advance(120_000);
    expect([harness.restarts('Deployment', 'web'), harness.restarts('Deployment', 'api')]).toEqual([1, 1]);
  });
});

describe('a workload whose baseline would be too large', () => {
  it('is named in a warning with a fix, and does not delay other workloads', async () => {
    const harness = new Harness();
    const many = Array.from({ length: 1_200 }, (_, n) =>
      configMap({ name: `a-name-of-some-length${'-and-more'.repeat(22)}-${String(n)}`, data: {} }),
    );
    const greedy = { 'configmap.reloader.stakater.com/reload': 'a-name-.*' };
    harness.seed(app, web, ...many, deployment({ name: 'greedy', annotations: greedy }));
    const engine = await harness.start();
    expect(engine.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['error'])).toContainEqual(
      expect.stringMatching(
        /^Deployment default\/greedy: the baseline of its 1200 sources takes \d+ bytes.*name fewer sources$/,
      ),
    );
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(10_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});
