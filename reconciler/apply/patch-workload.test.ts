import { describe, expect, it } from '@jest/globals';
import { bodyOf } from '../../shared/kube/client/client.fixture';
import { formatBaseline } from '../../shared/domain/baseline/baseline';
import { ConflictError } from '../../shared/kube/errors';
import { refusal } from '../../shared/kube/transport/fake-transport';
import { annotateWorkload, MarkerLostError, patchWorkload } from './patch-workload';
import { workloadObject } from '../../shared/domain/plan/records.fixture';
import { NotLeadingError } from './restart';
import { applyWorld, baselineOf, restarted, restartOf } from './restart.fixture';

const stored = { body: restarted({ resourceVersion: '11' }, restartOf()) };

describe('patchWorkload', () => {
  it('writes template, baseline and last restart in one PATCH of just this version', async () => {
    const { context, transport } = applyWorld(() => stored);
    const restart = restartOf();
    expect(await patchWorkload(context, restart)).toEqual({
      kind: 'written',
      did: 'restarted',
      stored: expect.objectContaining({ resourceVersion: '11' }),
    });
    expect(transport.requests).toHaveLength(1);
    const [request] = transport.requests;
    expect(request).toMatchObject({
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/shop/deployments/web?fieldManager=reroll',
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    });
    const { name, value } = restart.marker.env[0]!;
    expect(bodyOf(request)).toEqual({
      metadata: { uid: 'uid-web', resourceVersion: '10', annotations: restart.annotations },
      spec: { template: { spec: { containers: [{ name: 'main', env: [{ name, value, valueFrom: null }] }] } } },
    });
  });

  it('tells that the restart was stored without its baseline, and keeps its version', async () => {
    const { context } = applyWorld(() => stored, { strips: true });
    const lost: string[] = [];
    const applied = await patchWorkload({ ...context, onBaselineLost: ({ key }) => lost.push(key) }, restartOf());
    expect(applied).toMatchObject({ kind: 'written', stored: { resourceVersion: '11', lacksBaseline: true } });
    expect(lost).toEqual([restartOf().workload.key]);
  });

  it('writes nothing without the lease', async () => {
    const world = applyWorld(() => stored);
    world.leading = false;
    await expect(patchWorkload(world.context, restartOf())).rejects.toThrow(NotLeadingError);
    expect(world.transport.requests).toEqual([]);
  });

  it('leaves a conflict to the caller', async () => {
    const { context } = applyWorld(() => refusal(409, 'Conflict'));
    await expect(patchWorkload(context, restartOf())).rejects.toThrow(ConflictError);
  });

  it('reads the whole answer, and names the missing part of the marker and the version', async () => {
    const { context, transport } = applyWorld(() => ({ body: workloadObject({ resourceVersion: '11' }) }));
    const writing = patchWorkload(context, restartOf());
    await expect(writing).rejects.toThrow('without variable STAKATER_APP_CONFIGMAP of its container main');
    await expect(writing).rejects.toMatchObject({ code: 'MARKER_LOST', resourceVersion: '11' });
    expect(transport.requests[0]?.headers['accept']).toBe('application/json');
  });

  const former = formatBaseline(baselineOf(1));
  it.each([
    { what: 'the former record is still there', kept: { baseline: former }, version: undefined },
    { what: 'no record is there any more', kept: {}, version: '11' },
    {
      what: 'the restart is still told',
      kept: { baseline: former, annotations: { 'reroll.dev/last-restart': '{"id":"c0ffee00"}' } },
      version: '11',
    },
  ])('names the version without the marker, unless the former record is still in it: $what', async (row) => {
    const answer = { body: workloadObject({ resourceVersion: '11', ...row.kept }) };
    const { context } = applyWorld(() => answer, { strips: true });
    const writing = patchWorkload(context, restartOf({ baseline: former }));
    await expect(writing).rejects.toMatchObject({ code: 'MARKER_LOST', resourceVersion: row.version });
  });

  it('sends a dry run first if required, and writes if the answer has the marker', async () => {
    const { context, transport } = applyWorld(() => stored);
    await patchWorkload(context, restartOf({}, { asksFirst: true }));
    const [asked, written] = transport.requests;
    expect([asked, written].map((request) => request!.path.split('?')[1])).toEqual([
      'fieldManager=reroll&dryRun=All',
      'fieldManager=reroll',
    ]);
    expect(bodyOf(asked)).toEqual(bodyOf(written));
  });

  it('sends a dry run first, and writes nothing if the answer lacks the marker', async () => {
    const { context, transport } = applyWorld(() => ({ body: workloadObject({ resourceVersion: '11' }) }));
    const writing = patchWorkload(context, restartOf({}, { asksFirst: true }));
    await expect(writing).rejects.toThrow(MarkerLostError);
    await expect(writing).rejects.toMatchObject({ resourceVersion: undefined });
    expect(transport.requests).toHaveLength(1);
  });
});

describe('annotateWorkload', () => {
  it('leaves the pods alone', async () => {
    const { context, transport } = applyWorld(() => stored);
    expect(await annotateWorkload(context, restartOf().workload, { a: '1' })).toMatchObject({ resourceVersion: '11' });
    expect(bodyOf(transport.requests[0])).toEqual({
      metadata: { uid: 'uid-web', resourceVersion: '10', annotations: { a: '1' } },
    });
  });
});
