import { describe, expect, it } from '@jest/globals';
import { withValueAt, type JsonObject } from '../apiserver/json';
import { adopted, type Hand } from './history.fixture';

const at = ['metadata', 'annotations', 'reroll.dev/baseline'];
const trace = ['spec', 'template', 'metadata', 'annotations', 'reloader.stakater.com/last-reloaded-from'];

/** Writes the baseline of `web` again, as an older version would. */
async function upgraded(): Promise<Hand> {
  const hand = await adopted();
  await hand.write('older-version', (object: JsonObject) => {
    const { annotations } = object['metadata'] as { readonly annotations: Readonly<Record<string, string>> };
    const { v, n, key, sources } = JSON.parse(annotations['reroll.dev/baseline'] ?? '') as JsonObject;
    return withValueAt(object, at, JSON.stringify({ sources, key, n, v }));
  });
  return hand;
}

describe('the judge, after an upgrade', () => {
  it('reports nothing if the baseline of an older version stays until the next change', async () => {
    const hand = await upgraded();
    expect(hand.promises()).toEqual([]);
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    expect(hand.promises()).toEqual([]);
  });

  it('reports a restart that only the baseline of an older version causes', async () => {
    const hand = await upgraded();
    await hand.engine('value-1-', true);
    expect(hand.promises()).toEqual(['restart without reason']);
  });

  it('reports a change since the baseline of an older version that is recorded without a restart', async () => {
    const hand = await upgraded();
    await hand.edit('value-2-');
    await hand.engine('value-2-', false);
    expect(hand.promises()).toEqual(['missed change']);
  });

  it('reports a restart that only the traces of Reloader cause', async () => {
    const hand = await adopted();
    await hand.write('reloader', (object) => withValueAt(object, trace, '{"type":"CONFIGMAP","name":"app"}'));
    expect(hand.promises()).toEqual([]);
    await hand.engine('value-1-', true);
    expect(hand.promises()).toEqual(['restart without reason']);
  });
});
