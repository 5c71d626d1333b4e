import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { closeAll, kubeconfigFor, kubeServer, lease } from '../../cli/cluster/kube-server.fixture';
import type { Page } from 'playwright-core';
import { openChromium, type Browser } from './chromium';
import { drawn, openPage, type OpenedPage } from './opened-page';
import { shop, web } from './shop';
import type { ShopLeader } from './shop-leader';
import { shopObjects } from './shop-objects';
import { startUi, type UiProcess } from './ui-process';

const pod = 'reroll-7d9f8b6c5-x2x4z';
const workloads = 5_000;

/**
 * Opens a world for a suite, anew before each test, and expects of every test that the browser complained of nothing: the
 * policy forbids nothing that the page does, and nothing throws.
 */
export function openForSuite(onOpened: (world: PageWorld) => void): void {
  let world: PageWorld;
  beforeAll(async () => {
    world = await PageWorld.open();
    onOpened(world);
  });
  beforeEach(async () => await world.begin());
  afterEach(() => expect(world.complaints()).toEqual([]));
  afterAll(async () => await world.close());
}

/** `reroll ui` as a process, a leader with 5,000 workloads, and a browser with one tab, which each test gets anew. */
export class PageWorld {
  readonly leader: ShopLeader;
  readonly ui: UiProcess;
  readonly browser: Browser;
  #opened: OpenedPage;

  private constructor(leader: ShopLeader, ui: UiProcess, browser: Browser, opened: OpenedPage) {
    this.leader = leader;
    this.ui = ui;
    this.browser = browser;
    this.#opened = opened;
  }

  static async open(): Promise<PageWorld> {
    const nowMs = Date.now();
    const leader = shop(workloads, nowMs);
    const renewed = new Date(nowMs).toISOString().replace('Z', '000Z');
    const objects = shopObjects(nowMs);
    const { port } = await kubeServer({ lease: lease(pod, renewed), pods: { [pod]: leader.pod }, objects });
    const ui = await startUi(kubeconfigFor(`https://127.0.0.1:${port}`, { namespace: 'shop' }));
    const browser = await openChromium();
    return new PageWorld(leader, ui, browser, await openPage(browser));
  }

  get page(): Page {
    return this.#opened.page;
  }

  /** The address of a view, without the token, which the first page has kept. */
  at(view = ''): string {
    return `${this.ui.address.split('#')[0] ?? ''}${view}`;
  }

  /** Opens the page in a new tab, as if nothing had happened. */
  async begin(): Promise<void> {
    this.leader.problem = undefined;
    this.leader.set({ ...web });
    await this.page.close();
    this.#opened = await openPage(this.browser);
    await this.page.goto(this.ui.address);
    await drawn(this.page);
  }

  /** What the browser has complained of since: errors, exceptions, violations of the policy. */
  complaints(): readonly string[] {
    return this.#opened.complaints.splice(0);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.ui.end();
    closeAll();
  }
}
