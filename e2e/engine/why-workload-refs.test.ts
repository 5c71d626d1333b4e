import { describe, expect, it } from '@jest/globals';
import { resumeCommandIn } from '../../cli/pause/resume-command';
import { usersCommandIn } from '../../cli/users/users-command';
import { rolloutKind, rolloutOf } from '../apiserver/add-ons';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { clusterOf, rerollDeployment, runAgainst, type Answering } from './asking.fixture';
import { Harness, type Engine } from './harness';
import { viewRules } from './rights.fixture';
import { firstLine, why } from './why.fixture';

type Annotations = Readonly<Record<string, string>>;

const auto = { 'reloader.stakater.com/auto': 'true' };
const inPlace = { ...auto, 'reloader.stakater.com/rollout-strategy': 'restart' };
const hold = { 'reroll.dev/hold': 'true' };
const minuteMs = 60_000;

/** Rollout `canary` takes the template of Deployment `web`, whose ConfigMap has changed. */
async function changed(
  onRollout: Annotations,
  onDeployment: Annotations,
  settings: NonNullable<Parameters<Harness['start']>[0]> = {},
): Promise<readonly [Harness, Engine]> {
  const harness = new Harness({ customKinds: [rolloutKind] });
  const uses = { envFrom: [fromConfigMap('app')], replicas: 0 };
  harness.seed(
    configMap({ name: 'app', data: { color: 'red' } }),
    deployment({ name: 'web', annotations: onDeployment, ...uses }),
    rolloutOf('canary', onRollout),
    rerollDeployment(settings),
  );
  const engine = await harness.start(settings);
  await harness.clock.advance(minuteMs);
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(minuteMs);
  return [harness, engine];
}

const restarted = 'restarted 59 seconds ago because key color of ConfigMap app changed';
const held = {
  leader: 'is not restarted yet although key color of ConfigMap app changed: held by reroll.dev/hold on the workload',
  objects:
    'does not restart for ConfigMap app yet: held by reroll.dev/hold on the workload (last written 1 minute ago by kubectl)',
};
const byDeployment = 'Deployment web, whose template it takes,';
const byRollout = 'Rollout canary, which takes its template,';

describe.each<Answering>(['leader', 'objects'])(
  'reroll why of a Rollout and its Deployment, by the %s',
  (answering) => {
    it.each([auto, inPlace])('does not count what a Rollout asks for that is left alone: %j', async (onRollout) => {
      const policy = { autoReloadAll: false, ignoredWorkloadKinds: ['Rollout'] } as const;
      const [harness, engine] = await changed(onRollout, {}, { policy });
      const cluster = clusterOf(harness, engine, answering);
      expect(firstLine(await runAgainst(cluster, harness, why, ['deployment/web']))).toBe(
        'does not restart: nothing on it asks for restarts; annotate it with reloader.stakater.com/auto: "true"',
      );
      expect(firstLine(await runAgainst(cluster, harness, why, ['rollout/canary']))).toBe(
        'does not restart: Reroll leaves every Rollout alone (--is-Argo-Rollouts=false)',
      );
    });

    it.each<[string, Annotations, Annotations, rollout: string, deployment: string]>([
      ['the Rollout asks', auto, {}, `${byDeployment} ${restarted}`, restarted],
      ['the Rollout asks, in place', inPlace, {}, restarted, `${byRollout} ${restarted}`],
      ['the Deployment asks', {}, auto, `${byDeployment} ${restarted}`, restarted],
      ['both ask, the Rollout in place', inPlace, auto, `${byDeployment} ${restarted}`, restarted],
      ['the Rollout is held', { ...auto, ...hold }, {}, `${byDeployment} ${held[answering]}`, held[answering]],
      ['the Deployment is held', inPlace, hold, held[answering], `${byRollout} ${held[answering]}`],
    ])('names the one that is restarted: %s', async (_what, onRollout, onDeployment, ofRollout, ofDeployment) => {
      const [harness, engine] = await changed(onRollout, onDeployment);
      const cluster = clusterOf(harness, engine, answering);
      expect(firstLine(await runAgainst(cluster, harness, why, ['rollout/canary']))).toBe(ofRollout);
      expect(firstLine(await runAgainst(cluster, harness, why, ['deployment/web']))).toBe(ofDeployment);
    });

    const windows = { 'reroll.dev/windows': 'Mon 00:00-00:01' };
    it.each<[string, Annotations, Annotations, string]>([
      ['hold of the Rollout', { ...auto, ...hold }, {}, 'reroll resume rollout/canary -n default'],
      ['hold of the Deployment itself', auto, hold, 'reroll resume deployment/web -n default'],
      ['hold of the Deployment', inPlace, hold, 'reroll resume deployment/web -n default'],
      ['hold of the Rollout itself', { ...inPlace, ...hold }, hold, 'reroll resume rollout/canary -n default'],
      [
        'windows of the Rollout',
        { ...auto, ...windows },
        {},
        'annotate Rollout canary with reroll.dev/windows: always',
      ],
      ['windows of the Deployment', inPlace, windows, 'annotate Deployment web with reroll.dev/windows: always'],
      ['its own windows', auto, windows, 'annotate the workload with reroll.dev/windows: always'],
      [
        'mode',
        { ...auto, 'reroll.dev/restart': 'next-rollout' },
        {},
        'annotate Rollout canary with reroll.dev/restart: now',
      ],
    ])('says where to let it restart: %s', async (_what, onRollout, onDeployment, how) => {
      const [harness, engine] = await changed(onRollout, onDeployment);
      const run = await runAgainst(clusterOf(harness, engine, answering), harness, why, ['rollout/canary']);
      expect(run.out).toContain(how);
    });

    it('resume says which of the two is still held', async () => {
      const [harness, engine] = await changed({ ...auto, ...hold }, {});
      const resume = { name: 'resume', loadIn: resumeCommandIn };
      const cluster = clusterOf(harness, engine, answering);
      const run = await runAgainst(cluster, harness, resume, ['deployment/web']);
      expect(run.out).toContain('end that with: reroll resume rollout/canary -n default');
      const other = await runAgainst(cluster, harness, resume, ['rollout/canary']);
      const waited = answering === 'leader' ? 'restarts that waited: Deployment default/web\n' : '';
      expect(other.out).toBe(`Rollout default/canary is not held any more\n${waited}`);
      expect(other.code).toBe(0);
    });

    it('answers a program about that one', async () => {
      const [harness, engine] = await changed(auto, {});
      const run = await runAgainst(clusterOf(harness, engine, answering), harness, why, [
        'rollout/canary',
        '-o',
        'json',
      ]);
      expect(JSON.parse(run.out)).toMatchObject({
        kind: 'Deployment',
        name: 'web',
        answer: `${byDeployment} ${restarted}`,
      });
    });

    it('says that there is no Deployment', async () => {
      const harness = new Harness({ customKinds: [rolloutKind] });
      harness.seed(rolloutOf('canary', auto), rerollDeployment());
      const engine = await harness.start({});
      const run = await runAgainst(clusterOf(harness, engine, answering), harness, why, ['rollout/canary']);
      expect(firstLine(run)).toMatch(
        /^Deployment web, whose template it takes, .*(no such|not exist|is not there|there is no)/,
      );
    });
  },
);

it('without the leader, the one that is restarted is a user of the source', async () => {
  const [harness, engine] = await changed(inPlace, {});
  const users = { name: 'users', loadIn: usersCommandIn };
  const run = await runAgainst(clusterOf(harness, engine, 'objects'), harness, users, ['configmap/app', '-o', 'name']);
  expect(run.out).toBe('rollout.argoproj.io/canary\n');
});

it('a Deployment is answered about by itself where Rollouts may not be listed', async () => {
  const [harness, engine] = await changed(inPlace, {});
  harness.server.rbac.restrict('admin', [...viewRules()]);
  const run = await runAgainst(clusterOf(harness, engine, 'leader'), harness, why, ['deployment/web']);
  expect(firstLine(run)).toMatch(/^does not restart: its annotations ask for no restarts/);
});
