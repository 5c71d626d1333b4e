import { beforeEach, describe, expect, it } from '@jest/globals';
import { sourceRecord } from '../../shared/domain/plan/records.fixture';
import type { OnFailure } from '../../shared/domain/gate-settings/gate-settings';
import { ServerError } from '../../shared/kube/errors';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { NotLeadingError } from '../apply/restart';
import type { StoppedSource } from '../gates/stopped-source';
import { paced } from '../gates/gates.fixture';
import { Metrics } from '../metrics/metrics';
import { RollbackReports } from '../reporting/rollback-reports';
import type { KeptContents } from './kept-contents';
import type { BadContent, PutBacks } from './put-backs';
import { RollbackRefusedError } from './rollback-refused-error';
import { Rollbacks } from './rollbacks';

const app = sourceRecord({});
const failed = paced({ name: 'web', state: 'failed' });
const stop: StoppedSource = {
  source: app,
  record: app,
  change: '0123abcd',
  failed,
  keepsOthers: true,
  detail: 'restarts for ConfigMap app are stopped',
};
const minuteMs = 60_000;

let mode: OnFailure;
let stopped: StoppedSource | undefined;
let isLeading: boolean;
let isHeld: boolean;
let bad: BadContent | undefined;
let record: typeof app | undefined;
let fails: Error | undefined;
let did: string[];
let events: string[];
let queued: (readonly [string, number])[];
let rollbacks: Rollbacks;

beforeEach(() => {
  [mode, stopped, isLeading, record, fails] = ['rollback', undefined, true, app, undefined];
  [isHeld, did, events, queued] = [false, [], [], []];
  const act = async (what: string): Promise<void> => {
    did.push(what);
    await Promise.resolve();
    if (fails) throw fails;
  };
  const kept: Partial<KeptContents> = {
    keep: async () => {
      await act('keep');
      return { kind: 'done' };
    },
    interrupt: () => void did.push('interrupt'),
    forget: () => void did.push('forget'),
  };
  const putBacks: Partial<PutBacks> = {
    putBack: async (content) => {
      bad = content;
      await act('put back');
      return undefined;
    },
    forget: () => undefined,
  };
  const recorder = {
    record: async ({ reason }: { readonly reason: string }) => {
      events.push(reason);
      await Promise.resolve();
    },
  };
  rollbacks = new Rollbacks({
    ...{ kept: kept as KeptContents, putBacks: putBacks as PutBacks },
    sources: { get: () => record, namesIn: () => [] },
    reports: new RollbackReports({
      ...{ logger: new RecordingLogger(), events: recorder, metrics: new Metrics({ countByNamespace: false }) },
    }),
    onFailure: () => mode,
    asksFor: ({ record: workload }) => workload.name !== 'other',
    stoppedBy: () => stopped,
    isHeld: () => isHeld,
    mayAct: () => isLeading,
    onWork: (source, delayMs) => void queued.push([source, delayMs]),
  });
});

const look = async () => await rollbacks.process('ConfigMap shop/app');

describe('a look at a source', () => {
  it('keeps its content, unless a change of it has stopped', async () => {
    expect(await look()).toEqual({ kind: 'done' });
    stopped = stop;
    await look();
    expect(did).toEqual(['keep', 'put back']);
  });

  it.each<[string, () => void]>([
    ['another replica leads', () => (isLeading = false)],
    ['nothing asks for it', () => (mode = 'stop')],
    ['it is gone', () => (record = undefined)],
    ['its content was put back before', () => (stopped = { ...stop, failed: undefined })],
    ['it is only to be kept, and has stopped', () => ([mode, stopped] = ['keep', stop])],
  ])('does nothing if %s', async (_why, arrange) => {
    arrange();
    expect(await look()).toEqual({ kind: 'done' });
    expect(did).toEqual([]);
  });

  it.each<[string, Error, object, readonly string[]]>([
    ['is refused for a reason', new RollbackRefusedError('NOTHING_KEPT', 'none'), { kind: 'again', afterMs: 10 * minuteMs }, ['RollbackFailed']], // prettier-ignore
    ['fails for a time', new ServerError('x', { status: 503, reason: undefined, retryAfterMs: undefined }), { kind: 'failed' }, []], // prettier-ignore
    ['was not its turn', new NotLeadingError(), { kind: 'done' }, []],
  ])('that %s is repeated, and told once', async (_how, error, result, told) => {
    stopped = stop;
    fails = error;
    expect(await look()).toEqual(result);
    await look();
    expect(events).toEqual(told);
  });

  it('puts nothing back while it is held, and looks again', async () => {
    [stopped, isHeld] = [stop, true];
    expect(await look()).toEqual({ kind: 'again', afterMs: minuteMs });
    isHeld = false;
    await look();
    expect(did).toEqual(['put back']);
  });

  it('is repeated if a hold began while it was under way', async () => {
    stopped = stop;
    const looking = look();
    isHeld = true;
    expect(await looking).toEqual({ kind: 'again', afterMs: minuteMs });
  });

  it.each<[string, () => void]>([
    ['the restarts go on', () => (stopped = undefined)],
    ['somebody holds it', () => (isHeld = true)],
    ['nobody knows what is owed, as after a restore of etcd', () => (isLeading = false)],
  ])('that is under way puts nothing back once %s', async (_what, happen) => {
    stopped = stop;
    await look();
    expect(bad?.isStopped()).toBe(true);
    happen();
    expect(bad?.isStopped()).toBe(false);
  });

  it('tells the same reason again for another content', async () => {
    fails = new RollbackRefusedError('NOTHING_KEPT', 'none');
    stopped = stop;
    await look();
    stopped = { ...stop, change: 'ffffffff' };
    await look();
    expect(events).toEqual(['RollbackFailed', 'RollbackFailed']);
  });

  it('forgets what it told of a source that is gone', async () => {
    fails = new RollbackRefusedError('NOTHING_KEPT', 'none');
    await look();
    await look();
    expect(events).toHaveLength(1);
    record = undefined;
    rollbacks.changed(app);
    record = app;
    await look();
    expect(events).toHaveLength(2);
  });
});

describe('what is seen', () => {
  const user = paced({ name: 'web', uses: ['cm/app'] });

  it('leads to a look at the sources of a workload, soon', () => {
    rollbacks.saw({ ...user, baseline: {} as never });
    expect([queued, did]).toEqual([[['ConfigMap shop/app', 1_000]], []]);
  });

  it('interrupts the time that all were healthy', () => {
    rollbacks.saw(paced({ name: 'web', uses: ['cm/app'], state: 'rolling' }));
    expect(did).toEqual(['interrupt']);
  });

  it('does not interrupt it if it restarts for other sources only', () => {
    rollbacks.saw(paced({ name: 'other', uses: ['cm/app'], state: 'rolling' }));
    expect([queued, did]).toEqual([[['ConfigMap shop/app', 1_000]], []]);
  });

  it('leads to a look at a source that changes, at once, and ends with it', () => {
    rollbacks.changed(app);
    expect(queued).toEqual([['ConfigMap shop/app', 0]]);
    record = undefined;
    rollbacks.changed(app);
    expect(did).toEqual(['forget']);
  });

  it.each<[string, () => void]>([
    ['another replica leads', () => (isLeading = false)],
    ['nothing asks for it', () => (mode = 'stop')],
  ])('leads to no look if %s', (_why, arrange) => {
    arrange();
    rollbacks.saw(user);
    rollbacks.changed(app);
    expect(queued).toEqual([]);
  });
});
