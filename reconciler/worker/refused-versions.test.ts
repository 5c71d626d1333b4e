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

const ten = at('10');

/** A write to version 10 was refused, this is known since, and this is what a read by name finds. */
function refusedAtTen(known: TrackedWorkload | undefined, resourceVersion = '11') {
  const taken: string[] = [];
  const restored: string[] = [];
  const { client, transport } = clientWorld(() => ({ body: workloadObject({ resourceVersion }) }));
  const versions = new RefusedVersions({
    workloads: { get: () => known },
    context: { client, read: () => workloadRecord({ resourceVersion }) },
    refresh: (record) => taken.push(record.resourceVersion),
    onRestored: (version) => restored.push(version),
  });
  versions.note(ten);
  return { versions, taken, restored, transport };
}

describe('a workload that a write was refused for', () => {
  it.each([
    ['the watch shows nothing meanwhile', ten, ['11']],
    ['the watch shows the same', at('11'), ['11']],
    ['the watch shows what followed, and shows it once', at('12'), []],
    ['it is gone from the index', undefined, []],
  ])('is taken as it was read, or not: %s', async (_, known, taken) => {
    const world = refusedAtTen(known);
    await world.versions.catchUp(ten);
    expect([world.taken, world.restored]).toEqual([taken, []]);
  });

  it('is taken at an older version, which shows that etcd was restored', async () => {
    const world = refusedAtTen(ten, '4');
    await world.versions.catchUp(ten);
    expect([world.taken, world.restored]).toEqual([['4'], ['4']]);
  });

  it('is not read if the watch has shown a newer version before, nor at the second look', async () => {
    const { versions, transport } = refusedAtTen(at('11'));
    await versions.catchUp(at('11'));
    await versions.catchUp(ten);
    expect(transport.requests).toEqual([]);
  });
});
