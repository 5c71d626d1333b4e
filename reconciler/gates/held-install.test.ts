import { describe, expect, it } from '@jest/globals';
import { HeldInstall, installHoldDecoder } from './held-install';

const metadata = { namespace: 'reroll', name: 'reroll-hold', uid: 'u', resourceVersion: '7' };

describe('HeldInstall', () => {
  it('holds as long as the ConfigMap is there', () => {
    let changes = 0;
    const held = new HeldInstall('reroll', () => (changes += 1));
    let synced = 0;
    const sink = held.sink(() => (synced += 1));
    sink.synced();
    expect([held.hold, [...sink.keys()], synced, changes]).toEqual([undefined, [], 1, 0]);
    sink.upsert({ untilMs: 5, because: 'audit' }, 'watch');
    expect(held.hold).toEqual({ untilMs: 5, because: 'audit', bearer: 'ConfigMap reroll/reroll-hold' });
    expect([...sink.keys()]).toEqual(['reroll/reroll-hold']);
    sink.upsert('off', 'watch');
    expect([held.hold, [...sink.keys()]]).toEqual([undefined, ['reroll/reroll-hold']]);
    sink.remove('reroll/reroll-hold');
    expect([held.hold, [...sink.keys()], changes]).toEqual([undefined, [], 3]);
  });
});

describe('installHoldDecoder', () => {
  it.each([
    ['without an annotation', {}, { untilMs: undefined, because: undefined }],
    ['with a reason', { 'reroll.dev/hold': 'because=audit' }, { untilMs: undefined, because: 'audit' }],
    ['that is switched off', { 'reroll.dev/hold': 'false' }, 'off'],
    ['that cannot be read', { 'reroll.dev/hold': 'until=banana' }, { untilMs: undefined, because: undefined }],
  ])('reads one %s', (_what, annotations, object) => {
    const identity = { key: 'reroll/reroll-hold', uid: 'u', resourceVersion: '7' };
    expect(installHoldDecoder.fromJson({ metadata: { ...metadata, annotations } })).toEqual({ ...identity, object });
  });

  it('refuses one without identity', () => {
    expect(() => installHoldDecoder.fromJson({ metadata: {} })).toThrow('has no metadata.name');
  });
});
