import { describe, expect, it } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { configMap, cronJob, fromConfigMap, job, seedNamespace } from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import type { FaultTarget } from '../apiserver/faults';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };

function isRequest({ query, ...target }: FaultTarget, method: string, path: string, dryRun = false): boolean {
  return target.method === method && target.pathname.includes(path) && query.has('dryRun') === dryRun;
}

/** What the annotation and the Events say about the last change. */
async function toldOf(harness: Harness, kind: 'CronJob' | 'Job', name: string): Promise<readonly unknown[]> {
  const annotations = (await harness.get(kind, name)).metadata.annotations ?? {};
  const { effect } = JSON.parse(annotations['reroll.dev/last-restart'] ?? '{}') as { readonly effect?: string };
  return [effect, ...harness.objects('Event').map((event) => event['message'] ?? event['note'])];
}

function leftToNextRun(kind: string): readonly unknown[] {
  const told = `ConfigMap app: content changed \\(keys: color\\) \\(change [0-9a-f]{8}\\)\\. ${kind} not run now: the change takes effect at its next run`;
  return ['next-run', expect.stringMatching(new RegExp(`^${told} \\(`))];
}

describe('a CronJob', () => {
  const report = cronJob({ name: 'report', ...uses });

  async function changed(annotations: Record<string, string> = {}): Promise<Harness> {
    const harness = new Harness();
    harness.seed(app, cronJob({ name: 'report', ...uses, annotations: { ...auto, ...annotations } }));
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    return harness;
  }

  it('is run at once as a new Job with a restart marker, and keeps its template', async () => {
    const harness = await changed();
    const jobs = harness.objects('Job');
    expect(jobs).toHaveLength(1);
    expect(jobs[0]!.metadata).toMatchObject({
      name: expect.stringMatching(/^report-[0-9a-f]{10}$/),
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [{ kind: 'CronJob', name: 'report', controller: true }],
    });
    expect(JSON.stringify(jobs[0])).not.toContain('blockOwnerDeletion');
    expect(JSON.stringify(jobs[0])).toContain('STAKATER_APP_CONFIGMAP');
    expect(await toldOf(harness, 'CronJob', 'report')).toEqual([
      undefined,
      expect.stringContaining('CronJob run as Job'),
    ]);
    expect(harness.restarts('CronJob', 'report')).toBe(0);
  });

  it.each([
    ['suspended', { suspend: true }],
    ['one that forbids concurrent runs', { concurrencyPolicy: 'Forbid' }],
  ])('§6.1 Q23: is run once even if it is %s', async (_what, spec) => {
    const harness = new Harness();
    harness.seed(app, cronJob({ name: 'report', ...uses, spec }));
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.objects('Job')).toHaveLength(1);
  });

  it('§6.1 is run for a deletion with --reload-on-delete, whatever the strategy', async () => {
    const harness = new Harness();
    harness.seed(app, cronJob({ name: 'report', annotations: auto, envFrom: [fromConfigMap('app', true)] }));
    await harness.start({ reloadOnDelete: true });
    await harness.delete('ConfigMap', 'app');
    await harness.clock.advance(60_000);
    expect(harness.objects('Job')).toHaveLength(1);
  });

  it('is run again for the next change, even back to former content', async () => {
    const harness = await changed();
    await harness.edit('ConfigMap', 'app', { color: 'red' });
    await harness.clock.advance(60_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.objects('Job')).toHaveLength(3);
  });

  it('with policy next-run is not run; its baseline, annotation and Event record the change', async () => {
    const harness = await changed({ 'reroll.dev/cronjob-policy': 'next-run' });
    expect(harness.objects('Job')).toHaveLength(0);
    expect(await toldOf(harness, 'CronJob', 'report')).toEqual(leftToNextRun('CronJob'));
    expect(JSON.parse((await harness.get('CronJob', 'report')).metadata.annotations!['reroll.dev/baseline']!).n).toBe(
      2,
    );
  });

  it('with policy never is left alone entirely', async () => {
    const harness = await changed({ 'reroll.dev/cronjob-policy': 'never' });
    expect(harness.objects('Job')).toHaveLength(0);
    expect((await harness.get('CronJob', 'report')).metadata.annotations).not.toHaveProperty(['reroll.dev/baseline']);
  });

  it.each([
    ['the answer to the Job is lost', 'POST', '/jobs'],
    ['the answer to the baseline is lost', 'PATCH', '/cronjobs/report'],
  ])('is run only once if %s', async (_when, method, path) => {
    const harness = new Harness();
    harness.seed(app, report);
    await harness.start();
    harness.faults.add({
      match: (target) => target.method === method && target.pathname.endsWith(path),
      times: 1,
      fault: { kind: 'reset', when: 'after' },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.objects('Job')).toHaveLength(1);
  });

  it('is run only once if the engine is killed between Job and baseline', async () => {
    const harness = new Harness();
    harness.seed(app, report);
    const first = await harness.start();
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/cronjobs/report'),
      times: 1,
      fault: { kind: 'half-open' },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(3_000);
    expect(harness.objects('Job')).toHaveLength(1);
    first.kill();
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.objects('Job')).toHaveLength(1);
    expect(JSON.parse((await harness.get('CronJob', 'report')).metadata.annotations!['reroll.dev/baseline']!).n).toBe(
      2,
    );
  });
});

describe('a Job', () => {
  const migrate = job({ name: 'migrate', ...uses });
  const births = (harness: Harness): number =>
    harness.writesOf('Job', 'migrate').filter(({ type }) => type === 'ADDED').length;

  it('is recreated with a restart marker and the new baseline, and leaves no journal entry', async () => {
    const harness = new Harness();
    harness.seed(app, migrate);
    await harness.start();
    const before = await harness.get('Job', 'migrate');
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    const after = await harness.get('Job', 'migrate');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(JSON.stringify(fieldAt(after, ['spec', 'template']))).toContain('STAKATER_APP_CONFIGMAP');
    expect(JSON.parse(after.metadata.annotations!['reroll.dev/baseline']!).n).toBe(2);
    expect(births(harness)).toBe(2);
    expect(harness.objects('Secret').map(({ metadata }) => metadata.name)).toEqual([
      'reroll-digest-key',
      'reroll-journal-key',
    ]);
    await harness.clock.advance(600_000);
    expect(births(harness)).toBe(2);
  });

  it.each([
    ['the dry run', 'POST', '/jobs', true],
    ['the first write of the journal entry', 'POST', '/secrets'],
    ['the second write of the journal entry', 'PUT', '/secrets/'],
    ['the deletion of the Job', 'DELETE', '/jobs/migrate'],
    ['the creation of the Job', 'POST', '/jobs', false],
    ['the deletion of the journal entry', 'DELETE', '/secrets/'],
  ])('is recreated only once if the answer to %s is lost', async (_what, method, path, dryRun = false) => {
    const harness = new Harness();
    harness.seed(app, migrate);
    await harness.start();
    harness.faults.add({
      match: (target) => isRequest(target, method, path, dryRun),
      times: 1,
      fault: { kind: 'reset', when: 'after' },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(120_000);
    expect(births(harness)).toBe(2);
    expect(harness.objects('Secret')).toHaveLength(2);
  });

  it.each([
    ['before the dry run of the creation', 'POST', '/jobs', true],
    ['before the first write of the journal entry', 'POST', '/secrets'],
    ['before the second write of the journal entry', 'PUT', '/secrets/'],
    ['before the deletion', 'DELETE', '/jobs/migrate'],
    ['between deletion and creation', 'POST', '/jobs', false],
    ['before the deletion of the journal entry', 'DELETE', '/secrets/'],
  ])('is not lost if the engine is killed %s', async (_when, method, path, dryRun = false) => {
    const harness = new Harness();
    harness.seed(app, migrate);
    const first = await harness.start();
    harness.faults.add({
      match: (target) => isRequest(target, method, path, dryRun),
      times: 1,
      fault: { kind: 'half-open' },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(5_000);
    first.kill();
    await harness.start();
    await harness.clock.advance(120_000);
    expect(births(harness)).toBe(2);
    expect(harness.objects('Secret')).toHaveLength(2);
    expect(JSON.parse((await harness.get('Job', 'migrate')).metadata.annotations!['reroll.dev/baseline']!).n).toBe(2);
  });

  it.each<[string, { readonly spec?: JsonObject; readonly status?: JsonObject }]>([
    ['suspended', { spec: { suspend: true } }],
    ['running', { status: { active: 1, startTime: '2026-01-01T00:00:00Z' } }],
    ['complete', { status: { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] } }],
    ['failed', { status: { failed: 1, conditions: [{ type: 'Failed', status: 'True' }] } }],
  ])('§6.2 Q22: is recreated once even if it is %s', async (_what, { spec = {}, status = {} }) => {
    const harness = new Harness();
    harness.seed(app, job({ name: 'migrate', ...uses, spec }));
    await harness.admin.request({
      method: 'PATCH',
      path: '/apis/batch/v1/namespaces/default/jobs/migrate/status',
      contentType: 'application/merge-patch+json',
      body: { status },
    });
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(120_000);
    expect(births(harness)).toBe(2);
    expect((await harness.get('Job', 'migrate'))['status']).toBeUndefined();
  });

  it('with policy next-run is not recreated', async () => {
    const harness = new Harness();
    harness.seed(app, job({ name: 'migrate', ...uses, annotations: { ...auto, 'reroll.dev/job-policy': 'next-run' } }));
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(births(harness)).toBe(1);
    expect(await toldOf(harness, 'Job', 'migrate')).toEqual(leftToNextRun('Job'));
  });

  it('that a CronJob owns is left alone, and the CronJob is run instead', async () => {
    const harness = new Harness();
    const report = cronJob({ name: 'report', ...uses });
    const annotated = {
      ...report,
      spec: {
        ...(report['spec'] as object),
        jobTemplate: { metadata: { annotations: auto }, spec: fieldAt(report, ['spec', 'jobTemplate', 'spec']) },
      },
    };
    harness.seed(app, annotated as typeof report);
    await harness.start();
    for (const color of ['blue', 'green']) {
      await harness.edit('ConfigMap', 'app', { color });
      await harness.clock.advance(60_000);
    }
    expect(harness.objects('Job')).toHaveLength(2);
  });

  it('whose namespace is deleted meanwhile is not recreated in a later namespace of the same name', async () => {
    const harness = new Harness();
    harness.seed(
      configMap({ name: 'app', namespace: 'doomed', data: { color: 'red' } }),
      job({ name: 'migrate', namespace: 'doomed', ...uses }),
    );
    await harness.start();
    harness.faults.add({
      match: (target) => isRequest(target, 'POST', '/jobs'),
      times: 1,
      fault: { kind: 'status', code: 500 },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'doomed');
    await harness.clock.advance(1_050);
    await harness.deleteNamespace('doomed');
    await harness.clock.advance(60_000);
    seedNamespace(harness.server, 'doomed');
    await harness.clock.advance(600_000);
    expect(harness.objects('Job')).toEqual([]);
    expect(harness.objects('Secret')).toHaveLength(2);
  });
});
