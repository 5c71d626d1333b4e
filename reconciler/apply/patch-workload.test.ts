import { describe, expect, it } from '@jest/globals';
import { bodyOf } from '../../shared/kube/client.fixture';
import { ConflictError } from '../../shared/kube/errors';
import { refusal } from '../../shared/kube/fake-transport';
import { workloadObject } from '../records.fixture';
import { annotateWorkload, patchWorkload } from './patch-workload';
import { NotLeadingError } from './restart';
import { applyWorld, restartOf } from './restart.fixture';

const stored = { body: workloadObject({ resourceVersion: '11' }) };

describe('patchWorkload', () => {
  it('writes template, baseline and last restart in one PATCH of just this version', async () => {
    const { context, transport } = applyWorld(() => stored);
    const restart = restartOf();
    expect(await patchWorkload(context, restart)).toEqual({ kind: 'written', did: 'restarted', resourceVersion: '11' });
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

  it('writes nothing without the lease', async () => {
    const world = applyWorld(() => stored);
    world.leading = false;
    await expect(patchWorkload(world.context, restartOf())).rejects.toThrow(NotLeadingError);
    expect(world.transport.requests).toEqual([]);
  });

  it('leaves a conflict to who planned', async () => {
    const { context } = applyWorld(() => refusal(409, 'Conflict'));
    await expect(patchWorkload(context, restartOf())).rejects.toThrow(ConflictError);
  });
});

describe('annotateWorkload', () => {
  it('leaves the pods alone', async () => {
    const { context, transport } = applyWorld(() => stored);
    expect(await annotateWorkload(context, restartOf().workload, { a: '1' })).toBe('11');
    expect(bodyOf(transport.requests[0])).toEqual({
      metadata: { uid: 'uid-web', resourceVersion: '10', annotations: { a: '1' } },
    });
  });
});
