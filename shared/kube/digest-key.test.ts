import { describe, expect, it } from '@jest/globals';
import { systemRandom } from '../runtime/random';
import { bodyOf, clientWorld, zeroRandom } from './client.fixture';
import { loadDigestKey } from './digest-key';
import { ForbiddenError } from './errors';
import { refusal, type Reply } from './fake-transport';

const stored = Buffer.alloc(32, 7);

function secretOf(data: unknown): Reply {
  return { body: { metadata: { name: 'reroll-digest-key', uid: 'u', resourceVersion: '1' }, data } };
}

const there = secretOf({ key: stored.toString('base64') });
const missing = refusal(404, 'NotFound');

/** A server that gives these answers one after the other. */
function scripted(...replies: readonly Reply[]) {
  return clientWorld((_request, index) => replies[index] ?? refusal(500, 'asked too often'));
}

describe('loadDigestKey', () => {
  it('reads the key that is there and writes nothing', async () => {
    const { client, transport } = scripted(there);
    expect(await loadDigestKey(client, systemRandom, 'reroll')).toEqual(stored);
    expect(transport.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/namespaces/reroll/secrets/reroll-digest-key',
    ]);
  });

  it('makes one of 32 random bytes where there is none, once', async () => {
    let made: object | undefined;
    const { client, transport } = clientWorld((request) => {
      if (request.method === 'POST') made = bodyOf(request) as object;
      return made ? { body: { ...made, metadata: { name: 'n', uid: 'u', resourceVersion: '1' } } } : missing;
    });
    const key = await loadDigestKey(client, { ...zeroRandom, bytes: (length) => Buffer.alloc(length, 5) }, 'reroll');
    expect(key).toEqual(Buffer.alloc(32, 5));
    expect(made).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'reroll-digest-key', namespace: 'reroll' },
      type: 'Opaque',
      data: { key: Buffer.alloc(32, 5).toString('base64') },
    });
    expect(await loadDigestKey(client, systemRandom, 'reroll')).toEqual(key);
    expect(transport.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('takes the key of the replica that was faster', async () => {
    const { client } = scripted(missing, refusal(409, 'AlreadyExists'), there);
    expect(await loadDigestKey(client, systemRandom, 'reroll')).toEqual(stored);
  });

  it('takes what the server stored for the key, not what was sent', async () => {
    const { client } = scripted(missing, { ...there, status: 201 });
    expect(await loadDigestKey(client, zeroRandom, 'reroll')).toEqual(stored);
  });

  it.each<[string, unknown]>([
    ['no data', undefined],
    ['no key', { other: stored.toString('base64') }],
    ['a short key', { key: Buffer.alloc(31, 7).toString('base64') }],
    ['a long key', { key: Buffer.alloc(33, 7).toString('base64') }],
    ['no string', { key: 7 }],
  ])('names the Secret and the fix, not the content, where it holds %s', async (_what, data) => {
    const { client, transport } = scripted(secretOf(data));
    const error = await loadDigestKey(client, systemRandom, 'reroll').catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'DIGEST_KEY_UNREADABLE', retry: 'backoff' });
    expect((error as Error).message).toMatch(
      /^Secret reroll\/reroll-digest-key .*"key" is not 32 bytes; delete the Secret/,
    );
    expect((error as Error).message).not.toContain('BwcH');
    // Never replaced by itself: every baseline would become unknown.
    expect(transport.requests).toHaveLength(1);
  });

  it.each([
    ['read', [refusal(403, 'Forbidden')]],
    ['create', [missing, refusal(403, 'Forbidden')]],
    ['read after the race', [missing, refusal(409, 'AlreadyExists'), refusal(403, 'Forbidden')]],
  ])('passes on that it may not %s it', async (_what, replies) => {
    const { client, transport } = scripted(...replies);
    await expect(loadDigestKey(client, systemRandom, 'reroll')).rejects.toThrow(ForbiddenError);
    expect(transport.requests).toHaveLength(replies.length);
  });
});
