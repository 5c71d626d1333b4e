import { describe, expect, it } from '@jest/globals';
import { ContentDigester } from '../../domain/sources/content-digest';
import { MalformedObjectError } from '../../domain/kubernetes/malformed-object-error';
import type { DigestedSource } from '../../domain/sources/source';
import { clientWorld } from '../client/client.fixture';
import { GoneError, NotFoundError } from '../errors';
import type { Reply } from '../transport/fake-transport';
import { refusal } from '../transport/fake-transport';
import type { FindOptions } from './read-objects';
import { findObject } from './read-objects';
import type { FixtureObject } from '../wire/protobuf.fixture';
import { protobufList, sourceJson, sourceMessage } from '../wire/protobuf.fixture';
import { secrets } from '../resource';
import { sourceDecoder } from '../sources/source-decoder';
import type { HttpRequest } from '../transport';

const decoder = sourceDecoder('Secret', new ContentDigester(Buffer.alloc(32, 1)), {
  ignore: 'x/ignore',
  match: 'x/match',
});

const stored: FixtureObject = {
  name: 'db',
  namespace: 'shop',
  uid: 'u1',
  resourceVersion: '7',
  createdAtSeconds: 1_700_000_000,
  writtenAtSeconds: [],
  annotations: {},
  data: { password: 'hunter2' },
  binaryData: {},
};

function listOf(...items: readonly object[]): Reply {
  return { body: { kind: 'SecretList', apiVersion: 'v1', metadata: { resourceVersion: '50' }, items } };
}

/** Looks for `shop/db`; resolves with the object and the requests. */
async function find(
  reply: Reply,
  options: Partial<FindOptions<DigestedSource>> = {},
): Promise<{ readonly found: DigestedSource | undefined; readonly requests: readonly HttpRequest[] }> {
  const { client, clock, transport } = clientWorld(() => reply);
  const place = { resource: secrets, namespace: 'shop', name: 'db', resourceVersion: undefined };
  const found = await findObject<DigestedSource>({ client, clock, decoder, ...place, ...options });
  return { found, requests: transport.requests };
}

describe('findObject', () => {
  it.each<[string, Partial<FindOptions<DigestedSource>>, string]>([
    ['now', {}, 'fieldSelector=metadata.name%3Ddb&limit=1'],
    [
      'as it was at a version',
      { resourceVersion: '41' },
      'fieldSelector=metadata.name%3Ddb&resourceVersion=41&resourceVersionMatch=Exact&limit=1',
    ],
    [
      'if it is selected',
      { labelSelector: 'app=web' },
      'fieldSelector=metadata.name%3Ddb&labelSelector=app%3Dweb&limit=1',
    ],
  ])('sends one list request for the name, with whole objects: %s', async (_when, options, query) => {
    const { requests } = await find(listOf(), options);
    expect(requests.map(({ path }) => path)).toEqual([`/api/v1/namespaces/shop/secrets?${query}`]);
    expect(requests[0]).toMatchObject({
      pool: 'request',
      headers: { accept: 'application/vnd.kubernetes.protobuf,application/json' },
    });
  });

  it.each<[string, Reply]>([
    ['JSON', listOf(sourceJson('Secret', stored))],
    [
      'protobuf',
      {
        headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
        body: protobufList([sourceMessage(stored)], { resourceVersion: '50' }),
      },
    ],
  ])('reads the object of an answer in %s', async (_encoding, reply) => {
    const { found } = await find(reply);
    expect(found).toMatchObject({ namespace: 'shop', name: 'db', uid: 'u1', resourceVersion: '7' });
    expect(found?.content.equals(decoder.fromJson(sourceJson('Secret', stored)).object.content)).toBe(true);
  });

  it('finds nothing if there is no such object', async () => {
    expect((await find(listOf())).found).toBeUndefined();
  });

  it.each([
    ['a version that is too old', refusal(410, 'Expired'), GoneError],
    ['a resource that is not served', refusal(404, 'NotFound'), NotFoundError],
    ['an object with the wrong shape', listOf(sourceJson('Secret', { ...stored, uid: '' })), MalformedObjectError],
  ])('fails for %s', async (_what, reply, error) => {
    await expect(find(reply, { resourceVersion: '41' })).rejects.toThrow(error);
  });
});
