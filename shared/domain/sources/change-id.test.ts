import { describe, expect, it } from '@jest/globals';
import { listedRecord, sourceRecord } from '../plan/records.fixture';
import { changeId, currentChangeId, deletionId } from './change-id';

const digest = 'AAAAAAAAAAAAAAAAAAAAAA';

describe('changeId', () => {
  it('is eight hex digits, and stays the same from version to version', () => {
    expect(changeId('0b1c', digest)).toBe('e7d18842');
  });

  it('differs for another content, and for another object with the same content', () => {
    const ids = [changeId('a', digest), changeId('b', digest), changeId('a', `${digest.slice(1)}B`)];
    expect(new Set(ids).size).toBe(3);
  });

  it('does not confuse where the uid ends', () => {
    expect(changeId('a', `b${digest}`)).not.toBe(changeId('ab', digest));
  });
});

describe('deletionId', () => {
  it('is that of the name', () => {
    const app = { kind: 'ConfigMap', namespace: 'shop', name: 'app' } as const;
    expect(deletionId(app)).toBe(deletionId({ ...app }));
    expect(deletionId(app)).not.toBe(deletionId({ ...app, namespace: 'pay' }));
    expect(deletionId(app)).not.toBe(deletionId({ ...app, kind: 'Secret' }));
  });
});

describe('currentChangeId', () => {
  it('is that of the content, or of the deletion, and none before the content is read', () => {
    const app = sourceRecord();
    expect(currentChangeId(app, app)).toBe(changeId(app.uid, app.content.whole()));
    expect(currentChangeId(app, undefined)).toBe(deletionId(app));
    expect(currentChangeId(app, listedRecord())).toBeUndefined();
  });
});
