import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { HistoryEntry } from '../../cli/ui/model/live-message';
import { artefact } from './figures';
import { drawn } from './opened-page';
import { openForSuite, type PageWorld } from './page-world';
import { web } from './shop';

let world: PageWorld;
openForSuite((opened) => (world = opened));

describe('the page of reroll ui, in Chromium', () => {
  it('is used with the keyboard alone', async () => {
    await world.page.keyboard.press('/');
    await world.page.keyboard.type('shop in-step');
    await world.page.waitForFunction(() => location.search.includes('q='));
    await world.page.keyboard.press('ArrowDown');
    expect(await focused(world.page)).toBe('workloads');
    const row = world.page.locator('.chosen');
    const before = await row.textContent();
    await world.page.keyboard.press('ArrowDown');
    await world.page.keyboard.press('ArrowUp');
    expect(await row.textContent()).toBe(before);
    await world.page.keyboard.press('Enter');
    await world.page.locator('#panel-title').waitFor();
    expect(await focused(world.page)).toBe('panel-title');
    expect(world.page.url()).toMatch(/\?q=shop\+in-step&workload=\w+\/shop\//);
    await world.page.keyboard.press('Escape');
    expect(await focused(world.page)).toBe('workloads');
    expect(await world.page.locator('#panel-title').count()).toBe(0);
    await world.page.keyboard.press('t');
    await world.page.locator('.timeline-view').waitFor();
    await world.page.keyboard.press('w');
    await drawn(world.page);
    await world.page.keyboard.press('?');
    await world.page.locator('dialog[open]').waitFor();
    await world.page.keyboard.press('Escape');
    expect(await world.page.locator('dialog[open]').count()).toBe(0);
    await world.page.locator('#workloads').focus();
    await world.page.keyboard.press('End');
    expect(await world.page.locator('.chosen').getAttribute('aria-rowindex')).not.toBe('2');
  });

  it('goes back and forth with the buttons of the browser', async () => {
    await world.page.locator('.chip-blocked').click();
    await world.page.locator('[role=row][id]').first().click();
    await world.page.locator('#panel-title').waitFor();
    await world.page.goBack();
    await world.page.locator('#panel-title').waitFor({ state: 'detached' });
    expect(await world.page.locator('.chip-blocked').getAttribute('aria-pressed')).toBe('true');
    await world.page.goBack();
    await world.page.locator('.shown', { hasText: /^5,000 workloads$/ }).waitFor();
    await world.page.goForward();
    await world.page.locator('.shown', { hasText: /^9 of/ }).waitFor();
  });

  it('shows what is unhealthy after what is blocked, and filters by it', async () => {
    const states = world.page.locator('[role=row][id] .state');
    expect([...new Set(await states.allTextContents())].slice(0, 2)).toEqual(['blocked', 'unhealthy']);
    await world.page.locator('.chip-unhealthy').click();
    await world.page.locator('.shown', { hasText: /^9 of/ }).waitFor();
    expect(await states.allTextContents()).toEqual(Array.from({ length: 9 }, () => 'unhealthy'));
  });

  it('leads from a workload to a source, whose picture leads to its users', async () => {
    await world.page.goto(world.at('?workload=Deployment/shop/web'));
    await world.page.locator('.headline').waitFor();
    expect(await world.page.locator('.headline').textContent()).toMatch(
      /^restarted \d+ minutes ago because alice changed key color of ConfigMap app$/,
    );
    await world.page.locator('.panel table a', { hasText: 'app' }).click();
    await world.page.locator('.picture').waitFor();
    expect(await world.page.locator('.node-restarts').count()).toBe(5);
    expect(await world.page.locator('a.node').count()).toBe(7);
    expect(await world.page.locator('.panel tbody tr').count()).toBe(7);
    await world.page.locator('a.node', { hasText: 'deployment/web' }).focus();
    await world.page.keyboard.press('Enter');
    await world.page.locator('#panel-title', { hasText: 'web' }).waitFor();
  });

  it('shows how a restart ends while its workload is open', async () => {
    const before = world.leader.history;
    const isOfWeb = ({ namespace, name }: HistoryEntry): boolean => namespace === web.namespace && name === web.name;
    const ending = (outcome: string): readonly HistoryEntry[] =>
      before.map((entry) => (isOfWeb(entry) ? { ...entry, outcome } : entry));
    world.leader.history = ending('rolling');
    await world.page.goto(world.at('?workload=Deployment/shop/web'));
    await world.page.locator('.panel .item', { hasText: 'not healthy yet' }).waitFor();
    world.leader.history = ending('superseded');
    await world.page.locator('.panel .item', { hasText: 'superseded' }).waitFor({ timeout: 10_000 });
    world.leader.history = before;
  });

  it('says that the leader does not answer, and when it is back', async () => {
    world.leader.problem = { status: 503, code: 'not-synced', message: 'the first lists are not complete' };
    const notice = world.page.locator('.notice').first();
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(
      /^The leader does not answer: the leader \S+ answers: the first lists are not complete/,
    );
    await world.page.screenshot({ path: artefact('no-leader-light.png') });
    world.leader.problem = undefined;
    await notice.waitFor({ state: 'detached', timeout: 30_000 });
  });

  it('asks again if there was no answer about a workload, and shows no answer about another one meanwhile', async () => {
    await world.page.goto(world.at('?workload=Deployment/shop/web'));
    await world.page.locator('.headline').waitFor();
    let isBroken = true;
    await world.page.route('**/api/sources/**', async (route) => {
      if (isBroken)
        await route.fulfill({ status: 502, json: { message: 'the API server does not answer: ECONNREFUSED' } });
      else await route.continue();
    });
    await world.page.locator('.panel table a', { hasText: 'app' }).click();
    await world.page.locator('.panel .notice').waitFor();
    expect(await world.page.locator('.panel').textContent()).toContain('the API server does not answer: ECONNREFUSED');
    expect(await world.page.locator('.headline').count()).toBe(0);
    isBroken = false;
    await world.page.locator('.headline').waitFor({ timeout: 10_000 });
    expect(await world.page.locator('.panel .notice').count()).toBe(0);
    expect(world.complaints().every((complaint) => complaint.includes('502'))).toBe(true);
  });

  it.each([
    [503, 'Too many pages are open.'],
    [401, 'This address does not have the token of a running reroll ui.'],
    [500, 'reroll ui does not answer.'],
  ])('says what is wrong if its stream is refused with %d', async (status, text) => {
    await world.page.route('**/api/live', async (route) => {
      await route.fulfill({ status, json: { message: 'no' } });
    });
    await world.page.goto(world.at());
    await world.page.locator('.notice', { hasText: text }).waitFor();
    world.complaints();
  });

  it('asks for nothing while it is not in sight', async () => {
    const show = async (state: string): Promise<void> =>
      await world.page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await show('hidden');
    await world.page.waitForTimeout(1_000);
    const { polls } = world.leader;
    await world.page.waitForTimeout(2_000);
    expect(world.leader.polls).toBe(polls);
    world.leader.set({ ...web, state: 'blocked', waitsFor: 'fix' });
    await show('visible');
    await world.page.locator('.chip-blocked .count', { hasText: '10' }).waitFor();
  });
});

it('says that reroll ui has ended', async () => {
  expect(await world.ui.end()).toBe(130);
  const notice = world.page.locator('.notice');
  await notice.waitFor();
  expect(await notice.textContent()).toContain('reroll ui does not answer. What is shown is from before.');
  expect(await world.page.locator('[role=row][id]').count()).toBeGreaterThan(5);
  await world.page.screenshot({ path: artefact('ended-light.png') });
  // The browser reports each connection that is refused.
  world.complaints();
});

async function focused(tab: Page): Promise<string> {
  return await tab.evaluate(() => document.activeElement?.id ?? '');
}
