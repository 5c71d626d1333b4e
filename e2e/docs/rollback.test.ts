import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { KubeObject } from '../../shared/kube/client/objects';
import { defaultSettings } from '../engine-settings';
import { codeBlocks, textOf } from './pages';
import { tableAfter } from './tables';
import { bad, onFailure, Shop } from '../engine/rollback.fixture';

const page = textOf('docs/rollback.md');
const minutes = 10;
const named = 'nothing is put back; the Event RestartsStopped names the reroll rollback command';

describe('docs/rollback.md, switch it on', () => {
  const rows = tableAfter(page, 'Switch it on');

  it.each(rows)('%s | %s | %s: %s, %s', async (source = '', namespaceSays = '', flag = '', kept = '', told = '') => {
    const shop = new Shop(source === '' ? {} : { [onFailure]: source });
    if (namespaceSays !== '') await shop.annotateNamespace({ [onFailure]: namespaceSays });
    await shop.start({ rollback: flag === 'true' });
    expect(shop.kept('good') === undefined ? 'is not kept' : 'is kept').toBe(kept);
    await shop.write(bad);
    await shop.pass(minutes);
    const isBack = shop.color !== bad;
    const isTold = shop.events('RestartsStopped').some((message) => message.includes('reroll rollback'));
    const answers = { 'the kept content is put back': isBack, [named]: isTold };
    const found = Object.entries(answers).flatMap(([answer, is]) => (is ? [answer] : []));
    expect(found[0] ?? 'nothing is put back').toBe(told);
    await shop.stop();
  });

  it('shows a source whose content is put back, also with fewer users than have stages by default', async () => {
    const example = codeBlocks(page).find(({ text }) => text.includes('kind: ConfigMap'));
    const { kind, metadata, data } = parse(example?.text ?? '') as KubeObject & {
      readonly kind: string;
      readonly data: Record<string, string>;
    };
    expect([kind, metadata.namespace, metadata.name]).toEqual(['ConfigMap', 'shop', 'app']);
    const shop = new Shop({});
    await shop.patch({ metadata: { annotations: metadata.annotations }, data });
    await shop.start({ stages: defaultSettings.stages });
    await shop.write(bad);
    await shop.pass(2 * minutes);
    expect([shop.color, shop.putBacks().length]).toEqual([data['color'], 1]);
    // The first one, for the bad content and for that of before.
    expect(shop.harness.restartOrder()).toEqual(['web-0', 'web-0']);
    await shop.stop();
  });
});

describe('docs/rollback.md, what is put back', () => {
  let shop: Shop;

  beforeAll(async () => {
    shop = new Shop();
    await shop.start();
  });

  afterAll(async () => await shop.stop());

  // One after the other: each row goes on where the one before ended.
  it.each(tableAfter(page, 'What is put back'))('%s: %s', async (color = '', users = '', after = '', count = '') => {
    const before = shop.harness.restartOrder().length;
    await shop.write(color);
    await shop.pass(minutes);
    const restarts = shop.harness.restartOrder().length - before;
    // The one that broke restarts a second time, for the content that was put back.
    expect(restarts).toBe({ 'all become healthy': 10, 'the first does not': 2, 'none restarts': 0 }[users]);
    expect([shop.color, String(shop.putBacks().length)]).toEqual([after, count]);
  });
});
