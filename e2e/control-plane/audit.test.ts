import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { readAuditLog, uniqueRequests } from './audit';
import { type TemporaryDir, createTemporaryDir } from './temporary-dir';

let temporary: TemporaryDir;
let file: string;

const line = (auditID: string, username: string, stage = 'ResponseComplete'): string =>
  JSON.stringify({ auditID, stage, verb: 'watch', requestURI: '/api', user: { username } });

beforeEach(() => {
  temporary = createTemporaryDir();
  file = path.join(temporary.dir, 'audit.log');
});

afterEach(() => temporary.dispose());

it('reads every entry, or those of one user', async () => {
  writeFileSync(file, `${line('1', 'reroll')}\n${line('2', 'admin')}\n`);
  expect((await readAuditLog(file)).map(({ auditID }) => auditID)).toEqual(['1', '2']);
  expect((await readAuditLog(file, { user: 'reroll' })).map(({ auditID }) => auditID)).toEqual(['1']);
});

it('leaves out a line that the server is still writing', async () => {
  writeFileSync(file, `${line('1', 'reroll')}\n${line('2', 'reroll').slice(0, 20)}`);
  expect(await readAuditLog(file)).toHaveLength(1);
});

it('rejects when there is no log', async () => {
  await expect(readAuditLog(file)).rejects.toThrow('ENOENT');
});

it('counts a watch once', async () => {
  writeFileSync(file, [line('1', 'a', 'ResponseStarted'), line('2', 'a'), line('1', 'a')].join('\n'));
  expect(uniqueRequests(await readAuditLog(file)).map(({ auditID, stage }) => [auditID, stage])).toEqual([
    ['1', 'ResponseStarted'],
    ['2', 'ResponseComplete'],
  ]);
});
