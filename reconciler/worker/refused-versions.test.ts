import { describe, expect, it } from '@jest/globals';
import { trackedWorkload, workloadObject, workloadRecord } from '../../shared/domain/plan/records.fixture';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { RefusedVersions } from './refused-versions';

const key = 'Deployment/shop/web';

/** A workload at this version. */
function at(resourceVersion: string): TrackedWorkload {
  return trackedWorkload(workloadRecord({ resourceVersion }), { key });
}

/** A write to version 10 was refused, and version 11 is what a read by name finds. */
function refusedAtTen(shown: string | undefined) {
  const taken: string[] = [];
  const { client, transport } = clientWorld(() => ({ body: workloadObject({ resourceVersion: '11' }) }));
  const versions = new RefusedVersions({
    workloads: { get: () => (shown === undefined ? undefined : at(shown)) },
    context: { client, read: () => workloadRecord({ resourceVersion: '11' }) },
    refresh: ({ resourceVersion }) => taken.push(resourceVersion),
  });
  versions.note(at('10'));
  return { versions, taken, transport };
}

describe('a workload that a write was refused for', () => {
  it.each([
    ['the watch shows nothing meanwhile', '10', ['11']],
    ['the watch shows the same', '11', ['11']],
    ['the watch shows what followed, and shows it once', '12', []],
    ['it is gone from the index', undefined, []],
  ])('is taken as it was read, or not: %s', async (_, shown, taken) => {
    const world = refusedAtTen(shown);
    await world.versions.catchUp(at('10'));
    expect(world.taken).toEqual(taken);
  });

  it('is not read if the watch has shown a newer version before, nor at the second look', async () => {
    const { versions, transport } = refusedAtTen('11');
    await versions.catchUp(at('11'));
    await versions.catchUp(at('10'));
    expect(transport.requests).toEqual([]);
  });
});
