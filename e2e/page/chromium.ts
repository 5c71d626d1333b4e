import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type BrowserContext } from 'playwright-core';

/** Names an executable that is elsewhere. */
const variable = 'REROLL_E2E_CHROMIUM';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The Chromium of this machine. @throws if there is none */
export function chromiumPath(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const named = env[variable];
  const found = named === undefined || named === '' ? places.find((place) => existsSync(place)) : named;
  if (found !== undefined && existsSync(found)) return found;
  throw new Error(
    `there is no Chromium${named === undefined ? '' : ` at ${named}`}: install one (apt-get install -y chromium), or name it with ${variable}`,
  );
}

/** Without these, Chromium asks hosts of its maker for updates and more. A container has no sandbox for root. */
const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
];

export interface Browser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** A headless Chromium with a profile of its own. */
export async function openChromium(colorScheme: 'light' | 'dark' = 'light'): Promise<Browser> {
  const profile = mkdtempSync(path.join(tmpdir(), 'reroll-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    ...{ executablePath: chromiumPath(), headless: true, args: flags, colorScheme },
    viewport: { width: 1440, height: 900 },
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
