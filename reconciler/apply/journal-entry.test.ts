import { createHmac } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { framed } from '../../shared/domain/sources/keyed-hash';
import type { KubeObject } from '../../shared/kube/client/objects';
import { claimOf, JobTooLargeError, maxManifestBytes, openEntry, sealEntry, type JobRecreation } from './journal-entry';

const key = Buffer.alloc(32, 7);

function entryOf(successor: object = {}): JobRecreation {
  return {
    uid: 'old',
    restartId: 'c0ffee00',
    sources: ['cm/app'],
    because: ['ConfigMap app: content changed'],
    successor: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'migrate', namespace: 'shop', annotations: {} },
      ...successor,
    },
  };
}

interface Sealed extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

/** The entry as an API server stores it. */
function stored(entry = entryOf(), { metadata, ...rest } = sealEntry(key, 'reroll', entry)): Sealed {
  return { ...rest, metadata: { ...metadata, uid: 'u', resourceVersion: '1' } } as unknown as Sealed;
}

function withMetadata(secret: Sealed, metadata: Partial<KubeObject['metadata']>): Sealed {
  return { ...secret, metadata: { ...secret.metadata, ...metadata } };
}

/** An entry with these bytes as its manifest, and the matching MAC. */
function signed(manifest: Buffer, { metadata, ...rest } = stored()): Sealed {
  const names = ['reroll-journal-entry/1', metadata.name, 'old', 'shop', 'migrate'];
  const hmac = createHmac('sha256', key);
  for (const part of names) hmac.update(framed(part));
  const mac = hmac.update(manifest).digest('base64');
  return { ...rest, metadata, data: { 'recreation.json.gz': manifest.toString('base64'), mac } };
}

describe('an entry', () => {
  it('is read as it was written', () => {
    expect(openEntry(key, stored())).toEqual({ kind: 'entry', entry: entryOf() });
    expect(claimOf(stored())).toEqual({ uid: 'old', job: 'shop/migrate' });
  });

  it('has the documented MAC, whole', () => {
    const { data } = stored();
    const manifest = Buffer.from(data['recreation.json.gz']!, 'base64');
    expect(signed(manifest).data).toEqual(data);
    expect(Buffer.from(data['mac']!, 'base64')).toHaveLength(32);
    expect(JSON.parse(gunzipSync(manifest).toString())).toEqual(entryOf());
  });

  it.each<[string, Sealed, string]>([
    ['without a MAC', { ...stored(), data: { 'recreation.json.gz': stored().data['recreation.json.gz']! } }, 'no-mac'],
    ['without data', { ...stored(), data: undefined } as unknown as Sealed, 'no-mac'],
    ['whose data is no text', { ...stored(), data: { mac: 7 } } as unknown as Sealed, 'no-mac'],
    ['with a MAC that is cut', { ...stored(), data: { ...stored().data, mac: 'AAAA' } }, 'wrong-mac'],
    ['with the MAC of another', { ...stored(), data: { ...stored().data, mac: otherMac() } }, 'wrong-mac'],
    ['without a manifest', { ...stored(), data: { mac: stored().data['mac']! } }, 'wrong-mac'],
    ['under another name', withMetadata(stored(), { name: 'reroll-job-aaaaaaaaaaaaaaaa' }), 'wrong-mac'],
    ['of another uid', withMetadata(stored(), { labels: { 'reroll.dev/journal-job': 'new' } }), 'wrong-mac'],
    ['without labels', withMetadata(stored(), { labels: undefined }), 'wrong-mac'],
    ['for another namespace', ofJob('kube-system/migrate'), 'wrong-mac'],
    ['for another Job', ofJob('shop/other'), 'wrong-mac'],
    ['whose Job moved over the slash', ofJob('shopm/igrate'), 'wrong-mac'],
  ])('%s is refused', (_what, secret, why) => {
    expect(openEntry(key, secret)).toEqual({ kind: 'refused', why });
  });

  it('under another key is refused', () => {
    expect(openEntry(Buffer.alloc(32, 8), stored())).toEqual({ kind: 'refused', why: 'wrong-mac' });
  });

  it('of which one byte of the manifest has changed is refused', () => {
    const secret = stored();
    const manifest = Buffer.from(secret.data['recreation.json.gz']!, 'base64');
    for (const index of [0, 9, manifest.length - 1]) {
      const changed = Buffer.from(manifest);
      changed[index] = changed[index]! ^ 1;
      const data = { ...secret.data, 'recreation.json.gz': changed.toString('base64') };
      expect(openEntry(key, { ...secret, data })).toEqual({ kind: 'refused', why: 'wrong-mac' });
    }
  });

  it.each<[string, Buffer, string]>([
    ['is not gzip', Buffer.from('hunter2'), 'unreadable'],
    ['is cut', gzipSync(JSON.stringify(entryOf())).subarray(0, 30), 'unreadable'],
    ['is not JSON', gzipSync('hunter2'), 'unreadable'],
    ['is no entry', gzipSync('{}'), 'unreadable'],
    ['has no uid', gzipSync(JSON.stringify({ ...entryOf(), uid: '' })), 'unreadable'],
    ['is no Job', gzipSync(JSON.stringify(entryOf({ kind: 'CronJob' }))), 'unreadable'],
    ['is of another group', gzipSync(JSON.stringify(entryOf({ apiVersion: 'evil.io/v1' }))), 'unreadable'],
    ['is of another uid', gzipSync(JSON.stringify({ ...entryOf(), uid: 'new' })), 'other-job'],
    [
      'is of another namespace',
      gzipSync(JSON.stringify(entryOf({ metadata: { name: 'migrate', namespace: 'kube-system', annotations: {} } }))),
      'other-job',
    ],
  ])('that %s is refused though its MAC is right', (_what, manifest, why) => {
    expect(openEntry(key, signed(manifest))).toEqual({ kind: 'refused', why });
  });

  it('that unpacks to more than the manifest limit is refused before it is unpacked completely', () => {
    const text = JSON.stringify({ ...entryOf(), padding: '' });
    const padded = (bytes: number): Buffer =>
      gzipSync(text.replace('"padding":""', `"padding":"${' '.repeat(bytes - text.length)}"`));
    expect(openEntry(key, signed(padded(maxManifestBytes)))).toMatchObject({ kind: 'entry' });
    expect(openEntry(key, signed(padded(maxManifestBytes + 1)))).toEqual({ kind: 'refused', why: 'unreadable' });
  });

  it('that could not be read again is not written: its Job would be lost', () => {
    const spec = { text: 'x'.repeat(maxManifestBytes) };
    expect(() => sealEntry(key, 'reroll', entryOf({ spec }))).toThrow(JobTooLargeError);
    expect(() => sealEntry(key, 'reroll', entryOf({ spec }))).toThrow(
      /^Job shop\/migrate: its manifest takes \d+ bytes/,
    );
  });
});

function otherMac(): string {
  return stored({ ...entryOf(), restartId: 'another' }).data['mac']!;
}

function ofJob(job: string): Sealed {
  return withMetadata(stored(), { annotations: { 'reroll.dev/journal-job-name': job } });
}
