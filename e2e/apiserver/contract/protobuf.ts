import { describe, expect, it } from '@jest/globals';
import { ContentDigester } from '../../../shared/domain/sources/content-digest';
import type { DigestedSource } from '../../../shared/domain/sources/source';
import { areInOrder } from '../../../shared/domain/kubernetes/resource-version';
import { acceptHeader } from '../../../shared/kube/wire/encoding';
import { metadataFromProtobuf } from '../../../shared/kube/wire/object-metadata';
import { openEnvelope } from '../../../shared/kube/wire/protobuf-envelope';
import { protobufBytes, protobufFields } from '../../../shared/kube/wire/protobuf';
import { sourceDecoder } from '../../../shared/kube/sources/source-decoder';
import { initialEventsEndAnnotation } from '../../../shared/kube/wire/watch-event';
import { configMap, secret } from '../cluster';
import { arrayAt, stringAt, type JsonObject } from '../json';
import type { ContractContext } from './contract';
import type { WatchReader } from './contract-client';

const protobuf = 'application/vnd.kubernetes.protobuf';
const digester = new ContentDigester(Buffer.alloc(32, 7));
const annotationKeys = { ignore: 'contract.test/ignore', match: 'contract.test/match' };

const sources = [
  ['ConfigMap', 'configmaps'],
  ['Secret', 'secrets'],
] as const;

const watchList = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const listMetadata = `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
const watchMetadata = `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1;stream=watch`;

const versionOf = (list: JsonObject): string => stringAt(list, 'metadata', 'resourceVersion') ?? '';

/** Objects are the same in protobuf and in JSON: what the product hashes must not depend on the encoding. */
export function protobufContract(context: () => ContractContext): void {
  async function create(kind: 'ConfigMap' | 'Secret', plural: string): Promise<string> {
    const { client, namespace, path } = context();
    const annotations = { [annotationKeys.match]: 'true' };
    const data = { unicode: 'añb☃', empty: '', 'a.conf': 'one\ntwo' };
    const binaryData = { blob: Buffer.from([0, 255, 128, 7]).toString('base64') };
    const make = kind === 'Secret' ? secret : configMap;
    const options = { namespace, labels: { suite: 'protobuf' }, annotations, data, binaryData };
    for (const name of ['a', 'b']) await client.post(path('v1', plural), make({ ...options, name }));
    return `${path('v1', plural)}?labelSelector=suite%3Dprotobuf`;
  }

  const facts = ({ content, ...record }: DigestedSource): object => ({ ...record, digest: content.whole() });

  describe.each(sources)('protobuf of a %s', (kind, plural) => {
    const decoder = sourceDecoder(kind, digester, annotationKeys);
    const fromBytes = (bytes: Buffer): object => facts(decoder.fromProtobuf(bytes).object);
    const listed = (bytes: Buffer): object | undefined => decoder.metadata.fromProtobuf?.(bytes).object;
    const listedJson = (list: JsonObject): readonly object[] =>
      arrayAt(list, 'items').map((item) => decoder.metadata.fromJson(item).object);

    it('lists the same as JSON', async () => {
      const { client } = context();
      const url = await create(kind, plural);
      const json = await client.get(url);
      const answer = await client.get(url, { accept: `${protobuf},application/json` });
      const later = await client.get(url);
      expect(answer.contentType).toBe(protobuf);
      const list = openEnvelope(answer.bytes);
      const items = allBytes(list, 2);
      expect(items.map(fromBytes)).toEqual(
        arrayAt(json.body, 'items').map((item) => facts(decoder.fromJson(item).object)),
      );
      const metadata = protobufBytes(list, 1) ?? Buffer.alloc(0);
      // Other clients may write to the cluster in between, so the versions need not be equal.
      const version = protobufBytes(metadata, 2)?.toString() ?? '';
      expect(areInOrder([versionOf(json.body), version, versionOf(later.body)])).toBe(true);
    });

    it('lists metadata alone', async () => {
      const { client } = context();
      const url = await create(kind, plural);
      const json = await client.get(url);
      const answer = await client.get(url, { accept: acceptHeader(decoder.metadata, 'list') });
      expect(answer.contentType).toBe(protobuf);
      const items = allBytes(openEnvelope(answer.bytes), 2);
      expect(items.map(listed)).toEqual(listedJson(json.body));
      expect(items.map(fieldsOf)).toEqual([[metadataField], [metadataField]]);
    });

    it.each([
      ['objects', protobuf],
      ['metadata', listMetadata],
    ])('pages %s as JSON does', async (_what, accept) => {
      const { client } = context();
      const url = await create(kind, plural);
      const first = openEnvelope((await client.get(`${url}&limit=1`, { accept })).bytes);
      const token = protobufBytes(protobufBytes(first, 1) ?? Buffer.alloc(0), 3)?.toString() ?? '';
      const rest = await client.get(`${url}&continue=${encodeURIComponent(token)}`);
      expect(arrayAt(rest.body, 'items').map((item) => stringAt(item, 'metadata', 'name'))).toEqual(['b']);
    });

    it('watches the same as JSON', async () => {
      const { client } = context();
      const url = await create(kind, plural);
      const watch = await client.watch(`${url}&${watchList}`, `${protobuf};stream=watch,application/json`);
      expect(watch.contentType).toBe(`${protobuf};stream=watch`);
      const json = await client.get(url);
      const { objects } = await initialEvents(watch);
      expect(objects.map(fromBytes)).toEqual(
        arrayAt(json.body, 'items').map((item) => facts(decoder.fromJson(item).object)),
      );
    });

    it('streams a list of metadata alone, with a version at its end to watch whole objects from', async () => {
      const { client, namespace, path } = context();
      const url = await create(kind, plural);
      const json = await client.get(url);
      const watch = await client.watch(`${url}&${watchList}`, acceptHeader(decoder.metadata, 'watch'));
      expect(watch.contentType).toBe(`${protobuf};stream=watch`);
      const { objects, bookmark } = await initialEvents(watch);
      expect(objects.map(listed)).toEqual(listedJson(json.body));
      expect([...objects, bookmark].map(fieldsOf)).toEqual([[metadataField], [metadataField], [metadataField]]);
      const { resourceVersion, annotations } = metadataFromProtobuf(bookmark, [initialEventsEndAnnotation]);
      expect(annotations.get(initialEventsEndAnnotation)).toBe('true');
      const later = { name: 'c', namespace, labels: { suite: 'protobuf' }, data: { x: '1' } };
      await client.post(path('v1', plural), kind === 'Secret' ? secret(later) : configMap(later));
      const { type, object } = await nextEvent(
        await client.watch(`${url}&watch=true&resourceVersion=${resourceVersion}`, `${protobuf};stream=watch`),
      );
      expect(type).toBe('ADDED');
      const digest = digester.digest({ kind, namespace, name: 'c' }, [['x', Buffer.from('1')]]).whole();
      expect(fromBytes(object)).toMatchObject({ name: 'c', digest });
    });

    it('tells in a stream of metadata alone what happens after the list', async () => {
      const { client, path } = context();
      const url = await create(kind, plural);
      const watch = await client.watch(`${url}&${watchList}`, watchMetadata);
      await initialEvents(watch);
      await client.delete(path('v1', plural, 'a'));
      const { type, object } = await nextEvent(watch);
      expect([type, metadataFromProtobuf(object).name, fieldsOf(object)]).toEqual(['DELETED', 'a', [metadataField]]);
    });

    it('sorts the keys of its maps', async () => {
      const { client } = context();
      const url = (await create(kind, plural)).replace('?', '/a?');
      const object = openEnvelope((await client.get(url, { accept: protobuf })).bytes);
      const entries = allBytes(object, 2);
      const keys = entries.map((entry) => protobufBytes(entry, 1)?.toString() ?? '');
      expect(keys.length).toBeGreaterThan(2);
      expect(keys).toEqual([...keys].sort());
    });

    it('answers errors in JSON where only metadata is asked for in protobuf', async () => {
      const { client, path } = context();
      const answer = await client.get(`${path('v1', plural)}?fieldSelector=x%3D1`, { accept: listMetadata });
      expect(answer.contentType).toBe('application/json');
      expect(answer.body).toMatchObject({ kind: 'Status', code: 400, reason: 'BadRequest' });
    });

    it('answers errors as a Status in protobuf', async () => {
      const { client, path } = context();
      const answer = await client.get(path('v1', plural, 'missing'), { accept: `${protobuf},application/json` });
      expect(answer.status).toBe(404);
      expect(answer.contentType).toBe(protobuf);
      expect(protobufBytes(openEnvelope(answer.bytes), 3)?.toString()).toBe(`${plural} "missing" not found`);
    });
  });
}

/** Reads a watch list up to the bookmark that ends it. Returns the objects without their envelopes. */
async function initialEvents(
  watch: WatchReader,
): Promise<{ readonly objects: readonly Buffer[]; readonly bookmark: Buffer }> {
  const objects: Buffer[] = [];
  for (;;) {
    const { type, object } = await nextEvent(watch);
    if (type !== 'ADDED') {
      expect(type).toBe('BOOKMARK');
      return { objects, bookmark: object };
    }
    objects.push(object);
  }
}

async function nextEvent(watch: WatchReader): Promise<{ readonly type: string | undefined; readonly object: Buffer }> {
  const frame = (await watch.nextFrame()) ?? Buffer.alloc(0);
  const enveloped = protobufBytes(protobufBytes(frame, 2) ?? Buffer.alloc(0), 1) ?? Buffer.alloc(0);
  return { type: protobufBytes(frame, 1)?.toString(), object: openEnvelope(enveloped) };
}

const metadataField = 1;
/** The numbers of the fields that a message has. */
function fieldsOf(message: Buffer): readonly number[] {
  return Array.from(protobufFields(message), ({ number }) => number);
}

function allBytes(message: Buffer, wanted: number): readonly Buffer[] {
  const fields = Array.from(protobufFields(message), ({ number, bytes }) => ({ number, bytes }));
  return fields.filter(({ number }) => number === wanted).map(({ bytes }) => bytes);
}
