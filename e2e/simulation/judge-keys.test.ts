import { describe, expect, it } from '@jest/globals';
import { withValueAt, type JsonObject } from '../apiserver/json';
import { writeBy } from '../apiserver/registry';
import { Digests } from './contents';
import { adopted, type Hand } from './history.fixture';

const key = Buffer.alloc(32, 9);

/** Somebody replaces the key of the install, and another process leads. */
async function rekeyed(hand: Hand): Promise<void> {
  const { registry } = hand.server;
  const data = { key: key.toString('base64') };
  const change = (current: object) => ({ object: { ...current, data } });
  const secret = hand.server.kindOf('Secret');
  await registry.update(writeBy('dev', 'dev', 'update'), secret, 'reroll', 'reroll-digest-key', change);
  await hand.lead('engine-0-2');
}

/** The new leader records the content under the new key. By default the sequence numbers start again. */
async function record(hand: Hand, color: string, restart: boolean, n = 1, keyId = 'other'): Promise<void> {
  const digest = new Digests(key).whole('ConfigMap default/app', new Map([['color', color]]));
  const text = JSON.stringify({ v: 1, n, key: keyId, sources: { 'cm/app': digest } });
  const written = (object: JsonObject): JsonObject =>
    withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], text);
  await hand.engine(color, restart, written, 'engine-0-2');
}

describe('the judge, after the digest key was replaced', () => {
  it('accepts a record of the content at the start of the new term, and demands restarts for later changes', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await rekeyed(hand);
    await record(hand, 'value-2-', false);
    expect(hand.promises()).toEqual([]);
    await hand.edit('value-3-');
    expect(hand.promises()).toEqual(['missed change', 'missed change']);
    await record(hand, 'value-3-', true, 2);
    expect(hand.promises()).toEqual([]);
  });

  it('reports a restart that only the new key causes', async () => {
    const hand = await adopted();
    await rekeyed(hand);
    await record(hand, 'value-1-', true);
    expect(hand.promises()).toEqual(['restart without reason']);
  });

  it('does not take what the former process recorded for a record, if the opt-in is shown late', async () => {
    const hand = await adopted();
    await rekeyed(hand);
    await hand.annotate('reloader.stakater.com/auto', 'false');
    await hand.annotate('reloader.stakater.com/auto', undefined);
    await hand.edit('value-2-');
    await record(hand, 'value-2-', false);
    const rules = { autoReloadAll: true, shownWithinMs: Infinity };
    expect(hand.promises(false, rules)).toEqual([]);
    await hand.edit('value-3-');
    expect(hand.promises(false, rules)).toEqual(['missed change', 'missed change']);
  });

  it('reports a sequence number that was already used under the same key', async () => {
    const hand = await adopted();
    await rekeyed(hand);
    await record(hand, 'value-1-', false);
    await hand.edit('value-2-');
    await record(hand, 'value-2-', true);
    expect(hand.promises()).toContain('baseline apart from template');
  });
});
