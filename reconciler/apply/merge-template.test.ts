import { describe, expect, it } from '@jest/globals';
import { bodyOf } from '../../shared/kube/client/client.fixture';
import { ConflictError } from '../../shared/kube/errors';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { workloadObject, type WorkloadOptions } from '../../shared/domain/plan/records.fixture';
import { didOfMerge, mergeTemplate } from './merge-template';
import { StaleWorkloadError } from './read-again';
import { NotLeadingError } from './restart';
import { applyWorld, restarted, restartOf } from './restart.fixture';
import { restartRollout } from './restart-rollout';

const rollout = { kind: 'Rollout' } as const;
const path = '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/web';
const inPlace = {
  ...rollout,
  annotations: { 'reloader.stakater.com/auto': 'true', 'reloader.stakater.com/rollout-strategy': 'restart' },
};

/** A server that holds the workload at version 11, while the plan was made for version 10. */
function serving(
  options: WorkloadOptions,
  patched: Reply = { body: restarted({ ...options, resourceVersion: '12' }, restartOf(options)) },
) {
  return applyWorld(({ method }) =>
    method === 'GET' ? { body: workloadObject({ ...options, resourceVersion: '11' }) } : patched,
  );
}

describe('mergeTemplate', () => {
  it('sends the complete containers, for exactly the version that it read', async () => {
    const { context, transport } = serving(rollout);
    const restart = restartOf(rollout);
    expect(await mergeTemplate(context, restart)).toEqual({
      kind: 'written',
      did: 'restarted',
      stored: expect.objectContaining({ resourceVersion: '12' }),
    });
    const [read, patch] = transport.requests;
    expect(read).toMatchObject({ method: 'GET', path });
    expect(patch).toMatchObject({ method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } });
    expect(bodyOf(patch)).toEqual({
      metadata: { uid: 'uid-web', resourceVersion: '11', annotations: restart.annotations },
      spec: {
        template: {
          spec: {
            containers: [
              {
                name: 'main',
                env: restart.marker.env.map(({ name, value }) => ({ name, value })),
                envFrom: expect.anything(),
              },
            ],
          },
        },
      },
    });
  });

  it('leaves the containers alone if the marker is an annotation', async () => {
    const restart = restartOf(rollout, { marker: { annotations: { a: 'b' }, env: [] } });
    const { context, transport } = serving(rollout, { body: restarted(rollout, restart) });
    await mergeTemplate(context, restart);
    expect(bodyOf(transport.requests[1])).toMatchObject({
      spec: { template: { metadata: { annotations: { a: 'b' } } } },
    });
    expect(bodyOf(transport.requests[1])).not.toHaveProperty('spec.template.spec');
  });
});

const byHand = 'changed, to be rolled out by hand: it has no ConfigChange trigger';

it.each<[string, unknown, string]>([
  ['no field of triggers', undefined, 'restarted'],
  ['an empty field', null, 'restarted'],
  ['a trigger for changes', [{ type: 'ImageChange' }, { type: 'ConfigChange' }], 'restarted'],
  ['other triggers', [{ type: 'ImageChange' }], byHand],
  ['an empty list', [], byHand],
])('a DeploymentConfig with %s says what its new template did', (_what, triggers, did) => {
  expect(didOfMerge({ ...workloadObject({ kind: 'DeploymentConfig' }), spec: { triggers } })).toBe(did);
});

describe.each([
  ['mergeTemplate', mergeTemplate, rollout],
  ['restartRollout in place', restartRollout, inPlace],
] as const)('%s', (_, apply, options) => {
  it('writes nothing without the lease', async () => {
    const world = serving(options);
    world.leading = false;
    await expect(apply(world.context, restartOf(options))).rejects.toThrow(NotLeadingError);
    expect(world.transport.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it('writes nothing if the workload uses something else by now', async () => {
    const world = serving({ ...options, uses: ['cm/other'] });
    await expect(apply(world.context, restartOf(options))).rejects.toThrow(StaleWorkloadError);
    expect(world.transport.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it('is not a restart if others remove its marker', async () => {
    const { context } = serving(options, { body: workloadObject({ ...options, resourceVersion: '12' }) });
    await expect(apply(context, restartOf(options))).rejects.toMatchObject({
      code: 'MARKER_LOST',
      resourceVersion: '12',
    });
  });

  it('leaves a conflict to the caller', async () => {
    const { context } = serving(options, refusal(409, 'Conflict'));
    await expect(apply(context, restartOf(options))).rejects.toThrow(ConflictError);
  });
});
