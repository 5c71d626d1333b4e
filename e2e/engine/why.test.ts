import { describe, expect, it } from '@jest/globals';
import { LeaderSilentError, type Silence } from '../../cli/cluster/silence';
import { whyCommandIn } from '../../cli/why/why-command';
import { clusterOf, rerollDeployment, runAgainst, type Answering, type Run } from './asking.fixture';
import { Harness, handoverLease, type Engine } from './harness';
import { rule } from './rights.fixture';
import { annotated, app, auto, running, situations, web, type Situation } from './situations.fixture';
import { webhookMode, whySituations } from './why-situations.fixture';

const all: Readonly<Record<string, Situation>> = { ...situations, ...whySituations };
const why = { name: 'why', loadIn: whyCommandIn };

/** The objects alone tell the same. */
const same = Symbol('same');

/** The first line for a change that is owed, by the leader and by the objects, which do not show whether it is one. */
function deferred(until: string): readonly [leader: string, objects: string] {
  return [
    `is not restarted yet although key color of ConfigMap app changed: ${until}`,
    `does not restart for ConfigMap app yet: ${until} (last written 1 minute ago by kubectl)`,
  ];
}

/** The first line in each situation: as the leader answers, and from the objects alone. */
const headlines: Readonly<Record<string, readonly [leader: string, objects: string | typeof same]>> = {
  'nothing has happened': [
    'is in step: Reroll has not restarted it, and nothing that it uses differs from what its pods run with',
    'was not restarted by Reroll, and nothing shows that what it uses was written since',
  ],
  'another key has changed': [
    'does not restart for ConfigMap app: the workload uses key color, and the change of the ConfigMap was elsewhere (last written 1 minute ago by kubectl)',
    'counts key color of ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'the source is excluded': [
    'does not restart for ConfigMap app: configmaps.exclude.reloader.stakater.com/reload on the workload excludes it',
    same,
  ],
  'its template alone is annotated': [
    'is in step: Reroll has not restarted it, and nothing that it uses differs from what its pods run with',
    'was not restarted by Reroll, and nothing shows that what it uses was written since',
  ],
  'its namespace is not selected': [
    'does not restart: the labels of namespace default do not match --namespace-selector=env=prod',
    same,
  ],
  'its namespace is not watched': [
    'does not restart: Reroll does not watch namespace default (--namespaces, --namespaces-to-ignore)',
    same,
  ],
  'the source is annotated to be ignored': [
    'does not restart for ConfigMap app: the ConfigMap is annotated reloader.stakater.com/ignore: "true"',
    same,
  ],
  'the source is in another namespace': [
    'does not restart for ConfigMap app: there is no ConfigMap app in namespace default, and sources of other namespaces do not count',
    same,
  ],
  'Reroll holds it paused': [
    'restarts in 4 minutes because key color of ConfigMap app changed: Reroll holds it paused until then (deployment.reloader.stakater.com/pause-period)',
    same,
  ],
  'its settle window is open': [
    'restarts in 50 seconds because key color of ConfigMap app changed: Reroll waits until its sources are quiet (--settle)',
    'may restart in 50 seconds for ConfigMap app: Reroll waits until its sources are quiet (--settle) (last written 10 seconds ago by kubectl)',
  ],
  'it was restarted': ['restarted 59 seconds ago because key color of ConfigMap app changed', same],
  'its restart is refused by RBAC': [
    'cannot be restarted although key color of ConfigMap app changed: Reroll lacks a permission (KUBE_FORBIDDEN)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'its restart fails': [
    'is not restarted yet although key color of ConfigMap app changed: the last attempt failed (KUBE_SERVER), and Reroll tries again in 44 seconds',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'its baseline may not be written': [
    'is in step, but its baseline cannot be written, so changes made while Reroll is down will not restart it: missing permission to patch deployments.apps: their baselines are kept in memory, so changes made while this process is down do not restart them',
    'does not restart yet: Reroll has not recorded what its pods run with (reroll.dev/baseline)',
  ],
  'in a dry run, a restart would be due': [
    'does not restart although key color of ConfigMap app changed: Reroll runs with --dry-run, and writes nothing',
    'does not restart: Reroll runs with --dry-run, and writes nothing',
  ],
  'in a dry run, a restart was withheld': ['does not restart: Reroll runs with --dry-run, and writes nothing', same],
  'its source is created, and creations do not count': [
    'does not restart for ConfigMap app: it was created, and --reload-on-create is off',
    'does not restart for ConfigMap app: it was created 10 seconds ago, and --reload-on-create is off',
  ],
  'its source is deleted, and deletions do not count': [
    'does not restart for ConfigMap app: it was deleted, and --reload-on-delete is off',
    'does not restart for ConfigMap app: there is no ConfigMap app in namespace default, and sources of other namespaces do not count',
  ],
  "somebody else's rollout may answer the change": [
    "is not restarted yet although key color of ConfigMap app changed: somebody else's rollout is in progress and may bring the change; Reroll looks again at once",
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 second ago by kubectl)',
  ],
  'a CronJob controls it': ['does not restart: CronJob c controls this Job, so annotate the CronJob', same],
  'its policy is never': ['does not restart: its annotation reroll.dev/cronjob-policy is "never"', same],
  'its kind is ignored': ['does not restart: Reroll leaves every Job alone (--ignored-workload-types)', same],
  'it asks for nothing': [
    'does not restart: nothing on it asks for restarts; annotate it with reloader.stakater.com/auto: "true"',
    same,
  ],
  'it has switched restarts off': ['does not restart: reloader.stakater.com/auto: "false" switches restarts off', same],
  'it does not exist': ['Deployment web does not exist in namespace default', same],
  'its kind is not served': [
    'does not restart: Reroll does not see any Rollout: the API server does not serve them, or Reroll may not list them',
    'Rollout web does not exist in namespace default',
  ],
  'its sources may not be listed': [
    'may miss changes: Reroll may not list the sources that it uses',
    'does not restart yet: Reroll has not recorded what its pods run with (reroll.dev/baseline)',
  ],
  'an earlier Job of its name may be open': [
    'is not looked at yet: Reroll recreates an earlier Job of this name, or cannot read whether it does; it looks again in 1 second',
    'does not restart yet: Reroll has not recorded what its pods run with (reroll.dev/baseline)',
  ],
  'its Job is being recreated': [
    'is being restarted because key color of ConfigMap app changed: Reroll recreates the Job',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 5 seconds ago by kubectl)',
  ],
  'its Job is deleted, and cannot be created again yet': [
    'is being restarted: Reroll has deleted the Job and creates it again',
    'Job web does not exist in namespace default',
  ],
  'another key was changed by another program': [
    'does not restart for ConfigMap app: the workload uses key color, and the change was to key size (last written 1 minute ago by ci)',
    same,
  ],
  'alice caused the last restart': ['restarted 12 minutes ago because alice changed key color of ConfigMap app', same],
  'an excluded source was changed after a restart': [
    'does not restart for ConfigMap theme: configmaps.exclude.reloader.stakater.com/reload on the workload excludes it',
    same,
  ],
  'its switch is misspelt': [
    'does not restart: annotation reloader.stakater.com/atuo is not known and has no effect; did you mean reloader.stakater.com/auto?',
    same,
  ],
  'its switch is no boolean': [
    'does not restart: annotation reloader.stakater.com/auto="yes" is not a boolean and counts as "false"; write "true" or "false"',
    same,
  ],
  'it lists a source of another namespace': [
    'does not restart as it seems to ask: annotation configmap.reloader.stakater.com/reload="shop/app" names a source in another namespace: only those in namespace default count; write the name alone',
    same,
  ],
  'it is narrowed to Secrets': [
    'does not restart for ConfigMap app: reloader.stakater.com/match or reloader.stakater.com/kind on the workload leaves ConfigMaps out',
    same,
  ],
  'it has switched off all but a list': [
    'does not restart for ConfigMap app: reloader.stakater.com/auto or configmap.reloader.stakater.com/auto on the workload switches restarts off',
    same,
  ],
  'it searches, and the source does not match': [
    'does not restart for ConfigMap app: the workload searches, and the ConfigMap is not annotated reloader.stakater.com/match: "true"',
    same,
  ],
  'ConfigMaps are not watched': [
    'does not restart for ConfigMap app: Reroll does not watch ConfigMaps: --resources-to-ignore leaves them out, or it may not list them',
    same,
  ],
  'the labels of its source are not selected': [
    'does not restart for ConfigMap app: the labels of the ConfigMap do not match --resource-label-selector=reload=yes',
    same,
  ],
  'it is paused by somebody else': [
    'restarted 59 seconds ago because key color of ConfigMap app changed, but the Deployment is paused, so its pods are not replaced',
    same,
  ],
  'its pods are replaced by hand': [
    'restarted 59 seconds ago because key color of ConfigMap app changed, but its pods are replaced only when somebody deletes them (updateStrategy OnDelete)',
    same,
  ],
  'its change is left to the next run': [
    'has the change for its next run since 59 seconds ago because key color of ConfigMap app changed',
    same,
  ],
  "somebody else's rollout brought the change": [
    'does not restart for ConfigMap app: helm wrote the workload 1 minute ago, after the change, and its pods started with it',
    same,
  ],
  'an annotation of it was written after the change': [
    'restarts in 3 minutes because key color of ConfigMap app changed: Reroll waits until its sources are quiet (--settle)',
    'may restart in 3 minutes for ConfigMap app: Reroll waits until its sources are quiet (--settle) (last written 1 minute ago by kubectl)',
  ],
  'the API server refuses the restart': [
    'cannot be restarted although key color of ConfigMap app changed: the API server refuses the write: patch deployments.apps default/web: 422 the server rejected our request due to an error in our request',
    'could not be restarted for ConfigMap app: patch deployments.apps default/web: 422 the server rejected our request due to an error in our request',
  ],
  'it is being deleted': ['does not restart: it is being deleted', same],
  'only its labels were changed': [
    'does not restart for ConfigMap app: the content that the workload uses is what its pods run with (last written 1 minute ago by kubectl)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'everything is held': deferred('held by ConfigMap reroll/reroll-hold: incident 42'),
  'its namespace is held until a time': deferred(
    'held until 2026-01-03T00:00:00Z (in 1 day) by reroll.dev/hold on namespace default: release freeze',
  ),
  'it is held itself': deferred('held by reroll.dev/hold on the workload'),
  'its source is held': deferred('held by reroll.dev/hold on ConfigMap app'),
  'its windows are closed': deferred(
    'it restarts once its windows open, 2026-01-03T00:00:00Z (in 1 day) (--restart-windows: Sat,Sun)',
  ),
  'its minimum interval is not over': deferred(
    'it restarts once its minimum interval is over, 2026-01-01T01:02:06Z (in 58 minutes) (reroll.dev/min-interval on the workload: 1h)',
  ),
  'it restarts with the next rollout': deferred(
    'it restarts with the next rollout that somebody else makes (reroll.dev/restart on the workload)',
  ),
  'as many roll out as may': [
    'is not restarted yet although key color of ConfigMap app changed: it restarts in its turn (--max-rolling: 1 workload)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'others restart first': [
    'is not restarted yet although key color of ConfigMap app changed: it restarts in stages (ConfigMap app has many users: first, Deployment canary must be healthy for 30s)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'another comes first': [
    'is not restarted yet although key color of ConfigMap app changed: it restarts after others (reroll.dev/wave 0 comes first: Deployment first has still to restart)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'it uses nothing': [
    'does not restart: annotation reloader.stakater.com/auto="true" has no effect: the pod template uses no ConfigMap or Secret; use one, or list names in configmap.reloader.stakater.com/reload',
    same,
  ],
};

/** Those that end with 1: something is blocked, or there is no such object. */
const bad: Readonly<Record<Answering, readonly string[]>> = {
  leader: [
    ...['its restart is refused by RBAC', 'its baseline may not be written', 'the API server refuses the restart'],
    ...['it does not exist', 'its kind is not served'],
  ],
  objects: [
    ...['the API server refuses the restart', 'it does not exist', 'its kind is not served'],
    'its Job is deleted, and cannot be created again yet',
  ],
};

async function inSituation(situation: Situation): Promise<[Harness, Engine]> {
  return await running({ ...situation, objects: [...situation.objects, rerollDeployment(situation.settings)] });
}

async function ask(
  [harness, engine]: readonly [Harness, Engine],
  answering: Answering,
  { path = 'Deployment/default/web' }: Pick<Situation, 'path'>,
  ...args: readonly string[]
): Promise<Run> {
  const [kind = '', , name = ''] = path.split('/');
  return await runAgainst(clusterOf(harness, engine, answering), harness, why, [`${kind}/${name}`, ...args]);
}

const firstLine = ({ out }: Run): string => out.split('\n')[0] ?? '';

describe('reroll why', () => {
  it('is asked in every situation', () => {
    expect(Object.keys(headlines).toSorted()).toEqual(Object.keys(all).toSorted());
  });

  it.each(Object.entries(headlines))('names the cause if %s', async (what, [leader, objects]) => {
    const situation = all[what]!;
    const running = await inSituation(situation);
    const told = await ask(running, 'leader', situation);
    expect(firstLine(told)).toBe(leader);
    expect(told.code).toBe(bad.leader.includes(what) ? 1 : 0);
    expect(told.err).toBe('');
    const seen = await ask(running, 'objects', situation);
    expect(firstLine(seen)).toBe(objects === same ? leader : objects);
    expect(seen.code).toBe(bad.objects.includes(what) ? 1 : 0);
    expect(seen.err).toMatch(/^you may not get pods\/portforward; the answer is from what you may read yourself/);
  });

  it.each<[string, string, string]>([
    ['it was restarted', 'configmap/app', 'restarted 59 seconds ago because key color of ConfigMap app changed'],
    [
      'it was restarted',
      'secret/db',
      'does not restart for Secret db: it neither uses nor lists it, and there is no such Secret in namespace default',
    ],
    [
      'an excluded source was changed after a restart',
      'cm/app',
      'restarted 1 minute ago because key color of ConfigMap app changed',
    ],
    [
      'Reroll holds it paused',
      'cm/app',
      'restarts in 4 minutes because key color of ConfigMap app changed: Reroll holds it paused until then (deployment.reloader.stakater.com/pause-period)',
    ],
    [
      'its settle window is open',
      'cm/app',
      'restarts in 50 seconds because key color of ConfigMap app changed: Reroll waits until its sources are quiet (--settle)',
    ],
    [
      'nothing has happened',
      'cm/app',
      'does not restart for ConfigMap app: the content that the workload uses is what its pods run with (last written 2 minutes ago by kubectl)',
    ],
  ])('if %s, answers for %s', async (what, source, expected) => {
    const situation = all[what]!;
    expect(firstLine(await ask(await inSituation(situation), 'leader', situation, '--for', source))).toBe(expected);
  });

  it('shows what the answer rests on', async () => {
    const [harness, engine] = await inSituation(whySituations['an excluded source was changed after a restart']!);
    const { out } = await ask([harness, engine], 'leader', {}, '-o', 'wide');
    const [{ metadata }] = [await harness.get('Deployment', 'web')];
    const { id, changes } = JSON.parse(metadata.annotations?.['reroll.dev/last-restart'] ?? '{}') as {
      readonly id: string;
      readonly changes: Readonly<Record<string, string>>;
    };
    expect(out)
      .toBe(`does not restart for ConfigMap theme: configmaps.exclude.reloader.stakater.com/reload on the workload excludes it

Deployment default/web: in step, last restart 1 minute ago (${id}, rolling)
as the leader reroll-0 says

SOURCE            KEYS   CONTAINER   COUNTS   BY                                                NOW
ConfigMap app     all    app         yes      reloader.stakater.com/auto                        as the pods run with it
ConfigMap theme   all    app         no       configmaps.exclude.reloader.stakater.com/reload   the workload's exclude list names the source

Who made the change that it was restarted for is not known: the webhook did not see it.

To let a source count:
  ConfigMap theme: take theme out of configmaps.exclude.reloader.stakater.com/reload on the workload

Events:
  1 minute ago  Reloaded  ConfigMap app: content changed (keys: color) (change ${changes['cm/app']}). Deployment restarted (env-vars, ${id})
`);
  });

  it.each<[string, string]>([
    ['everything is held', 'reroll resume --all'],
    [
      'its namespace is held until a time',
      'reroll resume namespace/default, or for it alone reroll resume deployment/web -n default --override',
    ],
    ['it is held itself', 'reroll resume deployment/web -n default'],
    ['its source is held', 'reroll resume configmap/app -n default'],
    [
      'its windows are closed',
      'annotate the workload with reroll.dev/windows: always, or ConfigMap app with reroll.dev/urgent: "true"',
    ],
    [
      'its minimum interval is not over',
      'annotate the workload with reroll.dev/min-interval: "0", or ConfigMap app with reroll.dev/urgent: "true"',
    ],
    ['it restarts with the next rollout', 'annotate the workload with reroll.dev/restart: now'],
  ])('says what to do about it if %s', async (what, how) => {
    const situation = all[what]!;
    const running = await inSituation(situation);
    for (const answering of ['leader', 'objects'] as const) {
      const { out } = await ask(running, answering, situation);
      expect(out).toContain(`\nTo let it restart sooner:\n  ConfigMap app: ${how}\n`);
    }
  });

  it.each<[string, string]>([
    [
      'as many roll out as may',
      'raise that limit, or annotate a source of it with reroll.dev/urgent: "true", so that it is next',
    ],
    [
      'others restart first',
      'see to the one that is named, change the source again, or let the others restart without it: reroll resume configmap/app -n default',
    ],
    [
      'another comes first',
      'see to the one that comes first, or remove reroll.dev/after or reroll.dev/wave from the workload',
    ],
  ])('says what to do about its turn if %s, which the leader alone knows', async (what, how) => {
    const situation = all[what]!;
    const running = await inSituation(situation);
    const texts = [];
    for (const answering of ['leader', 'objects'] as const) texts.push((await ask(running, answering, situation)).out);
    expect(texts[0]).toContain(`\nTo let it restart sooner:\n  ${how}\n`);
    expect(texts[1]).not.toContain('To let it restart sooner');
  });

  it('says nothing of that where nothing is owed', async () => {
    const situation: Situation = { objects: [app, annotated({ 'reroll.dev/hold': 'true' })], answer: {} };
    const running = await inSituation(situation);
    for (const answering of ['leader', 'objects'] as const) {
      expect((await ask(running, answering, situation)).out).not.toContain('sooner');
    }
  });

  it('prints the JSON of the interface, with the answer', async () => {
    const situation = situations['its settle window is open']!;
    const running = await inSituation(situation);
    const json = JSON.parse((await ask(running, 'leader', situation, '-o', 'json')).out) as Record<string, unknown>;
    expect(json).toMatchObject(situation.answer);
    expect(json).toMatchObject({
      v: 1,
      answeredBy: 'leader',
      answer: expect.stringMatching(/^restarts in 50 seconds/),
    });
    const seen = JSON.parse((await ask(running, 'objects', situation, '-o', 'json')).out) as Record<string, unknown>;
    expect(seen).toMatchObject({ v: 1, answeredBy: 'objects', tracked: true, state: 'unknown', restart: 'not-known' });
    expect((await ask(running, 'leader', situation, '-o', 'yaml')).out).toMatch(/^v: 1\nkind: Deployment\n/);
    expect((await ask(running, 'leader', situation, '-o', 'name')).out).toBe('deployment.apps/web\n');
  });
});

describe('without the leader', () => {
  it.each<[Silence, string, number]>([
    ['nobody-leads', 'does not restart: no replica of Reroll leads (nobody holds Lease reroll/reroll)', 1],
    ['no-lease', 'does not restart: no replica of Reroll leads (nobody holds Lease reroll/reroll)', 1],
    ['no-workloads', 'does not restart: for each change Reroll calls --webhook-url instead', 0],
    ['no-interface', 'restarted 59 seconds ago because key color of ConfigMap app changed', 0],
    ['unreachable', 'restarted 59 seconds ago because key color of ConfigMap app changed', 0],
    ['other-version', 'restarted 59 seconds ago because key color of ConfigMap app changed', 0],
  ])('because of %s, the first line is "%s"', async (silence, expected, code) => {
    const [harness, engine] = await inSituation(situations['it was restarted']!);
    const cluster = {
      ...clusterOf(harness, engine, 'objects'),
      ask: () => Promise.reject(new LeaderSilentError(silence, 'nobody holds Lease reroll/reroll')),
    };
    const run = await runAgainst(cluster, harness, why, ['deployment/web']);
    expect([firstLine(run), run.code]).toEqual([expected, code]);
  });

  it('knows a dry run, which needs no Lease', async () => {
    const [harness, engine] = await inSituation(situations['in a dry run, a restart was withheld']!);
    const cluster = {
      ...clusterOf(harness, engine, 'objects'),
      ask: () => Promise.reject(new LeaderSilentError('no-lease', 'there is no Lease reroll/reroll')),
    };
    const run = await runAgainst(cluster, harness, why, ['deployment/web']);
    expect(firstLine(run)).toBe('does not restart: Reroll runs with --dry-run, and writes nothing');
    expect(run.err).toMatch(/^there is no Lease reroll\/reroll; /);
  });

  it('knows the mode in which Reroll calls a URL, also from the leader itself', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    const engine = await harness.start({}, undefined, webhookMode());
    expect(firstLine(await ask([harness, engine], 'leader', {}))).toBe(
      'does not restart: for each change Reroll calls --webhook-url instead',
    );
  });

  it('answers from the objects while another replica takes over', async () => {
    const harness = new Harness();
    harness.leaseTimings = handoverLease;
    harness.seed(app, web);
    await harness.start({ identity: 'reroll-0' });
    const standby = await harness.start({ identity: 'reroll-1' });
    const run = await ask([harness, standby], 'leader', {});
    expect(run.err).toMatch(/^the leader reroll-0 answers: this replica does not lead/);
    expect(run.code).toBe(0);
  });

  it('assumes the default flags if those of Reroll may not be read, and says so', async () => {
    const [harness, engine] = await inSituation(situations['its namespace is not selected']!);
    harness.server.rbac.restrict('admin', [
      rule('apps', 'deployments', 'get'),
      rule('', 'configmaps', 'get', ['default']),
      rule('', 'events', 'list', ['default']),
    ]);
    const run = await ask([harness, engine], 'objects', {});
    expect(run.err).toContain("the flags of Reroll's Deployment are not known: the defaults are assumed\n");
    expect(firstLine(run)).not.toContain('--namespace-selector');
  });

  it('says what it does not know of holds where they may not be read', async () => {
    const situation = whySituations['everything is held']!;
    const [harness, engine] = await inSituation(situation);
    harness.server.rbac.restrict('admin', [rule('apps', 'deployments', 'get')]);
    const run = await ask([harness, engine], 'objects', situation);
    expect(run.err).toContain(
      'you may not get namespaces, so it is not known whether namespace default defers restarts\n',
    );
    expect(run.err).toContain(
      'you may not get configmaps in namespace reroll, so it is not known whether everything is held\n',
    );
    expect((await ask([harness, engine], 'leader', situation)).err).toBe('');
  });

  it.each([
    [
      'nothing but the workload',
      [rule('apps', 'deployments', 'get')],
      0,
      /^restarted 59 seconds ago because key color/,
    ],
    ['nothing', [], 3, /^$/],
  ])('answers as far as somebody may read %s', async (_what, rules, code, expected) => {
    const [harness, engine] = await inSituation(situations['it was restarted']!);
    harness.server.rbac.restrict('admin', rules);
    const run = await ask([harness, engine], 'objects', {});
    expect(run.code).toBe(code);
    expect(firstLine(run)).toMatch(expected);
    if (code === 3) {
      expect(run.err).toBe(
        'you may not get pods/portforward; and you may not get deployments.apps in namespace default, so there is nothing to answer from\n',
      );
    }
  });

  it('answers as the leader does where somebody may read no object', async () => {
    const [harness, engine] = await inSituation(situations['it was restarted']!);
    harness.server.rbac.restrict('admin', []);
    expect(firstLine(await ask([harness, engine], 'leader', {}))).toMatch(
      /^restarted 59 seconds ago \(restart [0-9a-f]{8}\)$/,
    );
  });

  it('tells the cause by the Event, where the annotation may not be read', async () => {
    const [harness, engine] = await inSituation(situations['it was restarted']!);
    harness.server.rbac.restrict('admin', [rule('', 'events', 'list')]);
    expect(firstLine(await ask([harness, engine], 'leader', {}))).toMatch(
      /^restarted 59 seconds ago because ConfigMap app: content changed \(keys: color\) \(change [0-9a-f]{8}\)$/,
    );
  });
});

describe('a leader of a newer version', () => {
  it('is understood as far as this version knows it', async () => {
    const [harness, engine] = await inSituation(situations['nothing has happened']!);
    const inner = clusterOf(harness, engine, 'leader');
    const cluster = {
      ...inner,
      ask: async (path: string) => {
        const answer = await inner.ask(path);
        const { body } = answer;
        const newer = { ...(body as object), state: 'thinking', waitsFor: 'full-moon', mood: { is: 'good' } };
        const sources = [{ kind: 'Vault', name: 'x', exists: true, decision: 'by-luck', why: 'luck', keys: 'all' }];
        return {
          ...answer,
          body: { ...newer, sources: sources.map((each) => ({ ...each, standing: 'odd', restarts: false })) },
        };
      },
    };
    const run = await runAgainst(cluster, harness, why, ['deployment/web']);
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(firstLine(run)).toBe('is thinking: it waits for full-moon');
    expect(run.out).toMatch(/^Vault x +all +no +luck +odd$/m);
  });
});

describe('no output', () => {
  it('holds a value or a digest', async () => {
    const values = ['v4lue-one', 'v4lue-two'];
    const situation: Situation = {
      objects: [
        { ...app, data: { color: values[0]! } },
        {
          ...web,
          metadata: {
            ...web.metadata,
            annotations: { ...auto, 'reroll.dev/settle': '1m', 'reroll.dev/settle-max': '1m' },
          },
        },
      ],
      then: async (harness) => {
        await harness.edit('ConfigMap', 'app', { color: values[1]! });
        await harness.clock.advance(10_000);
      },
      answer: {},
    };
    const running = await inSituation(situation);
    const texts: string[] = [];
    for (const answering of ['leader', 'objects'] as const) {
      for (const format of ['text', 'wide', 'json', 'yaml']) {
        const { out, err } = await ask(running, answering, {}, '-o', format);
        texts.push(out, err);
      }
    }
    const baseline = (await running[0].get('Deployment', 'web')).metadata.annotations?.['reroll.dev/baseline'] ?? '';
    const digests = baseline.match(/[A-Za-z0-9_-]{22}/g) ?? [];
    expect(digests.length).toBeGreaterThan(0);
    expect([...values, ...digests].filter((text) => texts.some((each) => each.includes(text)))).toEqual([]);
  });

  it('writes anything to the cluster', async () => {
    const [harness, engine] = await inSituation(situations['it was restarted']!);
    const before = harness.server.history().length;
    for (const answering of ['leader', 'objects'] as const) await ask([harness, engine], answering, {});
    expect(harness.server.history().length).toBe(before);
  });
});
