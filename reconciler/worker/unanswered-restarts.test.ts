import { describe, expect, it } from '@jest/globals';
import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { ConflictError, ServerError } from '../../shared/kube/errors';
import { NotLeadingError } from '../apply/restart';
import { restartOf } from '../apply/restart.fixture';
import type { KubeObject } from '../../shared/kube/client/objects';
import { lostRestart, mayLackMarker, UnansweredRestarts } from './unanswered-restarts';
import type { WorkloadOptions } from '../../shared/domain/plan/records.fixture';
import type { Restart } from '../apply/restart';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';

const refusal = { status: 409, reason: 'Conflict', retryAfterMs: undefined };
const broken = { status: 503, reason: undefined, retryAfterMs: undefined };

/** The workload as it is seen after the write, by default at another version. */
function seen({ workload, annotations }: Restart, other: Partial<TrackedWorkload['record']> = {}): TrackedWorkload {
  const baselineText = annotations[ownAnnotations.baseline];
  return { ...workload, record: { ...workload.record, resourceVersion: 'after', baselineText, ...other } };
}

function unanswered(options: Partial<WorkloadOptions> = {}): { restart: Restart; restarts: UnansweredRestarts } {
  const restart = restartOf(options);
  const restarts = new UnansweredRestarts();
  restarts.failed(restart, undefined);
  return { restart, restarts };
}

describe('a restart whose write got no answer', () => {
  it('is told once, when another version of the workload records it', () => {
    const { restart, restarts } = unanswered();
    expect(restarts.takeRecorded(restart.workload)).toEqual([]);
    expect(restarts.takeRecorded(seen(restart))).toEqual([restart]);
    expect(restarts.takeRecorded(seen(restart))).toEqual([]);
  });

  it.each([
    ['the workload records something else', { baselineText: '{}' }],
    ['the workload is another', { uid: 'another' }],
  ])('is not told where %s', (_what, other) => {
    const { restart, restarts } = unanswered();
    expect(restarts.takeRecorded(seen(restart, other))).toEqual([]);
  });

  it('is told where somebody has changed the spec since, and may have removed the marker', () => {
    const { restart, restarts } = unanswered();
    const { record } = seen(restart, { generation: 9 });
    expect([mayLackMarker(restart, seen(restart).record), mayLackMarker(restart, record)]).toEqual([true, false]);
    expect(restarts.takeRecorded(seen(restart, { generation: 9 }))).toEqual([restart]);
  });

  it.each([
    ['is told, and may lack its marker, where the Deployment still rolls out the same revision', 4, true],
    ['is told where another revision has been rolled out since', 5, false],
    ['is not told until the controller has seen the spec', undefined, undefined],
  ])('%s', (_what, revision, mayLack) => {
    const restart = restartOf();
    const { workload } = restart;
    const before: Restart = { ...restart, workload: { ...workload, record: { ...workload.record, revision: 4 } } };
    const restarts = new UnansweredRestarts();
    restarts.failed(before, undefined);
    const now = seen(before, { generation: 9, revision });
    expect(restarts.takeRecorded(now)).toEqual(mayLack === undefined ? undefined : [before]);
    if (mayLack !== undefined) expect(mayLackMarker(before, now.record)).toBe(mayLack);
  });

  it('is told beside others of that version, of which any may be stored', () => {
    const { restart, restarts } = unanswered();
    const again = restartOf({}, { id: 'another try' });
    restarts.failed(again, new ServerError('down', broken));
    expect(restarts.takeRecorded(seen(restart))).toEqual([restart, again]);
  });

  it.each([
    ['refused', 'Deployment', new ConflictError('it has moved on', refusal)],
    ['not sent, because another replica leads', 'Deployment', new NotLeadingError()],
  ] as const)('is none where it is %s', (_what, kind, error) => {
    const restart = restartOf({ kind });
    const restarts = new UnansweredRestarts();
    restarts.failed(restart, error);
    expect(restarts.takeRecorded(seen(restart))).toEqual([]);
  });

  it.each([
    ['is told after a version that the write was already based on, and that the watch shows late', 'Rollout', '11', 1],
    ['is told after the version that the write names', 'Deployment', '10', 1],
    ['is not told after a later version without it, by which the write was refused', 'Deployment', '11', 0],
    ['is told after an older version, as after a restore of etcd', 'Deployment', '9', 1],
  ] as const)('%s: %s at %s', (_what, kind, resourceVersion, told) => {
    const { restart, restarts } = unanswered({ kind, resourceVersion: '10' });
    const { workload } = restart;
    expect(restarts.takeRecorded({ ...workload, record: { ...workload.record, resourceVersion } })).toEqual([]);
    expect(restarts.takeRecorded(seen(restart))).toHaveLength(told);
  });

  it('is not told if a read of the workload has found it without the restart before', () => {
    const { restart, restarts } = unanswered({ resourceVersion: '10' });
    const { workload } = restart;
    restarts.seen({ ...workload, record: { ...workload.record, resourceVersion: '11' } });
    expect(restarts.takeRecorded(seen(restart))).toEqual([]);
  });

  it('of a CronJob is told, whose template keeps no marker', () => {
    const { restart, restarts } = unanswered({ kind: 'CronJob' });
    expect(restarts.takeRecorded(seen(restart))).toEqual([restart]);
    expect(mayLackMarker(restart, seen(restart).record)).toBe(false);
  });

  it('is forgotten with its workload', () => {
    const { restart, restarts } = unanswered();
    restarts.forget(restart.workload.key);
    expect(restarts.takeRecorded(seen(restart))).toEqual([]);
  });
});

describe('a restart that may be stored without its record', () => {
  it('is told once, where the spec has changed, and others are kept', () => {
    const { restart, restarts } = unanswered();
    const [{ workload }, unmarked] = [restart, restartOf({}, { marker: { annotations: {}, env: [] } })];
    restarts.failed(unmarked, undefined);
    expect(restarts.takeUnrecorded(workload)).toEqual([]);
    const record = { ...workload.record, generation: workload.record.generation + 1, resourceVersion: 'after' };
    expect(restarts.takeUnrecorded({ ...workload, record })).toEqual([restart]);
    expect(restarts.takeUnrecorded({ ...workload, record })).toEqual([]);
    expect(restarts.takeRecorded(seen(unmarked))).toEqual([unmarked]);
  });
});

describe('a restart that an object records', () => {
  const { lastRestart } = ownAnnotations;

  function stored({ annotations }: Restart, more: Readonly<Record<string, string>> = {}): KubeObject {
    return {
      metadata: { name: 'web', uid: 'uid-web', resourceVersion: '11', annotations: { ...annotations, ...more } },
      spec: { template: { metadata: {}, spec: { containers: [] } } },
    };
  }

  it('is lost where its marker is not in the template', () => {
    const restart = restartOf();
    expect(
      lostRestart([restartOf({}, { annotations: { [lastRestart]: 'another' } }), restart], stored(restart)),
    ).toEqual({
      restart,
      missing: expect.any(String),
    });
  });

  it('is none of these, where somebody may have removed the marker since', () => {
    const restart = restartOf();
    const object = stored(restart);
    const { generation } = restart.workload.record;
    const at = (more: number) => ({ ...object, metadata: { ...object.metadata, generation: generation + more } });
    expect(lostRestart([restart], at(1))?.restart).toBe(restart);
    expect(lostRestart([restart], at(2))).toBeUndefined();
  });

  it.each([
    ['is lost where only the record is left of our write', 'reroll', true],
    ['is none of these where admission put the record into a write of somebody else', 'kubectl-edit', false],
  ])('%s', (_what, manager, isLost) => {
    const restart = restartOf();
    const object = stored(restart);
    const annotations = { [ownAnnotations.baseline]: restart.annotations[ownAnnotations.baseline] ?? '' };
    const fieldsV1 = { 'f:metadata': { 'f:annotations': { [`f:${ownAnnotations.baseline}`]: {} } } };
    const managedFields = [{ manager, operation: 'Update', fieldsV1 }];
    const left = { ...object, metadata: { ...object.metadata, annotations, managedFields } };
    expect(lostRestart([restart], left)?.restart).toBe(isLost ? restart : undefined);
  });

  it('is none of these, where the object tells of another one', () => {
    const restart = restartOf();
    expect(lostRestart([restart], stored(restart, { [lastRestart]: 'put in by admission' }))).toBeUndefined();
  });
});
