import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { openInBrowser } from '../../cli/ui/browser-opener';
import { openChromium } from './chromium';
import { drawn, openPage } from './opened-page';
import { openForSuite, type PageWorld } from './page-world';

let world: PageWorld;
openForSuite((opened) => (world = opened));

describe('the page and its token', () => {
  it('shows all workloads, takes the token out of the address, and keeps it for other tabs', async () => {
    expect(await world.page.locator('.shown').textContent()).toBe('5,000 workloads');
    expect(world.page.url()).toBe(world.at());
    const other = await openPage(world.browser);
    await other.page.goto(world.at('?state=blocked'));
    await drawn(other.page);
    expect(await other.page.locator('.shown').textContent()).toBe('9 of 5,000 workloads');
    await other.page.close();
  });

  it('is reached by the file that a browser is told to open', async () => {
    const launched: string[] = [];
    const file = openInBrowser(world.ui.address, 'linux', (_command, args) => void launched.push(...args));
    const stranger = await openChromium();
    const tab = await openPage(stranger);
    await tab.page.goto(`file://${launched[0] ?? ''}`);
    await drawn(tab.page);
    expect(tab.page.url()).toBe(world.at());
    expect(tab.complaints).toEqual([]);
    await stranger.close();
    file.remove();
  });

  it('shows text of others as text', async () => {
    const markup = '<img src=x onerror=alert(1)>';
    const [first, ...others] = world.leader.history;
    if (!first) throw new Error('there is no restart');
    const causes = first.causes.map((cause) => ({ ...cause, author: `${markup}\u202eecila`, keys: [markup] }));
    world.leader.history = [{ ...first, causes }, ...others];
    await world.page.goto(world.at('?tab=timeline'));
    const item = world.page.locator('.item', { hasText: markup }).first();
    await item.waitFor();
    expect(await item.textContent()).toContain(`${markup}\\u202eecila`);
    expect(await world.page.locator('.item img').count()).toBe(0);
    world.leader.history = [first, ...others];
  });

  it('needs the token', async () => {
    const stranger = await openChromium();
    const tab = await openPage(stranger);
    await tab.page.goto(world.at());
    const notice = tab.page.locator('.notice');
    await notice.waitFor();
    expect(await notice.textContent()).toContain('does not have the token of a running reroll ui');
    expect(await tab.page.locator('[role=row][id]').count()).toBe(0);
    await stranger.close();
  });
});

describe('other pages in the same browser', () => {
  it('read nothing, embed nothing, and cannot run a script in it', async () => {
    const evil = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>evil</title><body></body>');
    });
    evil.listen(0, '127.0.0.1');
    await once(evil, 'listening');
    const { port } = evil.address() as AddressInfo;
    const other = await openPage(world.browser);
    await other.page.goto(`http://127.0.0.1:${port}/`);
    const outcomes = await other.page.evaluate(async (target) => {
      const read = async (init?: RequestInit): Promise<string> =>
        await fetch(`${target}api/live`, init).then(
          (response) => `read ${String(response.status)}`,
          () => 'blocked',
        );
      const script = await new Promise<string>((resolve) => {
        const element = document.createElement('script');
        element.src = `${target}world.page.js`;
        element.onload = () => resolve('loaded');
        element.onerror = () => resolve('blocked');
        document.body.append(element);
      });
      return [await read(), await read({ headers: { authorization: `Bearer ${'0'.repeat(32)}` } }), script];
    }, world.at());
    expect(outcomes).toEqual(['blocked', 'blocked', 'blocked']);
    await other.page.close();
    evil.close();
    evil.closeAllConnections();
  });

  it('find a policy in the page that runs no other script, and sends nothing elsewhere', async () => {
    const violated = await world.page.evaluate(async () => {
      const directives: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) => directives.push(event.effectiveDirective));
      const script = document.createElement('script');
      try {
        script.textContent = 'window.ran = true';
        document.body.append(script);
      } catch {
        directives.push('thrown');
      }
      await fetch('http://127.0.0.1:9/').catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { directives, ran: 'ran' in window };
    });
    expect(violated.ran).toBe(false);
    expect(violated.directives).toEqual(expect.arrayContaining(['connect-src']));
    expect(violated.directives.length).toBeGreaterThan(1);
    // They are what this test was after.
    world.complaints();
  });
});
