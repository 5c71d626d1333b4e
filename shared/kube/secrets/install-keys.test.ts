import { describe, expect, it } from '@jest/globals';
import { systemRandom } from '../../runtime/random';
import { bodyOf, clientWorld, zeroRandom } from '../client/client.fixture';
import { ForbiddenError, NotFoundError } from '../errors';
import { refusal, type Reply } from '../transport/fake-transport';
import { digestKey, getInstallKey, journalKey, loadInstallKey } from './install-keys';

const stored = Buffer.alloc(32, 7);

function secretOf(data: unknown): Reply {
  return { body: { metadata: { name: 'reroll-digest-key', uid: 'u', resourceVersion: '1' }, data } };
}

function withMetadata(object: object): object {
  return { ...object, metadata: { name: 'n', uid: 'u', resourceVersion: '1' } };
}

const there = secretOf({ key: stored.toString('base64') });
const missing = refusal(404, 'NotFound');

/** A server that returns these answers one after the other. */
function scripted(...replies: readonly Reply[]) {
  return clientWorld((_request, index) => replies[index] ?? refusal(500, 'asked too often'));
}

describe('loadInstallKey', () => {
  it('reads an existing key and writes nothing', async () => {
    const { client, transport } = scripted(there);
    expect(await loadInstallKey(client, systemRandom, 'reroll', digestKey)).toEqual(stored);
    expect(transport.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/namespaces/reroll/secrets/reroll-digest-key',
    ]);
  });

  it('creates one of 32 random bytes if there is none, once', async () => {
    let made: object | undefined;
    const { client, transport } = clientWorld((request) => {
      if (request.method === 'POST') made = bodyOf(request) as object;
      return made ? { body: withMetadata(made) } : missing;
    });
    const key = await loadInstallKey(
      client,
      { ...zeroRandom, bytes: (length) => Buffer.alloc(length, 5) },
      'reroll',
      digestKey,
    );
    expect(key).toEqual(Buffer.alloc(32, 5));
    expect(made).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'reroll-digest-key', namespace: 'reroll' },
      type: 'Opaque',
      data: { key: Buffer.alloc(32, 5).toString('base64') },
    });
    expect(await loadInstallKey(client, systemRandom, 'reroll', digestKey)).toEqual(key);
    expect(transport.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('uses the key of the replica that was faster', async () => {
    const { client } = scripted(missing, refusal(409, 'AlreadyExists'), there);
    expect(await loadInstallKey(client, systemRandom, 'reroll', digestKey)).toEqual(stored);
  });

  it('uses the key that the server stored, not the one that was sent', async () => {
    const { client } = scripted(missing, { ...there, status: 201 });
    expect(await loadInstallKey(client, zeroRandom, 'reroll', digestKey)).toEqual(stored);
  });

  it.each<[string, unknown]>([
    ['no data', undefined],
    ['no key', { other: stored.toString('base64') }],
    ['a short key', { key: Buffer.alloc(31, 7).toString('base64') }],
    ['a long key', { key: Buffer.alloc(33, 7).toString('base64') }],
    ['no string', { key: 7 }],
  ])('names the Secret and the fix, not the content, if it holds %s', async (_what, data) => {
    const { client, transport } = scripted(secretOf(data));
    const error = await loadInstallKey(client, systemRandom, 'reroll', digestKey).catch(
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toMatchObject({ code: 'DIGEST_KEY_UNREADABLE' });
    expect((error as Error).message).toMatch(
      /^Secret reroll\/reroll-digest-key .*"key" is not 32 bytes; delete the Secret and the reconciler creates a new key/,
    );
    expect((error as Error).message).not.toContain('BwcH');
    // The key is never replaced automatically: every baseline would become unknown.
    expect(transport.requests).toHaveLength(1);
  });

  it.each([
    ['read', [refusal(403, 'Forbidden')]],
    ['create', [missing, refusal(403, 'Forbidden')]],
    ['read after the race', [missing, refusal(409, 'AlreadyExists'), refusal(403, 'Forbidden')]],
  ])('passes on that the key must not be %s', async (_what, replies) => {
    const { client, transport } = scripted(...replies);
    await expect(loadInstallKey(client, systemRandom, 'reroll', digestKey)).rejects.toThrow(ForbiddenError);
    expect(transport.requests).toHaveLength(replies.length);
  });
});

describe('the journal key', () => {
  it('is created in a Secret of its own', async () => {
    const { client, transport } = clientWorld((request) =>
      request.method === 'POST' ? { body: withMetadata(bodyOf(request) as object), status: 201 } : missing,
    );
    expect(await loadInstallKey(client, systemRandom, 'reroll', journalKey)).toHaveLength(32);
    expect(transport.requests.map(({ body }) => body && (JSON.parse(body.toString()) as object))).toEqual([
      undefined,
      expect.objectContaining({ metadata: { name: 'reroll-journal-key', namespace: 'reroll' } }),
    ]);
  });

  it('is named in the error if it is invalid', async () => {
    const { client } = scripted(secretOf({ key: 'eA==' }));
    const loading = loadInstallKey(client, systemRandom, 'reroll', journalKey);
    await expect(loading).rejects.toMatchObject({
      code: 'JOURNAL_KEY_UNREADABLE',
      message: expect.stringMatching(
        /^Secret reroll\/reroll-journal-key holds no journal key: .* is named in the log\)$/,
      ),
    });
  });
});

describe('getInstallKey', () => {
  it('reads an existing key', async () => {
    expect(await getInstallKey(scripted(there).client, 'reroll', digestKey)).toEqual(stored);
  });

  it('creates none', async () => {
    const { client, transport } = scripted(missing);
    await expect(getInstallKey(client, 'reroll', digestKey)).rejects.toThrow(NotFoundError);
    expect(transport.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});
