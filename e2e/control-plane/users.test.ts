import { readFileSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'yaml';
import type { Identity } from './certificates';
import { type TemporaryDir, createTemporaryDir } from './temporary-dir';
import { UserDirectory } from './users';

type Issue = (user: string, groups: readonly string[]) => Promise<Identity>;

let temporary: TemporaryDir;
let issue: jest.Mock<Issue>;
let users: UserDirectory;

beforeEach(() => {
  temporary = createTemporaryDir();
  issue = jest.fn<Issue>(async (user, groups) => ({ certPem: `cert ${user} ${groups.join()}`, keyPem: `key ${user}` }));
  users = new UserDirectory({ server: 'https://127.0.0.1:1', caPem: 'ca', dir: temporary.dir, issue });
});

afterEach(() => temporary.dispose());

describe('identityFor', () => {
  it('issues one certificate per user and set of groups', async () => {
    const [first, second] = await Promise.all([users.identityFor('a', ['x', 'y']), users.identityFor('a', ['y', 'x'])]);
    expect(first).toBe(second);
    await users.identityFor('a');
    await users.identityFor('b', ['x', 'y']);
    expect(issue).toHaveBeenCalledTimes(3);
  });

  it('knows a user that was issued elsewhere', async () => {
    const identity = { certPem: 'cert', keyPem: 'key' };
    users.add('a', ['x'], identity);
    await expect(users.identityFor('a', ['x'])).resolves.toBe(identity);
    expect(issue).not.toHaveBeenCalled();
  });

  it('tries again after a failure', async () => {
    issue.mockRejectedValueOnce(new Error('no'));
    await expect(users.identityFor('a')).rejects.toThrow('no');
    await expect(users.identityFor('a')).resolves.toMatchObject({ keyPem: 'key a' });
  });
});

describe('kubeconfigFor', () => {
  it('writes a file with everything inline that only its owner can read', async () => {
    const file = await users.kubeconfigFor('system:serviceaccount:a/b', ['dev']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const config = parse(readFileSync(file, 'utf8'));
    const base64 = (content: string): string => Buffer.from(content).toString('base64');
    expect(config.clusters[0].cluster).toEqual({
      server: 'https://127.0.0.1:1',
      'certificate-authority-data': base64('ca'),
    });
    expect(config.users[0].user).toEqual({
      'client-certificate-data': base64('cert system:serviceaccount:a/b dev'),
      'client-key-data': base64('key system:serviceaccount:a/b'),
    });
  });

  it('has one file per user and set of groups', async () => {
    const files = await Promise.all([
      users.kubeconfigFor('a'),
      users.kubeconfigFor('a', ['x']),
      users.kubeconfigFor('b'),
    ]);
    expect(new Set(files).size).toBe(3);
    await expect(users.kubeconfigFor('a')).resolves.toBe(files[0]);
  });
});
