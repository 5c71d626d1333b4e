import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AnnotationProblem } from '../../shared/domain/annotations/annotation-problem';
import { bodyOf, clientWorld, zeroRandom, type ClientWorld } from '../../shared/kube/client/client.fixture';
import { ConflictError, errorFromStatus } from '../../shared/kube/errors';
import { EventRecorder } from '../../shared/kube/client/events';
import { refusal } from '../../shared/kube/transport/fake-transport';
import { requestTarget } from '../../shared/kube/request-target';
import type { Alert } from '../alerts/alert';
import { raw } from '../alerts/alert-formatters';
import { alertText } from '../alerts/message';
import { noHistory } from '../history/history.fixture';
import { Metrics } from '../metrics/metrics';
import type { JobRecreation } from '../apply/journal-entry';
import { StaleWorkloadError } from '../apply/read-again';
import { NotLeadingError } from '../apply/restart';
import type { Attribution } from '../../shared/domain/plan/attribution';
import { blue, changeOf } from '../../shared/domain/plan/change.fixture';
import { describeChange } from '../../shared/domain/plan/describe-change';
import { restartOf } from '../apply/restart.fixture';
import { auto, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { RecordingSpans } from '../../shared/tracing/span.fixture';
import { MarkerLostError } from '../apply/patch-workload';
import { entryOf } from '../history/history-entry';
import { RestartTraces } from '../tracing/restart-traces';
import { waitedForNothing } from '../tracing/waited';
import { urgently } from './deferrals';
import { Reporter } from './reporter';

let world: ClientWorld;
let metrics: Metrics;
let reporter: Reporter;
let alerts: Alert[];
let spans: RecordingSpans;
/** Workloads to which nothing is owed any more, as the history is told. */
let settled: string[];

beforeEach(() => {
  world = clientWorld(() => ({ status: 201, body: { metadata: { name: 'e', uid: 'u', resourceVersion: '1' } } }));
  metrics = new Metrics({ countByNamespace: true });
  alerts = [];
  settled = [];
  spans = new RecordingSpans();
  reporter = reporterOf(world);
});

function reporterOf({ client, clock, logger }: ClientWorld): Reporter {
  const random = zeroRandom;
  const events = new EventRecorder({ client, clock, random, logger, component: 'reroll', instance: 'reroll-0' });
  return new Reporter({
    clock,
    logger,
    metrics,
    events,
    history: {
      ...noHistory,
      find: (id) => (id === entry.id ? entry : undefined),
      notOwed: (key) => void settled.push(key),
    },
    alerts: { send: (alert) => void alerts.push(alert) },
    traces: new RestartTraces({ clock, spans }),
  });
}

const said = (): readonly string[] => world.logger.lines.map(({ level, message }) => `${level}: ${message}`);

/** Counters that are not 0, as exposed. */
async function counted(): Promise<readonly string[]> {
  const lines = (await metrics.registry.text()).split('\n');
  return lines.filter((line) => /^re(loader|roll)_[a-z_]+_total\S* [1-9]/.test(line)).toSorted();
}

async function sentEvents(): Promise<readonly object[]> {
  await world.clock.settle();
  return world.transport.requests.map((request) => bodyOf(request) as object);
}

const { workload } = restartOf();
const entry = entryOf({ ...restartOf(), target: workload.record }, { outcome: 'rolling' });
const restarted = [
  'reloader_action_total{workload_kind="Deployment",result="success"} 1',
  'reloader_reload_executed_total_by_namespace{success="true",namespace="shop"} 1',
  'reloader_reload_executed_total{success="true"} 1',
  'reloader_workloads_matched_total{kind="Deployment"} 1',
];

describe('a source', () => {
  const before = sourceRecord();
  const after = sourceRecord({ data: { color: 'blue', size: '1' } });
  const change = { kind: 'ConfigMap', namespace: 'shop', name: 'app' } as const;

  it.each([
    ['that came', { before: undefined, after }, 'created', undefined],
    ['that went', { before, after: undefined }, 'deleted', undefined],
    ['that changed', { before, after }, 'changed', ['color', 'size']],
  ])('%s is logged after the queue had its turn, with the names of its keys', async (_what, states, what, keys) => {
    reporter.sourceChanged({ ...change, ...states }, 2);
    expect(world.logger.lines).toEqual([]);
    await world.clock.advance(0);
    expect(world.logger.lines).toEqual([
      {
        level: 'info',
        message: `ConfigMap shop/app ${what}`,
        fields: { source: 'ConfigMap shop/app', what, keys, users: 2, change: expect.stringMatching(/^[0-9a-f]{8}$/) },
      },
    ]);
  });

  it('is counted by kind and by what happened to it', async () => {
    reporter.sourceChanged({ ...change, before: undefined, after }, 0);
    reporter.sourceChanged({ ...change, kind: 'Secret', before, after: undefined }, 0);
    const series = ['event_type="add",resource_type="configmaps"', 'event_type="delete",resource_type="secrets"'];
    expect(await counted()).toEqual([
      ...series.map((labels) => `reloader_events_processed_total{${labels},result="success"} 1`),
      ...series.map((labels) => `reloader_events_received_total{${labels}} 1`),
    ]);
  });

  it('that no workload uses is logged at debug level', () => {
    reporter.sourceChanged({ ...change, before, after }, 0);
    expect(said()).toEqual(['debug: ConfigMap shop/app changed; no tracked workload uses it']);
  });
});

describe('problems', () => {
  const bad = restartOf({
    annotations: { ...auto, 'reroll.dev/settle': 'soon', 'reroll.dev/strategy': 'magic' },
  }).workload;

  it('are reported each with key, value and fix, and counted', async () => {
    reporter.problems({ ...bad, baselineProblem: 'it is not JSON' });
    expect(said()).toEqual([
      expect.stringMatching(/^warn: Deployment shop\/web: annotation reroll.dev\/strategy="magic" .*; use one of/),
      expect.stringMatching(/^warn: Deployment shop\/web: annotation reroll.dev\/settle="soon" .*; write one such as/),
      'warn: Deployment shop/web: annotation reroll.dev/baseline cannot be read: it is not JSON',
    ]);
    expect(await counted()).toEqual(['reroll_annotation_problems_total 2', 'reroll_baseline_problems_total 1']);
  });

  it('are reported once, however often the workload is seen', () => {
    for (let n = 0; n < 3; n++) reporter.problems(bad);
    expect(said()).toHaveLength(2);
  });

  it.each<[string, () => void]>([
    ['they were fixed in between', () => reporter.problems(workload)],
    ['they belong to another workload of that name', () => reporter.forget(workload.key)],
  ])('are reported again when %s', (_what, happen) => {
    reporter.problems(bad);
    happen();
    reporter.problems(bad);
    expect(said()).toHaveLength(4);
  });

  it('have some lines of each namespace within an hour, however often somebody writes others, and all are counted', async () => {
    const inNamespace = (namespace: string) => ({ ...bad, record: { ...bad.record, namespace } });
    for (let writes = 0; writes < 1_000; writes++) {
      reporter.problems(inNamespace('crowd'));
      reporter.problems({ ...workload, key: bad.key });
    }
    expect(said()).toHaveLength(500);
    expect(said().at(-1)).toMatch(/ \(and no more of namespace crowd for an hour\)$/);
    expect(await counted()).toEqual(['reroll_annotation_problems_total 2000']);
    reporter.problems(inNamespace('shop'));
    expect(said()).toHaveLength(502);
    await world.clock.advance(3_600_000);
    reporter.problems({ ...workload, key: bad.key });
    reporter.problems(inNamespace('crowd'));
    expect(said()).toHaveLength(504);
  });

  it('are not logged if there are none', () => {
    reporter.problems(workload);
    expect(said()).toEqual([]);
  });

  it('of the baseline alone are reported, too', () => {
    reporter.problems({ ...workload, baselineProblem: 'it is not JSON' });
    expect(said()).toHaveLength(1);
  });
});

describe('a change that led to no restart', () => {
  const unchanged = changeOf({ comparison: { restart: false, because: 'unchanged', recorded: '-' } });
  const excluded = changeOf({ name: 'b', decision: 'excluded', comparison: undefined });

  it('is explained for each source that had changed, and for no other', () => {
    reporter.leftAlone(workload, new Set(['cm/app']), [unchanged, excluded]);
    expect(world.logger.lines[0]).toMatchObject({
      level: 'info',
      message: 'Deployment shop/web not restarted',
      fields: { sources: ['cm/app'], because: ['ConfigMap app: the content it uses has not changed'] },
    });
  });

  it.each([
    ['compared', ['cm/app', 'cm/b'], 'no_data_change'],
    ['not to be compared', ['cm/b'], 'ignored_or_not_selected'],
  ])('is counted by its reason: %s', async (_what, changed, reason) => {
    reporter.leftAlone(workload, new Set(changed), [unchanged, excluded]);
    expect(await counted()).toEqual([`reloader_skipped_total{reason="${reason}"} 1`]);
  });

  it('is not reported if nothing had changed', async () => {
    reporter.leftAlone(workload, new Set(), [unchanged]);
    expect([said(), await counted()]).toEqual([[], []]);
  });

  it.each<[string, () => void]>([
    ['nothing is different', () => reporter.leftAlone(workload, new Set(), [unchanged])],
    ['a rollout of others gave it to the pods', () => reporter.coalesced(workload, [changeOf()], 'folded')],
  ])('is owed no more: %s, and the history tells the next refusal', (_why, happen) => {
    happen();
    expect(settled).toEqual([workload.key]);
  });
});

describe('a baseline', () => {
  it.each([
    [false, 'info: Deployment shop/web: baseline recorded; nothing restarted'],
    [
      true,
      'info: Deployment shop/web: baseline restored, after somebody removed it or put an older one in its place; nothing restarted',
    ],
  ])('that was lost: %s', async (baselineLost, line) => {
    reporter.adopted({ ...workload, baselineLost }, { stored: true });
    expect(said()).toEqual([line]);
    expect(await counted()).toEqual(['reroll_adoptions_total{kind="Deployment"} 1']);
    expect(await sentEvents()).toEqual([]);
  });
});

describe('a restart', () => {
  const changedKeys = Array.from({ length: 20 }, (_, n) => `key-${String(n)}`);
  const many = Array.from({ length: 8 }, (_, n) => {
    const name = `app-${String(n)}`;
    return changeOf({ name, comparison: { restart: true, because: 'content-changed', recorded: blue, changedKeys } });
  });
  const newJob = { metadata: { name: 'migrate', namespace: 'shop', uid: 'new', resourceVersion: '1' } };

  function jobOf(because: readonly string[]): JobRecreation {
    const metadata = { name: 'migrate', namespace: 'shop', annotations: {} };
    const successor = { apiVersion: 'batch/v1' as const, kind: 'Job' as const, metadata };
    return { uid: 'old', restartId: 'c0ffee00', sources: ['cm/app', 'secret/db'], because, successor };
  }

  it('is told with what for, in log, metrics and an Event', async () => {
    reporter.restarted(workload, restartOf(), { did: 'restarted', changedMs: undefined });
    expect(world.logger.lines).toEqual([
      {
        level: 'info',
        message: 'Deployment shop/web restarted',
        fields: {
          ...{ audit: true, decision: 'restarted', kind: 'Deployment', namespace: 'shop', name: 'web' },
          changes: ['9f3e11aa'],
          workload: 'Deployment shop/web',
          because: ['ConfigMap app: content changed (keys: color)'],
          strategy: 'env-vars',
          restartId: 'c0ffee00',
          sources: ['cm/app'],
          paths: ['watch'],
        },
      },
    ]);
    expect(await counted()).toEqual(restarted);
    expect(await sentEvents()).toMatchObject([
      {
        involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'uid-web' },
        type: 'Normal',
        reason: 'Reloaded',
        message:
          'ConfigMap app: content changed (keys: color) (change 9f3e11aa). Deployment restarted (env-vars, c0ffee00)',
      },
    ]);
  });

  it.each<[string, () => void]>([
    [
      'Deployment restarted (env-vars, c0ffee00)',
      () => reporter.restarted(workload, restartOf({}, { changes: many }), { did: 'restarted', changedMs: undefined }),
    ],
    ['Job recreated (c0ffee00)', () => reporter.jobRecreated(jobOf(many.map(describeChange)), newJob)],
  ])('has its id in an Event and in an alert that are cut: %s', async (end, happen) => {
    happen();
    const [{ message } = { message: '' }] = (await sentEvents()) as readonly { readonly message: string }[];
    expect(message).toMatch(/^ConfigMap app-0: content changed \(keys: /);
    expect(message.endsWith(`…. ${end}`)).toBe(true);
    expect(alerts.map((alert) => alertText(alert, raw).endsWith(end))).toEqual([true]);
  });

  it('has its id in an Event and in an alert if the windows that it has passed are long', async () => {
    const windows = 'Mon-Fri 22:00 +7h; '.repeat(26);
    const detail = `reroll.dev/windows on ConfigMap ${'x'.repeat(253)}: ${windows}`;
    const did = `restarted${urgently([{ gate: 'window', untilMs: undefined, detail }])}`;
    reporter.restarted(workload, restartOf({}, { changes: many }), { did, changedMs: undefined });
    const [{ message } = { message: '' }] = (await sentEvents()) as readonly { readonly message: string }[];
    for (const text of [message, ...alerts.map((alert) => alertText(alert, raw))]) {
      expect(text).toMatch(
        /ConfigMap app-0: content changed .*…\. Deployment restarted at once, .*… \(env-vars, c0ffee00\)$/,
      );
    }
    expect(alerts).toHaveLength(1);
  });

  it('is sent as an alert with the text of its Event', async () => {
    const changes = [changeOf(), changeOf({ kind: 'Secret', name: 'db' })];
    reporter.restarted(workload, restartOf({}, { changes }), { did: 'restarted', changedMs: undefined });
    const { message } = (await sentEvents())[0] as { readonly message: string };
    expect(alerts).toEqual([
      expect.objectContaining({
        sources: [
          expect.objectContaining({ kind: 'ConfigMap', name: 'app' }),
          expect.objectContaining({ kind: 'Secret', name: 'db' }),
        ],
        workload: expect.objectContaining({ kind: 'Deployment', namespace: 'shop', name: 'web' }),
        detail: message,
      }),
    ]);
  });

  it.each<[string, () => void]>([
    ['that failed', () => reporter.failed(workload, new Error('no'), 0)],
    ['that could not be written', () => reporter.notRestarted(workload, new Error('no'))],
    ['that was not owed', () => reporter.leftAlone(workload, new Set(['cm/app']), [changeOf()])],
    ['whose baseline alone was written', () => reporter.adopted(workload, { stored: true })],
  ])('%s is no alert (§14.1)', (_what, happen) => {
    happen();
    expect(alerts).toEqual([]);
  });

  it('is reported with whose change it answers, as far as that is known', async () => {
    const attribution: Attribution = {
      users: ['alice'],
      moreUsers: 2,
      firstUser: 'alice',
      manager: 'kubectl-edit',
      changedKeys: ['color'],
      path: 'both',
      observedAtMs: 0,
    };
    const changes = [changeOf({ attribution }), changeOf({ kind: 'Secret', name: 'db' })];
    reporter.restarted(workload, restartOf({}, { changes }), { did: 'restarted', changedMs: undefined });
    expect(world.logger.lines[0]?.fields).toMatchObject({
      users: ['alice'],
      moreUsers: 2,
      managers: ['kubectl-edit'],
      paths: ['both', 'watch'],
    });
    expect((await sentEvents())[0]).toMatchObject({
      message: expect.stringContaining(
        '(keys: color) by alice and 2 more (kubectl-edit) (change 9f3e11aa); Secret db: content changed',
      ),
    });
  });

  it('counts how its changes were noticed', async () => {
    const nobody = { users: [], moreUsers: 0, firstUser: undefined, manager: undefined };
    const attribution = { ...nobody, changedKeys: [], path: 'webhook', observedAtMs: 0 } as const;
    reporter.answered([changeOf({ attribution }), changeOf({ name: 'other' })]);
    const text = await metrics.registry.text();
    expect(text).toContain('reroll_changes_total{path="webhook"} 1');
    expect(text).toContain('reroll_changes_total{path="watch"} 1');
  });

  it("that somebody else's write brought along is told with its changes, though nothing names it any more", () => {
    expect(workload.record.lastRestart).toBeUndefined();
    reporter.brought(workload, [changeOf()]);
    expect(world.logger.lines).toMatchObject([
      {
        message:
          "Deployment shop/web not restarted: somebody else's write of its pod template already rolls out the change",
        fields: { sources: ['cm/app'], paths: ['watch'] },
      },
    ]);
  });

  it.each([
    ['measured from the change that it answers', 1_000, 'count{workload_kind="Deployment"} 1'],
    ['not measured where nobody saw the change', undefined, 'count{workload_kind="Deployment"} 0'],
  ])('is %s', async (_what, changedMs, count) => {
    await world.clock.advance(3_500);
    reporter.restarted(workload, restartOf(), { did: 'restarted', changedMs });
    const text = await metrics.registry.text();
    expect(text).toContain(`reloader_action_latency_seconds_${count}`);
    const seconds = changedMs === undefined ? 0 : 2.5;
    expect(text).toContain(`reloader_action_latency_seconds_sum{workload_kind="Deployment"} ${String(seconds)}`);
    expect(text).toContain(`reroll_change_latency_seconds_sum{path="watch"} ${String(seconds)}`);
  });

  it('of a Job is an Event on the new Job', async () => {
    const because = ['ConfigMap app: content changed (keys: a)', 'Secret db: content changed'];
    reporter.jobRecreated(jobOf(because), newJob);
    expect(alerts).toEqual([
      {
        sources: [
          { kind: 'ConfigMap', name: 'app' },
          { kind: 'Secret', name: 'db' },
        ],
        workload: expect.objectContaining({ kind: 'Job', namespace: 'shop', name: 'migrate' }),
        detail: `${because.join('; ')}. Job recreated (c0ffee00)`,
      },
    ]);
    expect(said()).toEqual(['info: Job shop/migrate recreated']);
    expect(await counted()).toContain('reloader_action_total{workload_kind="Job",result="success"} 1');
    expect(await sentEvents()).toMatchObject([
      {
        involvedObject: { apiVersion: 'batch/v1', kind: 'Job', name: 'migrate', uid: 'new' },
        message: 'ConfigMap app: content changed (keys: a); Secret db: content changed. Job recreated (c0ffee00)',
      },
    ]);
  });

  it('whose Event cannot be written is a restart all the same', async () => {
    world = clientWorld(() => refusal(403, 'Forbidden'));
    reporterOf(world).restarted(workload, restartOf(), { did: 'restarted', changedMs: undefined });
    await world.clock.settle();
    expect(said()).toEqual(['info: Deployment shop/web restarted', 'warn: event not written']);
    expect(await counted()).toEqual(restarted);
  });
});

describe('a failure', () => {
  const target = requestTarget('PATCH', '/apis/apps/v1/namespaces/shop/deployments/web');
  const refused = (status: number) => errorFromStatus(status, undefined, target);
  const failedOnce = ['reloader_errors_total{type="handler_error"} 1', 'reloader_reconcile_total{result="error"} 1'];
  const notRestartedOnce = [
    'reloader_action_total{workload_kind="Deployment",result="error"} 1',
    'reloader_reload_errors_total 1',
    'reloader_reload_executed_total_by_namespace{success="false",namespace="shop"} 1',
    'reloader_reload_executed_total{success="false"} 1',
  ];

  it.each([
    [403, 1],
    [422, 1],
    [401, 0],
    [404, 0],
    [429, 0],
    [500, 0],
  ])('with status %i is reported in %i Events, because a person must fix only some', async (status, events) => {
    for (let n = 0; n < 2; n++) reporter.failed(workload, refused(status), 0);
    expect(world.logger.lines[0]).toMatchObject({
      level: 'warn',
      message: 'Deployment shop/web could not be written; trying again',
      fields: { error: expect.stringContaining(String(status)) },
    });
    const body = { type: 'Warning', reason: 'ReloadFail', message: expect.stringContaining(String(status)) };
    expect(await sentEvents()).toMatchObject(Array(events).fill(body));
  });

  it('is counted', async () => {
    reporter.failed(workload, new Error('no'), 0);
    expect(await counted()).toEqual(failedOnce);
  });

  it('to restart is counted as one, unlike a write that lost its turn', async () => {
    reporter.notRestarted(workload, new Error('no'));
    reporter.notRestarted(workload, new StaleWorkloadError(workload));
    reporter.notRestarted(workload, new NotLeadingError());
    expect(await counted()).toEqual(notRestartedOnce);
  });

  it.each<[string, Error]>([
    ['a conflict', new ConflictError('moved on', { status: 409, reason: 'Conflict', retryAfterMs: undefined })],
    ['a plan that is out of date', new StaleWorkloadError(workload)],
  ])('is none where it is %s', async (_what, error) => {
    reporter.failed(workload, error, 0);
    expect(said()).toEqual(['debug: Deployment shop/web was changed meanwhile; trying again with its new state']);
    expect(await counted()).toEqual(['reloader_reconcile_total{result="error"} 1', 'reroll_conflicts_total 1']);
    expect(await sentEvents()).toEqual([]);
  });
});

describe('an exceeded budget', () => {
  const problem: AnnotationProblem = {
    ...{ code: 'over-budget' as const, key: 'configmap.reloader.stakater.com/reload', value: 'app,…' },
    ...{ message: 'has more than 500 names and is ignored as a whole', fix: 'list fewer names' },
  };
  const other: AnnotationProblem = { ...problem, code: 'bad-name' };
  const seen = { ...workload, baselineProblem: undefined, record: { ...workload.record, problems: [other, problem] } };
  const message =
    'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="app,…" has more than 500 names and is ignored as a whole; list fewer names';

  it('is reported once in the log, and by the leader in an Event', async () => {
    reporter.problems(seen);
    reporter.problems(seen);
    expect(said()).toHaveLength(2);
    expect(await sentEvents()).toEqual([]);
    reporter.lead(true);
    reporter.lead(true);
    reporter.problems(seen);
    expect(await sentEvents()).toMatchObject([{ type: 'Warning', reason: 'OverBudget', message }]);
  });

  it('is reported again if it was fixed and comes back', async () => {
    reporter.lead(true);
    reporter.problems(seen);
    await world.clock.advance(600_000);
    reporter.problems({ ...seen, record: { ...seen.record, problems: [] } });
    reporter.problems(seen);
    expect(await sentEvents()).toHaveLength(2);
  });

  it('is reported once for a workload that uses keys of a source with too many', async () => {
    const verdict = changeOf();
    reporter.tooManyKeys(workload, [verdict]);
    expect(said()).toEqual([]);
    for (let look = 0; look < 3; look++) reporter.tooManyKeys(workload, [{ ...verdict, tooManyKeys: true }]);
    expect(said()).toEqual([
      expect.stringMatching(/^warn: Deployment shop\/web uses keys .* in ConfigMap app: any change there restarts/),
    ]);
    expect(await sentEvents()).toMatchObject([
      { reason: 'OverBudget', message: expect.stringContaining('split the source') },
    ]);
  });
});

describe('a baseline that keeps being removed', () => {
  it.each<[string, readonly string[], string]>([
    ['nobody', [], 'managedFields does not show which field manager removes it.'],
    ['one', ['web-operator'], 'Field manager "web-operator" updates it; managedFields names no other.'],
    ['two', ['a', 'b'], 'managedFields does not show which of its field managers removes it: "a", "b".'],
    ['five', ['a', 'b', 'c', 'd', 'e'], 'of its field managers removes it: "a", "b", "c" and 2 more.'],
  ])('is reported with what to do, if %s may have done it', async (_what, removers, expected) => {
    reporter.baselineRemoved(workload, removers);
    const message = expect.stringMatching(/^annotation reroll\.dev\/baseline keeps being removed.*--register=mutating/);
    expect(await sentEvents()).toMatchObject([{ type: 'Warning', reason: 'BaselineRemoved', message }]);
    expect(await sentEvents()).toMatchObject([{ message: expect.stringContaining(expected) }]);
    expect(said()).toEqual([expect.stringMatching(/^warn: Deployment shop\/web: annotation reroll/)]);
    expect(world.logger.lines[0]?.fields).toEqual({ workload: 'Deployment shop/web', fieldManagers: removers });
  });

  it('is reported in full, however long the names are', async () => {
    reporter.baselineRemoved(workload, Array<string>(4).fill('m'.repeat(128)));
    expect(await sentEvents()).toMatchObject([{ message: expect.stringContaining('"What a write keeps")') }]);
  });
});

it('a look is counted with its duration', async () => {
  await world.clock.advance(250);
  reporter.looked(workload, 50);
  expect(await counted()).toEqual([
    'reloader_reconcile_total{result="success"} 1',
    'reloader_workloads_scanned_total{kind="Deployment"} 1',
  ]);
  expect(await metrics.registry.text()).toContain('reloader_reconcile_duration_seconds_sum{result="success"} 0.2');
});

describe('an entry of the journal that does not verify', () => {
  const refused = { namespace: 'reroll', name: 'reroll-job-0123', job: 'shop/migrate', why: 'wrong-mac' } as const;

  it('is reported in one warning with possible causes and what to do, and counted', async () => {
    reporter.journalEntryRefused(refused);
    expect(said()).toEqual([
      'warn: Secret reroll/reroll-job-0123 is labelled as a journal entry of a Job that is being recreated, but its MAC is ' +
        'wrong: it was written before the key in Secret reroll-journal-key, or somebody else wrote or changed it. Nothing is ' +
        'created from it, and it is left as it is. Find out who wrote it; create Job shop/migrate if it is missing; then ' +
        'delete the Secret',
    ]);
    expect(world.logger.lines[0]?.fields).toEqual({
      secret: 'reroll/reroll-job-0123',
      why: 'wrong-mac',
      fix: 'kubectl -n reroll get secret reroll-job-0123 -o yaml --show-managed-fields',
    });
    expect(await metrics.registry.text()).toContain('reroll_journal_entries_refused_total 1');
  });

  it.each(['', 'shop', 'a/b/c', 'Shop/migrate', 'shop/x\nwarn: all is well', `shop/${'x'.repeat(254)}`])(
    'is reported without %j, which is not a valid Job name',
    (job) => {
      reporter.journalEntryRefused({ ...refused, job });
      expect(said()[0]).toContain('; create the Job that it may have been written for if it is missing; then');
      if (job !== '') expect(said()[0]).not.toContain(job);
    },
  );
});

describe('the trace of a change', () => {
  const told = JSON.stringify({
    ...{ at: '2026-01-01T00:00:00.000Z', id: 'c0ffee00' },
    ...{ sources: { 'cm/app': ['color'] }, changes: { 'cm/app': '9f3e11aa' } },
  });
  const job = { metadata: { name: 'migrate', namespace: 'shop', uid: 'new', resourceVersion: '1' } };
  const recreation = {
    ...{ uid: 'old', restartId: 'c0ffee00', sources: ['cm/app'], because: ['ConfigMap app: content changed'] },
    successor: {
      ...{ apiVersion: 'batch/v1' as const, kind: 'Job' as const },
      metadata: { name: 'migrate', namespace: 'shop', annotations: { 'reroll.dev/last-restart': told } },
    },
  };
  const forbidden = errorFromStatus(403, undefined, requestTarget('POST', '/apis/batch/v1/namespaces/shop/jobs'));
  const bringing = { ...workload, record: { ...workload.record, lastRestart: { id: 'c0ffee00', atMs: 0 } } };

  it.each<[string, () => void, Readonly<Record<string, unknown>>, string | undefined]>([
    [
      'a restart',
      () => reporter.restarted(workload, restartOf(), { did: 'restarted', changedMs: undefined }),
      { 'reroll.decision': 'restarted', 'reroll.restart.id': 'c0ffee00' },
      undefined,
    ],
    [
      'one that came with the write of somebody else',
      () => reporter.brought(bringing, [changeOf()]),
      {
        'reroll.decision': 'restarted',
        'reroll.reason': "somebody else's write of its pod template included the owed restart",
      },
      undefined,
    ],
    [
      'one that somebody else’s rollout replaces',
      () => reporter.coalesced(workload, [changeOf()], 'folded'),
      { 'reroll.decision': 'coalesced', 'reroll.reason': 'folded' },
      undefined,
    ],
    [
      'one that a dry run withholds',
      () => reporter.withheld(workload, restartOf(), waitedForNothing),
      { 'reroll.decision': 'withheld' },
      undefined,
    ],
    [
      'one that is taken back, because its marker was lost',
      () => reporter.refused(restartOf(), new MarkerLostError(workload, 'variables', '11')),
      { 'reroll.decision': 'refused', 'error.type': 'MARKER_LOST' },
      'MARKER_LOST',
    ],
    [
      'one of a Job',
      () => reporter.jobRecreated(recreation, job),
      { 'reroll.decision': 'restarted', 'reroll.workload': 'Job shop/migrate' },
      undefined,
    ],
    [
      'one of a Job that cannot be created',
      () => reporter.jobNotCreated(recreation, forbidden),
      { 'reroll.decision': 'refused', 'error.type': 'KUBE_FORBIDDEN' },
      'KUBE_FORBIDDEN',
    ],
  ])('has %s', (_what, report, attributes, error) => {
    report();
    const [, span] = spans.spans;
    expect(span).toMatchObject({ name: expect.stringMatching(/^restart /), attributes, error });
  });

  it('has the end of a restart, if the history knows what for it was', () => {
    const restart = { id: 'c0ffee00', atMs: 0, target: workload.record };
    reporter.ended(restart, { outcome: 'healthy' });
    reporter.ended({ ...restart, id: 'c0ffee01' }, { outcome: 'healthy' });
    expect(spans.spans.map(({ name }) => name)).toEqual(['roll out Deployment']);
  });

  it('has no refusal that passes by itself', () => {
    reporter.refused(
      restartOf(),
      new ConflictError('moved on', { status: 409, reason: 'Conflict', retryAfterMs: undefined }),
    );
    expect(spans.spans).toEqual([]);
  });
});
