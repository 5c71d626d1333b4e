import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { Browser } from './chromium';

const axePath = createRequire(__filename).resolve('axe-core/axe.min.js');

/** A page, and what its browser complained of. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors and warnings on the console, exceptions, and violations of the policy. */
  readonly complaints: string[];
}

/** Opens a new tab that notes whatever goes wrong. */
export async function openPage({ context }: Browser): Promise<OpenedPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  // Scripts of the test are not subject to the policy of the page.
  await page.addInitScript({ path: axePath });
  return { page, complaints };
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** What axe finds serious or critical, each with the first element that it is about. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: { run: () => Promise<AxeResult> } };
    return await axe.run();
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html ?? ''}`);
}

/** Resolves when the page has drawn workloads. */
export async function drawn(page: Page): Promise<void> {
  await page.locator('[role=row][id]').first().waitFor();
}
