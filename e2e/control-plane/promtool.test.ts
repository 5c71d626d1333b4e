import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildPromtool, promtool } from './promtool';
import { type TemporaryDir, createTemporaryDir } from './temporary-dir';
import { pinnedVersion } from './versions';

/** A fake Go: the program that it builds has its `GOWORK` and its arguments as text. */
const fakeGo = `#!${process.execPath}
const { writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
if (args[0] === 'mod') console.log(JSON.stringify({ Dir: __dirname }));
if (args[0] === 'build') writeFileSync(args[args.indexOf('-o') + 1], 'GOWORK=' + process.env.GOWORK + ' ' + args.join(' '));
`;

let temporary: TemporaryDir;
let file: string;

beforeEach(() => {
  temporary = createTemporaryDir();
  file = path.join(temporary.dir, 'cache', 'promtool');
});

afterEach(() => temporary.dispose());

describe('buildPromtool', () => {
  it('builds it within its module and without its workspace, once', async () => {
    const goCommand = path.join(temporary.dir, 'go');
    writeFileSync(goCommand, fakeGo, { mode: 0o755 });
    await buildPromtool({ file, goCommand });
    const built = readFileSync(file, 'utf8');
    expect(built).toContain(`GOWORK=off build -C ${temporary.dir} -mod=readonly`);
    const version = pinnedVersion('prometheus', 'github.com/prometheus/prometheus').slice(1);
    expect(built).toContain(`-X github.com/prometheus/common/version.Version=${version}`);
    expect(built).toMatch(/ \.\/cmd\/promtool$/);
    await buildPromtool({ file, goCommand: path.join(temporary.dir, 'no-such-go') });
  });

  it('says what is needed without Go', async () => {
    const building = buildPromtool({ file, goCommand: path.join(temporary.dir, 'no-such-go') });
    await expect(building).rejects.toThrow('Go is needed to build promtool');
    expect(existsSync(file)).toBe(false);
  });
});

describe('promtool', () => {
  it('says how it is built', async () => {
    await expect(promtool(['--version'], { file })).rejects.toThrow('promtool is not built yet');
  });
});
