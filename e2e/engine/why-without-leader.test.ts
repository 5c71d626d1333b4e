import { describe, expect, it } from '@jest/globals';
import { LeaderSilentError, type Silence } from '../../cli/cluster/silence';
import { rolloutKind } from '../apiserver/add-ons';
import { clusterOf, runAgainst } from './asking.fixture';
import { Harness, handoverLease } from './harness';
import { rule, viewRules } from './rights.fixture';
import { app, situations, web } from './situations.fixture';
import { ask, firstLine, inSituation, why } from './why.fixture';
import { webhookMode, whySituations } from './why-situations.fixture';

describe('reroll why without the leader', () => {
  it.each<[Silence, string, number]>([
    ['nobody-leads', 'does not restart: no replica of Reroll leads (nobody holds Lease reroll/reroll)', 1],
    ['no-lease', 'does not restart, unless Reroll leads elsewhere (nobody holds Lease reroll/reroll)', 1],
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

  it('knows that there is no workload of a kind that nobody serves, without a right to it', async () => {
    const [harness, engine] = await inSituation({ objects: [app], answer: {} });
    harness.server.rbac.restrict('admin', viewRules('default'));
    const run = await ask([harness, engine], 'objects', { path: 'Rollout/default/web' });
    expect([firstLine(run), run.code]).toEqual(['Rollout web does not exist in namespace default', 1]);
    harness.server.serve(rolloutKind);
    expect(await ask([harness, engine], 'objects', { path: 'Rollout/default/web' })).toMatchObject({
      code: 3,
      out: '',
    });
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
