import { describe, expect, it } from '@jest/globals';
import { pauseReportSchema, resumeReportSchema } from '../../cli/pause/outcome-report';
import { pauseCommandIn } from '../../cli/pause/pause-command';
import { usersCommandIn } from '../../cli/users/users-command';
import { resumeCommandIn } from '../../cli/pause/resume-command';
import { getObject, type KubeObject } from '../../shared/kube/client/objects';
import { NotFoundError } from '../../shared/kube/errors';
import { configMaps, namespaces } from '../../shared/kube/resource';
import { configMap, deployment, namespace, secret } from '../apiserver/cluster';
import { ownNamespace } from '../engine-settings';
import { clusterOf, rerollDeployment, runAgainst, type Answering, type Run } from './asking.fixture';
import { Harness, type Engine } from './harness';
import { rule } from './rights.fixture';
import { app, auto, changeColor, running, settled, uses, web, type Situation } from './situations.fixture';
import { webhookMode } from './why-situations.fixture';

type Situated = readonly [Harness, Engine];

const hold = 'reroll.dev/hold';
const shop = namespace('default');
const held = (...text: readonly string[]) => ({ annotations: { [hold]: text.join() } });
const everything = { name: 'reroll-hold', namespace: ownNamespace };

async function inSituation(situation: Partial<Situation> = {}): Promise<Situated> {
  const objects = [app, rerollDeployment(situation.settings), ...(situation.objects ?? [shop, web])];
  return await running({ answer: {}, ...situation, objects });
}

function asker(name: string, loadIn: typeof pauseCommandIn) {
  return async (running: Situated, args: readonly string[], answering: Answering = 'leader'): Promise<Run> =>
    await runAgainst(clusterOf(...running, answering), running[0], { name, loadIn }, args);
}

const pause = asker('pause', pauseCommandIn);
const resume = asker('resume', resumeCommandIn);

/** The annotation of an object, and `none` if the object has none or is not there. */
async function holdOn([harness]: Situated, what: 'web' | 'app' | 'namespace' | 'everything'): Promise<string> {
  const reading = {
    web: async () => await harness.get('Deployment', 'web'),
    app: async () => await getObject(harness.admin, configMaps, 'default', 'app'),
    namespace: async () => await getObject(harness.admin, namespaces, undefined, 'default'),
    everything: async () => await getObject(harness.admin, configMaps, ownNamespace, 'reroll-hold'),
  };
  const object = await reading[what]().catch((thrown: unknown): Pick<KubeObject, 'metadata'> | undefined => {
    if (thrown instanceof NotFoundError) return undefined;
    throw thrown;
  });
  return object?.metadata.annotations?.[hold] ?? (object ? 'not held' : 'not there');
}

function restarts([harness]: Situated): number {
  return harness.restarts('Deployment', 'web', 'default');
}

describe('reroll pause', () => {
  it.each([
    ['deployment/web', 'web', 'Deployment default/web', 'deployment/web -n default'],
    ['deploy/web', 'web', 'Deployment default/web', 'deployment/web -n default'],
    ['cm/app', 'app', 'ConfigMap default/app', 'configmap/app -n default'],
    ['namespace/default', 'namespace', 'namespace default', 'namespace/default'],
    ['ns/default', 'namespace', 'namespace default', 'namespace/default'],
    ['--all', 'everything', 'everything', '--all'],
  ] as const)('holds %s until reroll resume', async (arg, what, title, argument) => {
    const running = await inSituation();
    expect(await pause(running, [arg])).toEqual({
      ...{ code: 0, err: '' },
      out: `${title} is held\nno restart waits for it yet\nend it with: reroll resume ${argument}\n`,
    });
    expect(await holdOn(running, what)).toBe('true');
    await changeColor(running[0]);
    expect(restarts(running)).toBe(0);
    expect(await resume(running, [arg])).toMatchObject({ code: 0, err: '' });
    await running[0].clock.advance(settled);
    expect([restarts(running), await holdOn(running, what)]).toEqual([1, arg === '--all' ? 'not there' : 'not held']);
  });

  it('says until when, and why, as the annotation does', async () => {
    const running = await inSituation();
    const { out } = await pause(running, ['namespace/default', '--for', '2h', '--because', 'release, freeze']);
    expect(out).toMatch(/^namespace default is held until 2026-01-01T02:02:05Z \(in 2 hours\): release, freeze\n/);
    expect(await holdOn(running, 'namespace')).toBe('until=2026-01-01T02:02:05Z, because=release, freeze');
    await pause(running, ['namespace/default', '--until=2026-12-01T08:00:00+02:00']);
    expect(await holdOn(running, 'namespace')).toBe('until=2026-12-01T06:00:00Z');
  });

  it('writes as the person, with a field manager of its own', async () => {
    const running = await inSituation();
    await pause(running, ['deployment/web']);
    await pause(running, ['--all']);
    for (const object of [
      await running[0].get('Deployment', 'web'),
      await getObject(running[0].admin, configMaps, ownNamespace, 'reroll-hold'),
    ]) {
      expect(object.metadata['managedFields']).toContainEqual(expect.objectContaining({ manager: 'kubectl-reroll' }));
    }
  });

  it('changes the hold of everything that is there', async () => {
    const running = await inSituation({ objects: [shop, web, configMap({ ...everything, ...held('false') })] });
    expect((await pause(running, ['--all', '--because=incident 42'])).code).toBe(0);
    expect(await holdOn(running, 'everything')).toBe('because=incident 42');
  });

  it('holds everything also where somebody else does so at the same moment', async () => {
    const running = await inSituation();
    const [harness] = running;
    const end = harness.faults.add({
      match: ({ method, pathname }) => method === 'GET' && pathname.endsWith('/configmaps/reroll-hold'),
      fault: { kind: 'status', code: 404 },
    });
    harness.seed(configMap({ ...everything, ...held('false') }));
    expect((await pause(running, ['--all'])).code).toBe(0);
    end();
    expect(await holdOn(running, 'everything')).toBe('true');
  });

  it('shows what waits', async () => {
    const objects = [shop, web, deployment({ ...uses, name: 'api' })];
    const running = await inSituation({ objects });
    await pause(running, ['cm/app']);
    await changeColor(running[0]);
    expect((await pause(running, ['deployment/web'])).out).toContain('\nrestarts that wait: Deployment default/web\n');
    expect((await pause(running, ['ns/default'])).out).toContain(
      '\nrestarts that wait: Deployment default/api and Deployment default/web\n',
    );
    expect((await pause(running, ['secret/none'])).out).toBe('there is no Secret default/none\n');
    expect((await resume(running, ['cm/app'])).out).toContain(
      '\nrestarts that wait: Deployment default/api and Deployment default/web\n',
    );
  });

  it('says that Reroll does not restart the workload anyway', async () => {
    const running = await inSituation({ objects: [deployment({ name: 'silent', envFrom: [] })] });
    expect((await pause(running, ['deployment/silent'])).out).toContain('\nReroll does not restart it anyway: ');
  });

  it('holds without the leader, and says that it does not know what waits', async () => {
    const running = await inSituation();
    const { code, err, out } = await pause(running, ['deployment/web'], 'objects');
    expect([code, await holdOn(running, 'web')]).toEqual([0, 'true']);
    expect(err).toBe('you may not get pods/portforward; what waits for a restart is known to the leader only\n');
    expect(out).toBe('Deployment default/web is held\nend it with: reroll resume deployment/web -n default\n');
  });

  it('prints JSON, YAML and the name of the object', async () => {
    const running = await inSituation();
    const json: unknown = JSON.parse((await pause(running, ['deployment/web', '--because=x', '-o', 'json'])).out);
    expect(pauseReportSchema.parse(json)).toEqual({
      ...{ v: 1, kind: 'Deployment', namespace: 'default', name: 'web', changed: true, hold: 'because=x', waiting: [] },
      answer: 'Deployment default/web is held: x',
    });
    expect((await pause(running, ['deployment/web', '-o', 'name'])).out).toBe('deployment.apps/web\n');
    const refused: unknown = JSON.parse((await pause(running, ['deployment/none', '-o', 'json'])).out);
    expect(pauseReportSchema.parse(refused)).toEqual({
      ...{ v: 1, kind: 'Deployment', namespace: 'default', name: 'none', changed: false },
      answer: 'there is no Deployment default/none',
    });
    await pause(running, ['namespace/default']);
    const resumed: unknown = JSON.parse((await resume(running, ['deployment/web', '-o', 'json'])).out);
    expect(resumeReportSchema.parse(resumed)).toEqual({
      ...{ v: 1, kind: 'Deployment', namespace: 'default', name: 'web', changed: true, waiting: [] },
      stillHeld: ['it is still held by reroll.dev/hold on namespace default'],
      answer: expect.stringMatching(/^Deployment default\/web is not held any more, but it is still held by /),
    });
    const ended: unknown = JSON.parse((await resume(running, ['namespace/default', '-o', 'json'])).out);
    expect(resumeReportSchema.parse(ended)).not.toHaveProperty('namespace');
    expect((await resume(running, ['deployment/web', '-o', 'yaml'])).out).toMatch(/^v: 1\nkind: Deployment\n/);
  });
});

describe('reroll pause changes nothing', () => {
  it.each<[string, readonly string[], string]>([
    ['is named', [], 'name what is meant: such as deployment/web, configmap/app or namespace/shop, or else --all'],
    ['of that kind can be held', ['pod/web'], 'restarts cannot be held on the kind "pod": use Deployment, '],
    ['besides --all is needed', ['deployment/web', '--all'], '--all is everything, so name nothing besides'],
    ['has two ends', ['--all', '--for=1h', '--until=2027-01-01T00:00:00Z'], '--until and --for both say when the hold'],
    [
      'ends before it begins',
      ['deployment/web', '--until=2025-12-31T00:00:00Z'],
      '--until="2025-12-31T00:00:00.000Z": it is ',
    ],
    ['ends at such a time', ['deployment/web', '--until=tomorrow'], '--until="tomorrow": not a time as in RFC 3339'],
    ['takes no time', ['deployment/web', '--for=0'], '--for="0": no time at all'],
    ['has no reason', ['deployment/web', '--because= '], '--because=" ": must not be empty'],
    ['has such a long reason', ['deployment/web', `--because=${'x'.repeat(201)}`], 'longer than 200 bytes'],
  ])('if nothing %s', async (_what, args, problem) => {
    const running = await inSituation();
    const before = running[0].server.history().length;
    const run = await pause(running, args);
    expect(run.code).toBe(2);
    expect(run.err).toContain(problem);
    expect(running[0].server.history().length).toBe(before);
  });

  it.each<[string, Partial<Situation>, readonly string[], Answering, string]>([
    [
      'single namespaces are watched',
      { settings: { namespaces: ['default'] } },
      ['ns/default'],
      'leader',
      'Reroll watches single namespaces (--namespaces)',
    ],
    [
      'single namespaces are watched',
      { settings: { namespaces: ['default'] } },
      ['ns/default'],
      'objects',
      'Reroll watches single namespaces (--namespaces)',
    ],
    [
      'namespaces may not be listed',
      { first: refusing('namespaces') },
      ['ns/default'],
      'leader',
      'the leader may not list namespaces',
    ],
    [
      'the ConfigMap may not be listed',
      { first: refusing('configmaps', ownNamespace) },
      ['--all'],
      'leader',
      'the leader may not list ConfigMap reroll-hold',
    ],
  ])('where %s, and says so', async (_what, situation, args, answering, why) => {
    const running = await inSituation(situation);
    const before = running[0].server.history().length;
    const run = await pause(running, args, answering);
    expect(run.code).toBe(1);
    expect(run.out).toMatch(
      /^nothing was changed, because a hold of (namespace default|everything) would have no effect: /,
    );
    expect(run.out).toContain(why);
    expect(running[0].server.history().length).toBe(before);
  });

  it('where the leader is of a version that knows no holds', async () => {
    const running = await inSituation();
    const inner = clusterOf(...running, 'leader');
    const ask = async (path: string) => {
      const { body, ...answer } = await inner.ask(path);
      const { watches = [] } = body as { readonly watches?: readonly { readonly name: string }[] };
      return {
        ...answer,
        body: { ...(body as object), watches: watches.filter(({ name }) => !name.includes('reroll-hold')) },
      };
    };
    const run = await runAgainst({ ...inner, ask }, running[0], { name: 'pause', loadIn: pauseCommandIn }, ['--all']);
    expect(run.out).toMatch(/would have no effect: the leader is of version 0\.0\.0-test, which knows no holds\n$/);
    expect(await holdOn(running, 'everything')).toBe('not there');
  });

  it('where Reroll calls a URL instead', async () => {
    const harness = new Harness();
    harness.seed(app, web, namespace('default'));
    const engine = await harness.start({}, undefined, webhookMode());
    expect(await pause([harness, engine], ['--all'])).toMatchObject({ code: 1 });
  });

  it.each([
    ['deployment/web', rule('apps', 'deployments', 'get'), 'patch deployments.apps in namespace default'],
    ['--all', rule('', 'configmaps', 'get'), 'create configmaps in namespace reroll'],
  ])('without the right: %s', async (arg, right, missing) => {
    const running = await inSituation();
    running[0].server.rbac.restrict('admin', [right]);
    expect(await pause(running, [arg])).toMatchObject({
      ...{ code: 3, out: '' },
      err: `you may not ${missing}, so nothing was changed\n`,
    });
  });
});

/** The engine may not list a resource, in a namespace or everywhere. */
function refusing(resource: string, within?: string): (harness: Harness) => void {
  const path = within === undefined ? `/api/v1/${resource}` : `/api/v1/namespaces/${within}/${resource}`;
  return (harness) =>
    void harness.faults.add({ match: ({ pathname }) => pathname === path, fault: { kind: 'status', code: 403 } });
}

describe('reroll resume of a source whose users wait for others', () => {
  const staged = { annotations: { 'reroll.dev/stages': 'on' } };
  const canary = deployment({ ...uses, name: 'canary' });
  const objects = [shop, configMap({ name: 'app', data: { color: 'red', size: 'small' }, ...staged }), canary, web];

  it('lets them restart, for this content only', async () => {
    const running = await inSituation({ objects });
    const [harness] = running;
    await changeColor(harness);
    expect(restarts(running)).toBe(0);
    const { code, out } = await resume(running, ['configmap/app']);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ConfigMap default\/app has no hold of its own\n1 workload that waited for stages no longer does \(reroll\.dev\/resumed: "[0-9a-f]{8}"\)\. It waited because: ConfigMap app restarts its users in stages: Deployment canary must first be healthy for 30s\n/,
    );
    await harness.clock.advance(settled);
    expect(restarts(running)).toBe(1);
    await harness.edit('ConfigMap', 'app', { color: 'green', size: 'small' }, 'default');
    await harness.clock.advance(settled);
    expect(restarts(running)).toBe(1);
  });

  it('writes nothing if nobody waits, and ends a hold beside', async () => {
    const running = await inSituation({ objects });
    await pause(running, ['configmap/app']);
    expect((await resume(running, ['configmap/app'])).out).toBe('ConfigMap default/app is not held any more\n');
    const { metadata } = await getObject(running[0].admin, configMaps, 'default', 'app');
    expect(metadata.annotations).toEqual({ 'reroll.dev/stages': 'on' });
  });

  it('says nothing about them if the leader is silent', async () => {
    const running = await inSituation({ objects });
    await changeColor(running[0]);
    const { out, err } = await resume(running, ['configmap/app'], 'objects');
    expect(out).toBe('ConfigMap default/app has no hold of its own\n');
    expect(err).toContain('what waits for a restart is known to the leader only');
  });
});

describe('reroll users of a source whose users wait for others', () => {
  it('says so in the second line', async () => {
    const app = configMap({ name: 'app', data: { color: 'red' }, annotations: { 'reroll.dev/stages': 'on' } });
    const running = await inSituation({ objects: [shop, app, deployment({ ...uses, name: 'canary' }), web] });
    await changeColor(running[0]);
    const users = asker('users', usersCommandIn);
    const lines = (await users(running, ['configmap/app'])).out.split('\n');
    expect(lines[1]).toBe(
      '1 workload waits: ConfigMap app restarts its users in stages: Deployment canary must first be healthy for 30s',
    );
  });
});

describe('reroll resume', () => {
  const override = 'reroll resume deployment/web -n default --override';

  it('says what still holds, and how to end that', async () => {
    const running = await inSituation({
      objects: [
        namespace('default', held('until=2026-01-03T00:00:00Z, because=audit')),
        deployment({ ...uses, name: 'web', annotations: { ...auto, [hold]: 'true' } }),
      ],
      then: changeColor,
    });
    expect(await resume(running, ['deployment/web'])).toEqual({
      ...{ code: 1, err: '' },
      out: `Deployment default/web is not held any more, but it is still held until 2026-01-03T00:00:00Z (in 1 day) by reroll.dev/hold on namespace default: audit
end that with: reroll resume namespace/default, or for it alone ${override}
restarts that wait: Deployment default/web
`,
    });
    expect(await resume(running, ['deployment/web'])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Deployment default\/web has no hold of its own, but it is still held until /),
    });
    const overridden = await resume(running, ['deployment/web', '--override']);
    expect(overridden).toMatchObject({
      code: 0,
      out: `no hold of its namespace counts for Deployment default/web any more (reroll.dev/hold: "false")\nrestarts that waited: Deployment default/web\n`,
    });
    await running[0].clock.advance(settled);
    expect(restarts(running)).toBe(1);
    // It must not begin to hold again.
    expect(await resume(running, ['deployment/web'])).toMatchObject({
      code: 0,
      out: 'Deployment default/web is not held: reroll.dev/hold: "false" is on it, and was left\n',
    });
    expect(await holdOn(running, 'web')).toBe('false');
  });

  it('names the sources that are held, if others are not', async () => {
    const running = await inSituation({
      objects: [
        secret({ name: 'db', data: { password: 'a' }, annotations: { [hold]: 'true' } }),
        deployment({ ...uses, name: 'web', envFrom: [...uses.envFrom, { secretRef: { name: 'db' } }] }),
      ],
    });
    expect(await resume(running, ['deployment/web'])).toMatchObject({
      code: 1,
      out: 'Deployment default/web has no hold of its own, but changes of Secret db are still held by reroll.dev/hold on Secret db\nend that with: reroll resume secret/db -n default\n',
    });
  });

  it.each([
    [
      'cm/app',
      'ConfigMap default/app',
      'reroll resume namespace/default, or for it alone reroll resume configmap/app -n default --override',
    ],
  ])('of a source in a held namespace: %s', async (arg, title, ends) => {
    const running = await inSituation({ objects: [namespace('default', held('true')), web] });
    expect(await resume(running, [arg])).toMatchObject({
      code: 1,
      out: `${title} has no hold of its own, but it is still held by reroll.dev/hold on namespace default\nend that with: ${ends}\n`,
    });
    expect((await resume(running, [arg, '--override'])).code).toBe(0);
    expect(await holdOn(running, 'app')).toBe('false');
  });

  it.each(['deployment/web', 'cm/app', 'ns/default'])('of %s says that everything is held', async (arg) => {
    const running = await inSituation({
      objects: [shop, web, configMap({ ...everything, ...held('because=incident 42') })],
    });
    const { code, out } = await resume(running, [arg]);
    expect(code).toBe(1);
    expect(out).toContain(
      'still held by ConfigMap reroll/reroll-hold: incident 42\nend that with: reroll resume --all\n',
    );
  });

  it.each<[string, Parameters<typeof configMap>[0], string, string]>([
    [
      'that somebody has created by hand',
      everything,
      'not there',
      'not everything is held any more: ConfigMap reroll/reroll-hold is deleted',
    ],
    [
      'that a repository owns',
      { ...everything, labels: { 'app.kubernetes.io/instance': 'reroll' } },
      'false',
      'not everything is held any more: ConfigMap reroll/reroll-hold has other content, so it was left, with reroll.dev/hold: "false"',
    ],
    [
      'that kubectl has applied',
      { ...everything, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
      'false',
      'not everything is held any more: ConfigMap reroll/reroll-hold has other content, so it was left, with reroll.dev/hold: "false"',
    ],
  ])('ends the hold of everything by a ConfigMap %s', async (_whose, object, left, says) => {
    const running = await inSituation({ objects: [shop, web, configMap(object)] });
    await changeColor(running[0]);
    expect(await resume(running, ['--all'])).toEqual({
      ...{ code: 0, err: '' },
      out: `${says}\nrestarts that waited: Deployment default/web\n`,
    });
    expect(await holdOn(running, 'everything')).toBe(left);
    await running[0].clock.advance(settled);
    expect(restarts(running)).toBe(1);
  });

  it('has nothing to do if not everything is held', async () => {
    const run = await resume(await inSituation(), ['--all']);
    expect(run).toMatchObject({ code: 0, out: 'not everything is held: there is no ConfigMap reroll/reroll-hold\n' });
  });

  it('changes nothing about everything a second time', async () => {
    const running = await inSituation({
      objects: [shop, web, configMap({ ...everything, ...held('false'), labels: { owner: 'gitops' } })],
    });
    const { code, out } = await resume(running, ['--all', '-o', 'json']);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      {
        answer: 'not everything is held: reroll.dev/hold: "false" is on ConfigMap reroll/reroll-hold, and was left',
        changed: false,
      },
    ]);
  });

  it.each<[string, readonly string[], number, string]>([
    ['a namespace with --override', ['ns/default', '--override'], 2, '--override needs a workload or a source'],
    ['everything with --override', ['--all', '--override'], 2, '--override needs a workload or a source'],
    ['nothing', [], 2, 'name what is meant'],
  ])('refuses %s', async (_what, args, code, problem) => {
    const run = await resume(await inSituation(), args);
    expect(run.code).toBe(code);
    expect(run.err).toContain(problem);
  });

  it('of something that is not there says so', async () => {
    expect(await resume(await inSituation(), ['deployment/none'])).toMatchObject({
      ...{ code: 1, out: 'there is no Deployment default/none\n' },
    });
  });

  it('needs no right but to change the object', async () => {
    const objects = [shop, deployment({ ...uses, name: 'web', annotations: { ...auto, [hold]: 'true' } })];
    const running = await inSituation({ objects });
    running[0].server.rbac.restrict('admin', [rule('apps', 'deployments', 'patch')]);
    const run = await resume(running, ['deployment/web'], 'objects');
    expect([run.code, run.out]).toEqual([0, 'Deployment default/web is not held any more\n']);
    running[0].server.rbac.restrict('admin', []);
    expect(await resume(running, ['--all'])).toMatchObject({
      ...{ code: 3, err: 'you may not get configmaps in namespace reroll, so nothing was changed\n' },
    });
  });
});
