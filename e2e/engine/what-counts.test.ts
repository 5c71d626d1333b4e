import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { usersCommandIn } from '../../cli/users/users-command';
import { whyCommandIn } from '../../cli/why/why-command';
import { previewCommandIn } from '../../cli/preview/preview-command';
import type { PreviewWorld } from '../../cli/preview/preview-command';
import { loadCanonicalForms } from '../../shared/domain/content-check/canonical-forms';
import type { CanonicalForms } from '../../shared/domain/sources/content-digest';
import { configMap, deployment, envFromKey, fromConfigMap } from '../apiserver/cluster';
import { clusterOf, runAgainst, type Answering } from './asking.fixture';
import { Harness, type Engine } from './harness';
import { inspected } from './inspection.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };
const keys = 'reroll.dev/keys';
const compare = 'reroll.dev/compare';
const data = { 'app.yaml': 'a: 1', 'comment.md': 'old', token: 't' };

let forms: CanonicalForms;
let harness: Harness;
let engine: Engine;

beforeAll(async () => {
  forms = await loadCanonicalForms((_limitMs, work) => work());
});

beforeEach(() => {
  harness = new Harness();
});

/** Starts with ConfigMap `app` and Deployment `web`, which uses all of it, and `one`, which uses the comment alone. */
async function start(bearers: { readonly workload?: object; readonly source?: object } = {}): Promise<void> {
  const annotations = { ...auto, ...bearers.workload };
  harness.seed(
    configMap({ name: 'app', data, annotations: { ...bearers.source } }),
    deployment({ name: 'web', annotations, envFrom: [fromConfigMap('app')] }),
    deployment({ name: 'one', annotations, env: [envFromKey('ConfigMap', 'app', 'comment.md')] }),
  );
  await run();
}

async function run(): Promise<void> {
  engine = await harness.start({}, undefined, { forms });
  await settled();
}

async function settled(): Promise<void> {
  await harness.clock.advance(60_000);
}

async function edit(written: Record<string, string | null>): Promise<void> {
  await harness.edit('ConfigMap', 'app', written);
  await settled();
}

async function annotate(bearer: 'workload' | 'source', annotations: Record<string, string | null>): Promise<void> {
  if (bearer === 'source') await harness.patchSource('ConfigMap', 'app', { metadata: { annotations } });
  else await harness.patch('Deployment', 'web', { metadata: { annotations } });
  await settled();
}

const restarts = (name = 'web'): number => harness.restarts('Deployment', name);
const writes = (): number => harness.writesOf('Deployment', 'web').length;

async function whileDown(happens: () => Promise<void>): Promise<void> {
  await engine.stop();
  await happens();
  await run();
}

describe.each(['workload', 'source'] as const)('reroll.dev/keys on the %s', (bearer) => {
  const list = { [keys]: '!comment.*' };

  it('lets changes of other keys restart nothing, and writes nothing for them', async () => {
    await start({ [bearer]: list });
    const before = writes();
    await edit({ 'comment.md': 'new' });
    await edit({ 'comment.txt': 'one more' });
    expect([restarts(), restarts('one'), writes()]).toEqual([0, 0, before]);
    await edit({ 'app.yaml': 'a: 2' });
    expect([restarts(), restarts('one')]).toEqual([1, 0]);
    await edit({ 'log.yaml': 'b: 1' });
    await edit({ token: null });
    expect(restarts()).toBe(3);
  });

  it('counts also for what changes while no process runs', async () => {
    await start({ [bearer]: list });
    await whileDown(async () => await edit({ 'comment.md': 'new' }));
    expect(restarts()).toBe(0);
    await whileDown(async () => await edit({ 'log.yaml': 'b: 1' }));
    expect(restarts()).toBe(1);
  });

  it('restarts nothing when it is added, changed or removed, and is recorded', async () => {
    await start();
    for (const value of ['!comment.*', 'app.yaml', 'token', '*', null]) {
      await annotate(bearer, { [keys]: value });
      expect([value, restarts()]).toEqual([value, 0]);
    }
    await annotate(bearer, { [keys]: 'token' });
    await edit({ 'app.yaml': 'a: 2' });
    expect(restarts()).toBe(0);
    await annotate(bearer, { [keys]: null });
    expect(restarts()).toBe(0);
    await edit({ 'app.yaml': 'a: 3' });
    expect(restarts()).toBe(1);
  });

  it('keeps what is owed when another list counts', async () => {
    await start({ [bearer]: list, workload: { ...(bearer === 'workload' && list), 'reroll.dev/hold': 'true' } });
    await edit({ 'app.yaml': 'a: 2' });
    await harness.clock.advance(3_600_000);
    await annotate(bearer, { [keys]: '*.yaml' });
    await annotate('workload', { 'reroll.dev/hold': null });
    expect(restarts()).toBe(1);
  });

  describe('keeps what is owed for a key that was added and counts under the next list, too', () => {
    const hold = async (value: 'true' | null): Promise<void> =>
      await annotate('workload', { 'reroll.dev/hold': value });
    const next = { [keys]: '!*.txt' };

    beforeEach(async () => await start({ [bearer]: list }));

    it('during a hold', async () => {
      await hold('true');
      await edit({ 'log.yaml': 'b: 1' });
      await annotate(bearer, next);
      await hold(null);
      expect(restarts()).toBe(1);
    });

    it('within the settle window', async () => {
      await harness.edit('ConfigMap', 'app', { 'log.yaml': 'b: 1' });
      await harness.clock.advance(300);
      await annotate(bearer, next);
      expect(restarts()).toBe(1);
    });

    it('if no process runs when the list changes', async () => {
      await hold('true');
      await edit({ 'log.yaml': 'b: 1' });
      await whileDown(async () => await annotate(bearer, next));
      await hold(null);
      expect(restarts()).toBe(1);
    });

    it('if no process runs when either changes', async () => {
      await whileDown(async () => {
        await edit({ 'log.yaml': 'b: 1' });
        await annotate(bearer, next);
      });
      expect(restarts()).toBe(1);
    });

    it('if the list is removed', async () => {
      await hold('true');
      await edit({ 'log.yaml': 'b: 1' });
      await annotate(bearer, { [keys]: null });
      await hold(null);
      expect(restarts()).toBe(1);
    });

    it('and nothing if it is taken back', async () => {
      await hold('true');
      await edit({ 'log.yaml': 'b: 1' });
      await annotate(bearer, next);
      await edit({ 'log.yaml': null });
      await hold(null);
      expect(restarts()).toBe(0);
    });
  });

  it('tells the next leader what a key was when it began to count, while a restart is owed for another', async () => {
    const held = { 'reroll.dev/hold': 'true' };
    await start({ [bearer]: list, workload: { ...(bearer === 'workload' && list), ...held } });
    await edit({ 'app.yaml': 'a: 2' });
    await annotate(bearer, { [keys]: '!*.txt' });
    await edit({ 'comment.md': 'new' });
    await whileDown(async () => await harness.clock.advance(3_600_000));
    await edit({ 'app.yaml': 'a: 1' });
    await annotate('workload', { 'reroll.dev/hold': null });
    expect(restarts()).toBe(1);
  });

  it('that cannot be read lets every key count', async () => {
    await start({ source: { [keys]: '!comment.*' }, [bearer]: { [keys]: '(app|token)' } });
    await edit({ 'comment.md': 'new' });
    expect(restarts()).toBe(1);
    const told = engine.lines.map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`).join('\n');
    expect(told).toContain('is not a list of keys, so every key counts');
  });
});

it('a key that is added by the same write as another list counts if it counts under both', async () => {
  await start({ source: { [keys]: '!comment.*' } });
  const metadata = { annotations: { [keys]: '!*.txt' } };
  await harness.patchSource('ConfigMap', 'app', { metadata, data: { 'log.yaml': 'b: 1' } });
  await settled();
  expect(restarts()).toBe(1);
});

describe('reroll.dev/compare: parsed', () => {
  const parsed = { [compare]: 'parsed' };

  it('lets comments restart nothing, and writes nothing for them', async () => {
    await start({ source: parsed });
    const before = writes();
    await edit({ 'app.yaml': '# how many\na:   1\n' });
    expect([restarts(), writes()]).toEqual([0, before]);
    await whileDown(async () => await edit({ 'app.yaml': '{a: 1}' }));
    expect(restarts()).toBe(0);
    await edit({ 'app.yaml': '{a: 2}' });
    expect(restarts()).toBe(1);
    await edit({ token: 't ' });
    expect(restarts()).toBe(2);
  });

  it('restarts nothing when it is added, and counts from then on', async () => {
    await start();
    await annotate('source', parsed);
    await edit({ 'app.yaml': 'a:  1' });
    expect(restarts()).toBe(0);
  });

  it('restarts once when it is removed, if something was formatted', async () => {
    await start({ source: parsed });
    await edit({ 'app.yaml': 'a:  1' });
    await annotate('source', { [compare]: null });
    expect(restarts()).toBe(1);
    await annotate('source', parsed);
    await annotate('source', { [compare]: null });
    expect(restarts()).toBe(1);
  });
});

describe('what people are told', () => {
  async function headline(
    command: 'why' | 'users' | 'preview',
    args: readonly string[],
    answering: Answering,
  ): Promise<string> {
    const loadIn = {
      why: whyCommandIn,
      users: usersCommandIn,
      preview: (world: object) => previewCommandIn({ ...(world as PreviewWorld), random: harness.random }),
    }[command];
    const { out } = await runAgainst(clusterOf(harness, engine, answering), harness, { name: command, loadIn }, args);
    return out;
  }

  it.each(['leader', 'objects'] as const)('of a key that does not count, by the %s', async (answering) => {
    await start({ source: { [keys]: '!comment.*' } });
    await harness.admin.request({
      ...{ method: 'PATCH', path: '/api/v1/namespaces/default/configmaps/app', query: { fieldManager: 'ci' } },
      ...{ body: { data: { 'comment.md': 'new' } }, contentType: 'application/merge-patch+json' },
    });
    await settled();
    const why = await headline('why', ['deployment/web', '--for=configmap/app'], answering);
    expect(why.split('\n')[0]).toBe(
      'does not restart for ConfigMap app: reroll.dev/keys: !comment.* on the source says what counts, and the change was to key comment.md (last written 1 minute ago by ci)',
    );
    expect(await headline('users', ['configmap/app'], answering)).toContain('all (reroll.dev/keys: !comment.*)');
    const preview = await headline('preview', ['configmap/app', '--set=comment.md=x'], answering);
    expect(preview).toContain('would restart 0 of 2');
    expect(preview).toContain('no key changes that counts (reroll.dev/keys on the source: !comment.*)');
  });

  it('of a change that is seen by nobody who parses it', async () => {
    await start({ source: { [compare]: 'parsed' } });
    await edit({ 'app.yaml': 'a:  1' });
    const why = await headline('why', ['deployment/web', '--for=configmap/app'], 'leader');
    expect(why.split('\n')[0]).toBe(
      'does not restart for ConfigMap app: its white space, comments or order of keys changed, which do not count (reroll.dev/compare: parsed)',
    );
    expect(inspected.workload(engine, 'Deployment/default/web')).toMatchObject({
      sources: [{ compare: 'parsed', standing: 'same-parsed', restarts: false }],
    });
    const preview = await headline('preview', ['configmap/app', '--set=app.yaml=a:   1'], 'leader');
    expect(preview).toContain('only white space, comments or the order of keys changes (reroll.dev/compare: parsed)');
  });
});
