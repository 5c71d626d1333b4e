import { describe, expect, it } from '@jest/globals';
import { ContentDigester } from '../../../shared/domain/content-digest';
import type { SourceRecord } from '../../../shared/domain/source';
import { areInOrder } from '../../../shared/domain/resource-version';
import { openEnvelope } from '../../../shared/kube/protobuf-envelope';
import { protobufBytes, protobufFields } from '../../../shared/kube/protobuf';
import { sourceDecoder } from '../../../shared/kube/source-decoder';
import { configMap, secret } from '../cluster';
import { arrayAt, stringAt, type JsonObject } from '../json';
import type { ContractContext } from './contract';

const protobuf = 'application/vnd.kubernetes.protobuf';
const digester = new ContentDigester(Buffer.alloc(32, 7));
const annotationKeys = { ignore: 'contract.test/ignore', match: 'contract.test/match' };

const sources = [
  ['ConfigMap', 'configmaps'],
  ['Secret', 'secrets'],
] as const;

const versionOf = (list: JsonObject): string => stringAt(list, 'metadata', 'resourceVersion') ?? '';

/** The same objects in protobuf as in JSON: what the product hashes must not depend on the encoding. */
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

  const facts = ({ content, ...record }: SourceRecord): object => ({ ...record, digest: content.whole() });

  describe.each(sources)('protobuf of a %s', (kind, plural) => {
    const decoder = sourceDecoder(kind, digester, annotationKeys);
    const fromBytes = (bytes: Buffer): object => {
      if (decoder.fromProtobuf === undefined) throw new Error('the decoder does not read protobuf');
      return facts(decoder.fromProtobuf(bytes).object);
    };

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
      // Others write to the cluster meanwhile.
      const version = protobufBytes(metadata, 2)?.toString() ?? '';
      expect(areInOrder([versionOf(json.body), version, versionOf(later.body)])).toBe(true);
    });

    it('pages as JSON does', async () => {
      const { client } = context();
      const url = await create(kind, plural);
      const first = openEnvelope((await client.get(`${url}&limit=1`, { accept: protobuf })).bytes);
      const token = protobufBytes(protobufBytes(first, 1) ?? Buffer.alloc(0), 3)?.toString() ?? '';
      const rest = await client.get(`${url}&continue=${encodeURIComponent(token)}`);
      expect(arrayAt(rest.body, 'items').map((item) => stringAt(item, 'metadata', 'name'))).toEqual(['b']);
    });

    it('watches the same as JSON', async () => {
      const { client } = context();
      const url = await create(kind, plural);
      const query = '&watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const watch = await client.watch(`${url}${query}`, `${protobuf};stream=watch,application/json`);
      expect(watch.contentType).toBe(`${protobuf};stream=watch`);
      const json = await client.get(url);
      const seen: object[] = [];
      for (;;) {
        const frame = (await watch.nextFrame()) ?? Buffer.alloc(0);
        const type = protobufBytes(frame, 1)?.toString();
        const object = openEnvelope(protobufBytes(protobufBytes(frame, 2) ?? Buffer.alloc(0), 1) ?? Buffer.alloc(0));
        if (type === 'ADDED') seen.push(fromBytes(object));
        else {
          expect(type).toBe('BOOKMARK');
          break;
        }
      }
      expect(seen).toEqual(arrayAt(json.body, 'items').map((item) => facts(decoder.fromJson(item).object)));
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

    it('answers errors as a Status in protobuf', async () => {
      const { client, path } = context();
      const answer = await client.get(path('v1', plural, 'missing'), { accept: `${protobuf},application/json` });
      expect(answer.status).toBe(404);
      expect(answer.contentType).toBe(protobuf);
      expect(protobufBytes(openEnvelope(answer.bytes), 3)?.toString()).toBe(`${plural} "missing" not found`);
    });
  });
}

function allBytes(message: Buffer, wanted: number): readonly Buffer[] {
  const fields = Array.from(protobufFields(message), ({ number, bytes }) => ({ number, bytes }));
  return fields.filter(({ number }) => number === wanted).map(({ bytes }) => bytes);
}
