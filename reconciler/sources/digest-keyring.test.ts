import { describe, expect, it } from '@jest/globals';
import { ContentDigester } from '../../shared/domain/sources/content-digest';
import { DigestKeyring } from './digest-keyring';

const [ownKey, sharedKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const [own, shared] = [new ContentDigester(ownKey), new ContentDigester(sharedKey)];
const source = { kind: 'ConfigMap', namespace: 'shop', name: 'app' } as const;
const content = [['color', Buffer.from('red')]] as const;

describe('DigestKeyring', () => {
  it('records under its first key until all content is digested under the next, and knows both from then on', () => {
    const keys = new DigestKeyring(own, false);
    const facts = () => [keys.keyId, keys.isShared, keys.isOwn(own.keyId), keys.isOwn(shared.keyId)];
    expect(keys.promote()).toBe(false);
    keys.add(sharedKey);
    expect(facts()).toEqual([own.keyId, false, true, false]);
    expect(keys.promote()).toBe(true);
    expect(facts()).toEqual([shared.keyId, true, true, true]);
    expect(keys.promote()).toBe(false);
  });

  it('digests under both once a key is added', () => {
    const keys = new DigestKeyring(own, false);
    const before = keys.digest(source, content);
    keys.add(sharedKey);
    const since = keys.digest(source, content);
    expect([before.whole(), before.former]).toEqual([own.digest(source, content).whole(), undefined]);
    expect([since.whole(), since.former?.whole()]).toEqual([shared.digest(source, content).whole(), before.whole()]);
  });
});
