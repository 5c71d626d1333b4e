import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { openInBrowser } from './browser-opener';

const address = 'http://127.0.0.1:8088/#token=0123456789abcdef0123456789abcdef';

it.each([
  ['linux', 'xdg-open', []],
  ['darwin', 'open', []],
  ['win32', 'rundll32', ['url.dll,FileProtocolHandler']],
] as const)(
  'opens a file that leads to the page on %s, and shows the token in no argument',
  (platform, program, before) => {
    const launched: (readonly string[])[] = [];
    const opened = openInBrowser(address, platform, (command, args) => void launched.push([command, ...args]));
    const [[command, ...args] = []] = launched;
    const file = args.at(-1) ?? '';
    expect([command, ...args.slice(0, -1)]).toEqual([program, ...before]);
    expect(launched.flat().join(' ')).not.toContain('token');
    expect(readFileSync(file, 'utf8')).toContain(`content="0; url=${address}"`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    opened.remove();
    expect(existsSync(path.dirname(file))).toBe(false);
  },
);

it('leaves no file behind if the browser cannot be started', () => {
  let file = '';
  const failing = (_command: string, args: readonly string[]): never => {
    file = args.at(-1) ?? '';
    throw new Error('spawn E2BIG');
  };
  expect(() => openInBrowser(address, 'linux', failing)).toThrow('spawn E2BIG');
  expect([file === '', existsSync(path.dirname(file))]).toEqual([false, false]);
});
