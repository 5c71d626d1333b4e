import { describe, expect, it } from '@jest/globals';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import type { UntrackedReason } from '../../shared/domain/protocol/workload-inspection';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { ReferencedDeploymentReader } from './referenced-deployment-reader';
import { trackedWorkload, workloadObject, workloadRecord } from '../../shared/domain/plan/records.fixture';

function reader(
  reply: Reply | (() => Reply),
  known?: WorkloadRecord,
  because?: UntrackedReason,
  shown?: WorkloadRecord,
) {
  const taken: string[] = [];
  const first: string[] = [];
  const sink: ReflectorSink<WorkloadRecord> = {
    upsert: (record, origin) => taken.push(`${origin} ${record.resourceVersion}`),
    remove: () => undefined,
    keys: () => [],
    synced: () => undefined,
  };
  const { client, logger } = clientWorld(typeof reply === 'function' ? reply : () => reply);
  const get = () => known && trackedWorkload(known);
  const read = () => workloadRecord({ resourceVersion: '10' });
  const refs = { sink: () => sink, read, referenced: () => shown };
  const readFirst = ({ resourceVersion }: WorkloadRecord) => void first.push(resourceVersion);
  const workloads = { get, readFirst, untrackedBecause: () => because };
  return { taken, first, logger, reader: new ReferencedDeploymentReader({ client, logger, refs, workloads }) };
}

describe('ReferencedDeploymentReader', () => {
  it.each<[string, WorkloadRecord | undefined, readonly string[]]>([
    ['nothing was known', undefined, ['list 10']],
    ['the same version was known', workloadRecord({ resourceVersion: '10' }), ['list 10']],
    ['an older version was known', workloadRecord({ resourceVersion: '9' }), ['list 10']],
    ['the watch was faster', workloadRecord({ resourceVersion: '11' }), []],
    ['an earlier object had its name', workloadRecord({ uid: 'other', resourceVersion: '9' }), ['list 10']],
    ['another object has its name by now', workloadRecord({ uid: 'other', resourceVersion: '11' }), []],
  ])('takes what it read, or not: %s', async (_, known, taken) => {
    const world = reader({ body: workloadObject({ resourceVersion: '10' }) }, known);
    expect(await world.reader.process('shop/web')).toEqual({ kind: 'done' });
    expect(world.taken).toEqual(taken);
  });

  it.each([
    ['9', ['list 10']],
    ['11', []],
  ])('takes nothing older than version %s of a Deployment that is not restarted itself', async (version, taken) => {
    const shown = workloadRecord({ resourceVersion: version });
    const reply = { body: workloadObject({ resourceVersion: '10' }) };
    const { reader: read, ...world } = reader(reply, undefined, 'not-opted-in', shown);
    await read.process('shop/web');
    expect(world.taken).toEqual(taken);
  });

  it.each<[string, WorkloadRecord | undefined, UntrackedReason | undefined, readonly string[]]>([
    ['is', undefined, undefined, ['10']],
    ['is not', workloadRecord({ resourceVersion: '9' }), undefined, []],
    ['asked for nothing before and is not', undefined, 'not-opted-in', []],
  ])('says that what it read %s seen for the first time', async (_, known, because, expected) => {
    const { reader: first, ...world } = reader({ body: workloadObject({ resourceVersion: '10' }) }, known, because);
    await first.process('shop/web');
    expect(world.first).toEqual(expected);
  });

  it.each<[string, Reply, readonly string[]]>([
    ['is gone', refusal(404, 'NotFound'), []],
    ['was created anew', { body: workloadObject({ resourceVersion: '10' }) }, ['list 10']],
  ])('reads again if the Deployment was removed before the answer arrived, and it %s', async (_, again, taken) => {
    const replies: Reply[] = [{ body: workloadObject({ resourceVersion: '10' }) }, again];
    const world = reader(() => {
      if (replies.length === 2) world.reader.removed('shop/web');
      return replies.shift() ?? {};
    });
    expect(await world.reader.process('shop/web')).toEqual({ kind: 'done' });
    expect([world.taken, replies]).toEqual([taken, []]);
  });

  it('has nothing to do if there is no such Deployment', async () => {
    const world = reader(refusal(404, 'NotFound'));
    expect(await world.reader.process('shop/web')).toEqual({ kind: 'done' });
    expect(world.logger.lines).toEqual([]);
  });

  it.each([
    [refusal(403, 'Forbidden'), {}],
    [refusal(429, 'TooManyRequests', 'slow', { 'retry-after': '7' }), { afterMs: 7_000 }],
  ])('fails, logs it, and waits as long as the server asks', async (reply, after) => {
    const world = reader(reply);
    expect(await world.reader.process('shop/web')).toEqual({ kind: 'failed', ...after });
    expect(world.logger.lines).toHaveLength(1);
  });
});
