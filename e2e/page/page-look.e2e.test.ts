import { describe, expect, it } from '@jest/globals';
import { artefact } from './figures';
import { seriousFindings } from './opened-page';
import { openForSuite, type PageWorld } from './page-world';

let world: PageWorld;
openForSuite((opened) => (world = opened));

describe.each(['light', 'dark'] as const)('in %s', (scheme) => {
  it.each([
    ['list', '', '.state-blocked'],
    ['unhealthy', '?state=unhealthy', '.state-unhealthy'],
    ['why', '?workload=Deployment/shop/web', '.headline'],
    ['source', '?source=ConfigMap/shop/app&namespace=shop', '.headline'],
    ['timeline', '?tab=timeline', '.item'],
  ])('axe finds nothing serious: %s', async (name, view, drawnLast) => {
    await world.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await world.page.goto(world.at(view));
    await world.page.locator(drawnLast).first().waitFor();
    await world.page.screenshot({ path: artefact(`${name}-${scheme}.png`) });
    expect(await seriousFindings(world.page)).toEqual([]);
  });
});

it('fits a narrow window', async () => {
  await world.page.setViewportSize({ width: 480, height: 860 });
  await world.page.goto(world.at('?workload=Deployment/shop/web'));
  await world.page.locator('.headline').waitFor();
  await world.page.screenshot({ path: artefact('narrow-light.png') });
  const overflow = await world.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});

it('moves nothing for people who want less motion', async () => {
  await world.page.goto(world.at('?tab=timeline'));
  const dot = async (): Promise<string> =>
    await world.page
      .locator('.step-running')
      .first()
      .evaluate((element) => getComputedStyle(element, '::before').animationName);
  await world.page.emulateMedia({ reducedMotion: 'no-preference' });
  expect(await dot()).toBe('under-way');
  await world.page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await dot()).toBe('none');
});
