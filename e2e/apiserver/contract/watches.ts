import { describe, expect, it } from '@jest/globals';
import { openEnvelope } from '../../../shared/kube/wire/protobuf-envelope';
import { protobufBytes, protobufFields } from '../../../shared/kube/wire/protobuf';
import { configMap } from '../cluster';
import { objectAt, stringAt, type JsonObject } from '../json';
import type { ContractContext } from './contract';
import type { WatchEvent } from './contract-client';

const selected = 'labelSelector=suite%3Dwatches';
const endMark = 'k8s.io/initial-events-end';

function told(events: readonly WatchEvent[]): readonly string[] {
  return events.map(({ type, object }) => `${type} ${stringAt(object, 'metadata', 'name') ?? ''}`.trim());
}

function versionOf(object: JsonObject): number {
  return Number(stringAt(object, 'metadata', 'resourceVersion'));
}

/** Watches, bookmarks and expired history. */
export function watchContract(context: () => ContractContext): void {
  const labelled = (name: string, data: Record<string, string> = {}): object =>
    configMap({ name, namespace: context().namespace, labels: { suite: 'watches' }, data });

  describe('watches', () => {
    it('tells exactly what happened after the list', async () => {
      const { client, path } = context();
      const url = path('v1', 'configmaps');
      await client.post(url, labelled('before'));
      const list = await client.get(`${url}?${selected}`);
      await client.post(url, labelled('a', { x: '1' }));
      await client.put(path('v1', 'configmaps', 'a'), labelled('a', { x: '2' }));
      await client.delete(path('v1', 'configmaps', 'a'));
      const resourceVersion = stringAt(list.body, 'metadata', 'resourceVersion') ?? '';
      const watch = await client.watch(`${url}?watch=true&${selected}&resourceVersion=${resourceVersion}`);
      expect(watch.status).toBe(200);
      expect(watch.contentType).toMatch(/^application\/json/);
      const events = await watch.until(({ type }) => type === 'DELETED');
      expect(told(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
      expect(events.map(({ object }) => objectAt(object, 'data')['x'])).toEqual(['1', '2', '2']);
      expect(events[0]?.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
    });

    it('gives a deleted object the resourceVersion of its deletion', async () => {
      const { client, path } = context();
      const created = await client.post(path('v1', 'configmaps'), labelled('a'));
      const before = stringAt(created.body, 'metadata', 'resourceVersion') ?? '';
      const watch = await client.watch(`${path('v1', 'configmaps')}?watch=1&${selected}&resourceVersion=${before}`);
      await client.delete(path('v1', 'configmaps', 'a'));
      const event = await watch.next();
      expect(Number(stringAt(event?.object, 'metadata', 'resourceVersion'))).toBeGreaterThan(Number(before));
    });

    it('goes on with what happens while it is open', async () => {
      const { client, path } = context();
      const { body } = await client.get(`${path('v1', 'configmaps')}?${selected}`);
      const resourceVersion = stringAt(body, 'metadata', 'resourceVersion') ?? '';
      const watch = await client.watch(
        `${path('v1', 'configmaps')}?watch=true&${selected}&resourceVersion=${resourceVersion}`,
      );
      for (const name of ['a', 'b', 'c']) {
        await client.post(path('v1', 'configmaps'), labelled(name));
        expect(told([(await watch.next()) as WatchEvent])).toEqual([`ADDED ${name}`]);
      }
    });

    it('begins with the present state when it is given no resourceVersion', async () => {
      const { client, path } = context();
      await client.post(path('v1', 'configmaps'), labelled('a'));
      await client.post(path('v1', 'configmaps'), labelled('b'));
      const watch = await client.watch(`${path('v1', 'configmaps')}?watch=true&${selected}`);
      const initial = [(await watch.next()) as WatchEvent, (await watch.next()) as WatchEvent];
      expect([...told(initial)].sort()).toEqual(['ADDED a', 'ADDED b']);
      await client.delete(path('v1', 'configmaps', 'a'));
      expect(told([(await watch.next()) as WatchEvent])).toEqual(['DELETED a']);
    });

    it('calls an object that stops to match deleted, and one that starts to match added', async () => {
      const { client, path } = context();
      const created = await client.post(path('v1', 'configmaps'), labelled('a', { x: '1' }));
      const resourceVersion = stringAt(created.body, 'metadata', 'resourceVersion') ?? '';
      const watch = await client.watch(
        `${path('v1', 'configmaps')}?watch=true&${selected}&resourceVersion=${resourceVersion}`,
      );
      const url = path('v1', 'configmaps', 'a');
      const relabel = async (suite: string, x: string): Promise<unknown> =>
        await client.patch(url, 'application/merge-patch+json', { metadata: { labels: { suite } }, data: { x } });
      await relabel('other', '2');
      const gone = await watch.next();
      expect(gone?.type).toBe('DELETED');
      expect(objectAt(gone?.object, 'data')).toEqual({ x: '1' });
      await relabel('watches', '3');
      expect((await watch.next())?.type).toBe('ADDED');
    });

    it('ends after timeoutSeconds', async () => {
      const { client, server, path } = context();
      const watch = await client.watch(`${path('v1', 'configmaps')}?watch=true&${selected}&timeoutSeconds=1`);
      await server.elapse(1_500);
      expect(await watch.next()).toBeUndefined();
    });

    it('sends a bookmark before it ends, if it may', async () => {
      const { client, server, path } = context();
      const { body } = await client.get(`${path('v1', 'configmaps')}?${selected}`);
      const listed = Number(stringAt(body, 'metadata', 'resourceVersion'));
      const url = `${path('v1', 'configmaps')}?watch=true&${selected}&resourceVersion=${listed}&timeoutSeconds=4`;
      const marked = await client.watch(`${url}&allowWatchBookmarks=true`);
      const unmarked = await client.watch(url);
      await client.post(path('v1', 'configmaps'), configMap({ name: 'unseen', namespace: context().namespace }));
      await server.elapse(4_500);
      const bookmark = await marked.next();
      expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1' } });
      expect(Number(stringAt(bookmark?.object, 'metadata', 'resourceVersion'))).toBeGreaterThan(listed);
      expect(await unmarked.next()).toBeUndefined();
    });

    it('is deaf up to a resourceVersion that was not reached yet, as a watch is that goes on after a restore of etcd', async () => {
      const { client, server, path } = context();
      const url = path('v1', 'configmaps');
      const { body } = await client.post(url, labelled('a'));
      const reached = versionOf(body);
      const from = (version: number): string => `${url}?watch=true&${selected}&resourceVersion=${version}`;
      const soon = await client.watch(from(reached + 3));
      const never = await client.watch(`${from(reached + 1_000_000)}&timeoutSeconds=4&allowWatchBookmarks=true`);
      expect([soon.status, never.status]).toEqual([200, 200]);
      let last = reached;
      let name = '';
      for (let each = 0; last <= reached + 3; each++) {
        name = `b-${each}`;
        last = versionOf((await client.post(url, labelled(name))).body);
      }
      expect(told([(await soon.next()) as WatchEvent])).toEqual([`ADDED ${name}`]);
      await server.elapse(4_500);
      expect(await never.next()).toBeUndefined();
    });

    it('sends the initial events and marks their end', async () => {
      const { client, path } = context();
      await client.post(path('v1', 'configmaps'), labelled('a'));
      await client.post(path('v1', 'configmaps'), labelled('b'));
      const query = `watch=true&${selected}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
      const watch = await client.watch(`${path('v1', 'configmaps')}?${query}`);
      const events = await watch.until(({ type }) => type === 'BOOKMARK');
      expect([...told(events)].sort()).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK']);
      const mark = events.at(-1)?.object;
      expect(objectAt(mark, 'metadata', 'annotations')).toEqual({ [endMark]: 'true' });
      await client.delete(path('v1', 'configmaps', 'a'));
      expect((await watch.next())?.type).toBe('DELETED');
      const resumed = await client.watch(
        `${path('v1', 'configmaps')}?watch=true&${selected}&resourceVersion=${stringAt(mark, 'metadata', 'resourceVersion') ?? ''}`,
      );
      expect(told([(await resumed.next()) as WatchEvent])).toEqual(['DELETED a']);
    });

    it.each([
      ['sendInitialEvents=true', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
      [
        'resourceVersionMatch=NotOlderThan',
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ],
    ])('refuses %s alone', async (query, because) => {
      const { client, path } = context();
      const { body } = await client.get(`${path('v1', 'configmaps')}?watch=true&${query}`);
      expect(body).toMatchObject({ code: 422, reason: 'Invalid' });
      expect(stringAt(body, 'message')).toContain(because);
    });

    it('says 410 in the stream when the history is gone, in both encodings', async () => {
      const { client, server, path } = context();
      const created = await client.post(path('v1', 'configmaps'), labelled('a'));
      const old = stringAt(created.body, 'metadata', 'resourceVersion') ?? '';
      await client.post(path('v1', 'configmaps'), labelled('b'));
      await client.delete(path('v1', 'configmaps', 'b'));
      await server.forgetHistory();
      const url = `${path('v1', 'configmaps')}?watch=true&resourceVersion=${old}`;

      const encoded = await client.watch(url, 'application/vnd.kubernetes.protobuf;stream=watch');
      expect(encoded.status).toBe(200);
      const frame = (await encoded.nextFrame()) ?? Buffer.alloc(0);
      expect(protobufBytes(frame, 1)?.toString()).toBe('ERROR');
      const status = openEnvelope(protobufBytes(protobufBytes(frame, 2) ?? Buffer.alloc(0), 1) ?? Buffer.alloc(0));
      expect(protobufBytes(status, 4)?.toString()).toBe('Expired');
      const numbers = Array.from(protobufFields(status), ({ number, varint }) => [number, varint]);
      expect(numbers.find(([number]) => number === 6)).toEqual([6, 410]);

      const watch = await client.watch(url);
      expect(watch.status).toBe(200);
      const event = await watch.next();
      expect(event).toMatchObject({
        type: 'ERROR',
        object: { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 },
      });
      expect(stringAt(event?.object, 'message')).toMatch(new RegExp(`^too old resource version: ${old} \\(\\d+\\)$`));
      expect(await watch.next()).toBeUndefined();
    });

    it('watches metadata alone', async () => {
      const { client, path } = context();
      await client.post(path('v1', 'configmaps'), labelled('a', { x: '1' }));
      const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
      const watch = await client.watch(`${path('v1', 'configmaps')}?watch=true&${selected}`, accept);
      const event = await watch.next();
      expect(event?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
      expect(event?.object['data']).toBeUndefined();
    });
  });
}
