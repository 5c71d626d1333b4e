import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { bundlePath } from '../reroll-process';
import { openChromium, type Browser } from './chromium';
import { artefact } from './figures';
import { drawn, openPage, type OpenedPage } from './opened-page';
import { RealCluster } from './real-cluster';
import { startUi, type UiProcess } from './ui-process';

const workloads = 200;

let cluster: RealCluster;
let ui: UiProcess;
let browser: Browser;
let opened: OpenedPage;
let page: Page;

beforeAll(async () => {
  cluster = await RealCluster.open(workloads);
  ui = await startUi(cluster.kubeconfig);
  browser = await openChromium();
  opened = await openPage(browser);
  page = opened.page;
  await page.goto(ui.address);
  await drawn(page);
  // All baselines are recorded.
  await page.locator('.chip-in-step .count', { hasText: String(workloads) }).waitFor({ timeout: 60_000 });
});

afterAll(async () => {
  await browser.close();
  await ui.end();
  await cluster.close();
});

/** What a command prints. */
async function reroll(...args: readonly string[]): Promise<string> {
  const all = [bundlePath, ...args, `--kubeconfig=${cluster.kubeconfig}`, '-n', 'shop'];
  return (await promisify(execFile)(process.execPath, all)).stdout;
}

describe('the page, before the reconciler as it is shipped', () => {
  it('shows a change as it happens: owed, and then restarted', async () => {
    await page.locator('input[type=search]').fill('web-7');
    const row = page.locator('[role=row][id]', { hasText: /Deployment web-7shop/ });
    await row.waitFor();
    expect(await row.textContent()).toContain('never');
    for (const color of ['green', 'black', 'white', 'grey', 'blue']) {
      await cluster.edit({ color });
      // A page that asks too rarely misses this state. page-speed.e2e.test.ts says how soon it shows.
      await row.locator('.state-pending').waitFor();
      await row.locator('.state-in-step').waitFor();
      await row.getByText(/just now|seconds? ago/).waitFor();
    }
  });

  it('says of a workload what reroll why says', async () => {
    await page.goto(`${ui.address.split('#')[0] ?? ''}?workload=Deployment/shop/web-0`);
    await page.locator('.headline').waitFor();
    const [headline = '', , title = ''] = (await reroll('why', 'deployment/web-0')).split('\n');
    const withoutAge = (text: string): string => text.replaceAll(/\d+ (second|minute)s? ago|just now/g, 'AGO');
    expect(withoutAge((await page.locator('.headline').textContent()) ?? '')).toBe(withoutAge(headline));
    expect(withoutAge(title)).toContain(withoutAge((await page.locator('.now-line .quiet').textContent()) ?? ''));
    const rows = await page.locator('.panel tbody tr').allTextContents();
    expect(rows.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      'ConfigMap appallyesreloader.stakater.com/autoas the pods run with it',
      'Secret dballyesreloader.stakater.com/autoas the pods run with it',
    ]);
    // A name with no content: the values are in the cluster, and on no page.
    expect(await page.content()).not.toMatch(/postgres:|blue/);
  });

  it('says of a source what reroll users says, and draws as many as fit', async () => {
    await page.goto(`${ui.address.split('#')[0] ?? ''}?source=ConfigMap/shop/app`);
    await page.locator('.headline').waitFor();
    const [headline] = (await reroll('users', 'configmap/app')).split('\n');
    expect(await page.locator('.headline').textContent()).toBe(headline);
    expect(await page.locator('a.node').count()).toBe(14);
    expect(await page.locator('.rest').textContent()).toBe(`and ${workloads - 14} more, in the table`);
    expect(await page.locator('.panel tbody tr').count()).toBe(workloads);
    await page.screenshot({ path: artefact('many-users-light.png') });
  });

  it('nothing was wrong in the browser', () => {
    expect(opened.complaints).toEqual([]);
  });
});
