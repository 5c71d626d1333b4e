import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The program that opens a file in the browser, with its arguments before the file. */
function openerOn(platform: NodeJS.Platform): readonly [command: string, ...args: readonly string[]] {
  switch (platform) {
    case 'darwin':
      return ['open'];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler'];
    default:
      return ['xdg-open'];
  }
}

/** Opens files in a browser. */
export type Launch = (command: string, args: readonly string[]) => void;

/** Nobody waits for the browser, and without one the address is on the terminal. */
export const launchDetached: Launch = (command, args) => {
  const child = spawn(command, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
};

/** A file that a browser was told to open. */
export interface OpenedFile {
  /** Removes the file. Call it when the page has loaded, or at the end. */
  remove(): void;
}

/**
 * Opens an address in the browser, by a file that only this user may read and that leads there: arguments of programs are
 * seen by all users of the computer, and the address has the token.
 */
export function openInBrowser(address: string, platform: NodeJS.Platform, launch: Launch): OpenedFile {
  const folder = mkdtempSync(path.join(tmpdir(), 'reroll-ui-'));
  const file = path.join(folder, 'open.html');
  writeFileSync(file, redirectTo(address), { mode: 0o600 });
  const opened = { remove: () => rmSync(folder, { recursive: true, force: true }) };
  const [command, ...args] = openerOn(platform);
  try {
    launch(command, [...args, file]);
  } catch (thrown) {
    opened.remove();
    throw thrown;
  }
  return opened;
}

/** The address is of our own making, and has no character that HTML would read. */
function redirectTo(address: string): string {
  const meta = `<meta charset="utf-8"><meta name="referrer" content="no-referrer">`;
  return `<!doctype html>${meta}<meta http-equiv="refresh" content="0; url=${address}"><title>Reroll</title>\n`;
}
