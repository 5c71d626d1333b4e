import { inspect } from 'node:util';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { FakeClock } from '../../runtime/fake-clock';
import { loadKubeconfig } from './kubeconfig';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reroll-kubeconfig-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

interface Entry {
  readonly name: string;
  readonly cluster: object;
  readonly user: object;
  readonly namespace?: string;
}

let files = 0;

/** Writes a kubeconfig with these clusters, each with a user and a context of the same name. */
function write(entries: readonly Entry[], current: string | number = entries[0]?.name ?? ''): string {
  const path = join(folder, `config-${files++}`);
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': current,
    clusters: entries.map(({ name, cluster }) => ({ name, cluster })),
    users: entries.map(({ name, user }) => ({ name, user })),
    contexts: entries.map(({ name, namespace }) => ({ name, context: { cluster: name, user: name, namespace } })),
  };
  writeFileSync(path, stringify(content));
  return path;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const one: Entry = {
  name: 'one',
  cluster: { server: 'https://one:6443', 'certificate-authority-data': base64('CA1'), 'tls-server-name': 'kubernetes' },
  user: { token: 't1' },
  namespace: 'shop',
};
const two: Entry = {
  name: 'two',
  cluster: { server: 'https://two:6443', 'insecure-skip-tls-verify': true },
  user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
};

const clock = new FakeClock();

describe('loadKubeconfig', () => {
  it('reads server, authority, token and namespace of the current context', async () => {
    const access = await loadKubeconfig({ path: write([one, two]), clock });
    expect(access).toMatchObject({
      server: 'https://one:6443',
      namespace: 'shop',
      tls: { ca: Buffer.from('CA1'), serverName: 'kubernetes' },
    });
    expect(access.tls).not.toHaveProperty('insecureSkipVerify');
    expect(await access.credentials.headers()).toEqual({ authorization: 'Bearer t1' });
  });

  it('uses another context, with a client certificate and without verification', async () => {
    const access = await loadKubeconfig({ path: write([one, two]), context: 'two', clock });
    expect(access).toMatchObject({
      server: 'https://two:6443',
      namespace: 'default',
      tls: { cert: Buffer.from('CERT'), key: Buffer.from('KEY'), insecureSkipVerify: true },
    });
    expect(await access.credentials.headers()).toEqual({});
  });

  it('takes certificates in the file before paths, which may lead nowhere', async () => {
    const path = write([
      {
        ...{ name: 'both', cluster: { ...one.cluster, 'certificate-authority': '/nowhere/ca' } },
        user: { ...two.user, 'client-certificate': '/nowhere/cert', 'client-key': '/nowhere/key' },
      },
    ]);
    const { tls } = await loadKubeconfig({ path, clock });
    expect(tls).toMatchObject({ ca: Buffer.from('CA1'), cert: Buffer.from('CERT'), key: Buffer.from('KEY') });
  });

  it('merges several files, the first winning', async () => {
    const first = write([one], '');
    const second = write([{ ...one, cluster: { server: 'https://wrong' } }, two], 'two');
    const merged = await loadKubeconfig({ path: [first, second].join(delimiter), clock });
    expect(merged.server).toBe('https://two:6443');
    const kept = await loadKubeconfig({ path: `${first}${delimiter}${second}`, context: 'one', clock });
    expect(kept.server).toBe('https://one:6443');
  });

  it('skips missing files if there are several, as kubectl does', async () => {
    const path = ['/nowhere/first', write([one]), '/nowhere/last'].join(delimiter);
    expect((await loadKubeconfig({ path, clock })).server).toBe('https://one:6443');
    const none = ['/nowhere/first', '/nowhere/last'].join(delimiter);
    await expect(loadKubeconfig({ path: none, clock })).rejects.toThrow(
      'there is no kubeconfig /nowhere/first or /nowhere/last',
    );
  });

  it.each([
    ['its own', { 'proxy-url': 'http://proxy:3128' }, {}, true],
    ['that of the environment', {}, { HTTPS_PROXY: 'proxy:3128' }, true],
    ['a SOCKS proxy', { 'proxy-url': 'socks5://proxy:1080' }, {}, true],
    ['none', {}, {}, false],
    ['none for a server that NO_PROXY names', {}, { HTTPS_PROXY: 'proxy:3128', NO_PROXY: 'one' }, false],
  ])('takes %s', async (_what, more, env, isProxied) => {
    const path = write([{ ...one, cluster: { ...one.cluster, ...more } }]);
    const { tls, reloadTls } = await loadKubeconfig({ path, env, clock });
    expect(tls.proxyAgent !== undefined).toBe(isProxied);
    expect((await reloadTls?.())?.proxyAgent !== undefined).toBe(isProxied);
  });

  it.each(['ftp://user:hunter2@proxy', 'user:hunter2@proxy', 'hunter2'])(
    'rejects a proxy-url that is no address of a proxy, without showing it: %s',
    async (proxyUrl) => {
      const path = write([{ ...one, cluster: { ...one.cluster, 'proxy-url': proxyUrl } }]);
      const error = await loadKubeconfig({ path, clock }).catch((thrown: unknown) => thrown as Error);
      expect((error as Error).message).toContain('is no address of a proxy');
      expect(inspect(error)).not.toMatch(/hunter/);
    },
  );

  it('sends user and password as basic authentication', async () => {
    const path = write([{ ...one, user: { username: 'u', password: 'p' } }]);
    const { credentials } = await loadKubeconfig({ path, clock });
    expect(await credentials.headers()).toEqual({ authorization: `Basic ${base64('u:p')}` });
  });

  it('reads a rewritten token once the old one is refused', async () => {
    const path = write([one]);
    const { credentials } = await loadKubeconfig({ path, clock });
    await credentials.headers();
    writeFileSync(path, readFileSync(path, 'utf8').replace('t1', 't2'));
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer t1' });
    await credentials.refresh();
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer t2' });
  });

  it('sends the token of a file beside the kubeconfig, which wins over one in it, and reads it again once refused', async () => {
    const path = write([{ ...one, user: { token: 'old', tokenFile: './token' } }]);
    writeFileSync(join(folder, 'token'), 'first\n');
    const { credentials } = await loadKubeconfig({ path, clock });
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer first' });
    writeFileSync(join(folder, 'token'), 'second\n');
    await credentials.refresh();
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer second' });
  });

  it('reports a file of a token that is missing, but not that of a user whom nobody chose', async () => {
    const path = write([one, { ...two, user: { tokenFile: '/nowhere/token' } }]);
    await expect(loadKubeconfig({ path, clock })).resolves.toMatchObject({ server: 'https://one:6443' });
    await expect(loadKubeconfig({ path, context: 'two', clock })).rejects.toThrow(
      `kubeconfig ${path}: cannot obtain credentials: ENOENT: no such file or directory, open '/nowhere/token'`,
    );
  });

  it('impersonates with groups, uid and more', async () => {
    const as = { as: 'alice', 'as-uid': '7', 'as-groups': ['dev', 'ops'], 'as-user-extra': { 'a/B': ['x', 'y'] } };
    const { credentials } = await loadKubeconfig({ path: write([{ ...one, user: { ...one.user, ...as } }]), clock });
    expect(await credentials.headers()).toEqual({
      authorization: 'Bearer t1',
      'impersonate-user': 'alice',
      'impersonate-uid': '7',
      'impersonate-group': 'dev\nops',
      'impersonate-extra-a%2fb': 'x\ny',
    });
  });

  it('runs an exec plugin once until its token expires or is refused', async () => {
    const runs = join(folder, 'runs');
    writeFileSync(runs, '');
    const status = '{"status":{"token":"from-plugin","expirationTimestamp":"2099-01-01T00:00:00Z"}}';
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/bin/sh',
      args: ['-c', `echo run >> ${runs}; echo '${status}'`],
    };
    const access = await loadKubeconfig({ path: write([{ ...one, user: { exec } }]), clock });
    await Promise.all([access.credentials.headers(), access.credentials.headers(), access.credentials.headers()]);
    await clock.advance(120_000);
    expect(await access.credentials.headers()).toEqual({ authorization: 'Bearer from-plugin' });
    await access.reloadTls?.();
    expect(readFileSync(runs, 'utf8')).toBe('run\n');
    await Promise.all([access.credentials.refresh(), access.credentials.refresh()]);
    expect(readFileSync(runs, 'utf8')).toBe('run\nrun\n');
  });

  it('finds a plugin beside the kubeconfig, wherever it runs', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './bin/plugin' };
    mkdirSync(join(folder, 'bin'), { recursive: true });
    const script = `#!/bin/sh\necho '{"status":{"token":"from-beside"}}'\n`;
    writeFileSync(join(folder, 'bin', 'plugin'), script, { mode: 0o755 });
    const { credentials } = await loadKubeconfig({ path: write([{ ...one, user: { exec } }]), clock });
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer from-beside' });
  });

  it.each([
    [{}, undefined],
    [
      { provideClusterInfo: true },
      {
        server: 'https://one:6443',
        'tls-server-name': 'kubernetes',
        'certificate-authority-data': base64('CA1'),
        'proxy-url': 'http://proxy',
      },
    ],
  ])('tells a plugin what kubectl tells it: %j', async (more, cluster) => {
    const told = join(folder, 'told');
    const args = ['-c', `printf %s "$KUBERNETES_EXEC_INFO" > ${told}; echo '{"status":{"token":"t"}}'`];
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: '/bin/sh', args, ...more };
    const user = { exec: { ...exec, env: [{ name: 'OTHER', value: 'x' }] } };
    const path = write([{ ...one, user, cluster: { ...one.cluster, 'proxy-url': 'http://proxy' } }]);
    const { credentials } = await loadKubeconfig({ path, clock });
    await credentials.headers();
    expect(JSON.parse(readFileSync(told, 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      spec: { interactive: false, ...(cluster && { cluster }) },
    });
  });

  it('reports the message of a plugin that fails', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/bin/sh',
      args: ['-c', 'echo log in first >&2; exit 1'],
    };
    const path = write([{ ...one, user: { exec } }]);
    await expect(loadKubeconfig({ path, clock })).rejects.toThrow(/cannot obtain credentials: log in first/);
  });

  it('does not repeat what a plugin prints instead of JSON, which may be a token', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/bin/sh',
      args: ['-c', 'echo s3cr3t-t0ken'],
    };
    const failure: unknown = await loadKubeconfig({ path: write([{ ...one, user: { exec } }]), clock }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(failure)).toMatch(/cannot obtain credentials: the exec plugin of the user printed no JSON/);
    expect(inspect(failure)).not.toContain('s3cr3t');
  });

  it.each<[string, object]>([
    ['gcp without settings', { name: 'gcp' }],
    ['azure without settings', { name: 'azure', config: null }],
    [
      'gcp without the keys of what its command prints',
      { name: 'gcp', config: { 'cmd-path': '/bin/echo', 'cmd-args': '{}' } },
    ],
    ['one that nobody knows', { name: 'openstack', config: {} }],
    ['one without a name', {}],
  ])('rejects an auth-provider that it cannot use: %s', async (_what, provider) => {
    const path = write([{ ...one, user: { 'auth-provider': provider } }]);
    await expect(loadKubeconfig({ path, clock })).rejects.toThrow(
      `kubeconfig ${path}: its auth-provider is not supported or incomplete; use an exec plugin`,
    );
  });

  it('sends the token that an auth-provider has stored', async () => {
    const provider = { name: 'gcp', config: { 'access-token': 'stored' } };
    const access = await loadKubeconfig({ path: write([{ ...one, user: { 'auth-provider': provider } }]), clock });
    expect(await access.credentials.headers()).toEqual({ authorization: 'Bearer stored' });
  });

  it('rejects a server without encryption unless the file says insecure', async () => {
    const plain = { ...one, cluster: { server: 'http://one:8080' } };
    await expect(loadKubeconfig({ path: write([plain]), clock })).rejects.toThrow(/http:\/\/one:8080 is not encrypted/);
    const meant = { ...one, cluster: { server: 'http://one:8080', 'insecure-skip-tls-verify': true } };
    expect((await loadKubeconfig({ path: write([meant]), clock })).server).toBe('http://one:8080');
  });

  it.each(['one', 'one:6443', '10.0.0.1:6443', 'https://one:66443', 'ftp://one'])(
    'rejects %j for the address of a server',
    async (server) => {
      const path = write([{ ...one, cluster: { server, 'insecure-skip-tls-verify': true } }]);
      await expect(loadKubeconfig({ path, clock })).rejects.toThrow(
        `kubeconfig ${path}: "${server}" is no address of a server; write one such as https://10.0.0.1:6443`,
      );
    },
  );

  it.each([
    ['a missing file', () => '/nowhere/config', /^there is no kubeconfig \/nowhere\/config; /],
    ['a directory', () => folder, /^cannot read kubeconfig \S+: it is a directory; /],
    ['a name with terminal escapes', () => write([one], '\u001b[2J'), /has no context "\\u001b\[2J"/],
    ['a very long name', () => write([one], 'x'.repeat(3_000)), /has no context "x{400,500}…"/],
    ['a number for a name', () => write([one], 0), /has no context "0"; it has: one/],
    ['a missing context', () => write([one], 'gone'), /has no context "gone"; it has: one/],
    ['no path at all', () => '', /^no kubeconfig is named: KUBECONFIG holds no path/],
    ['paths without a name', () => ':', /^no kubeconfig is named: KUBECONFIG holds no path/],
  ])('names %s', async (_what, path, message) => {
    await expect(loadKubeconfig({ path: path(), clock })).rejects.toThrow(message);
  });

  it.each([
    [
      'wrong indentation',
      'users:\n- name: me\n  user:\n    token: hunter2\n   password: hunter3\n',
      /cannot read kubeconfig/,
    ],
    ['no content', '', /it is empty or not a kubeconfig/],
    ['one word', 'hunter2', /it is empty or not a kubeconfig/],
    ['another object', 'kind: Secret\ndata:\n  a: hunter2\n', /it is empty or not a kubeconfig/],
    ['no entries', 'apiVersion: v1\nkind: Config\n', /names no current context; it has: none/],
  ])('rejects a file with %s, and quotes none of it', async (_what, content, message) => {
    const path = write([one]);
    writeFileSync(path, content);
    const error = await loadKubeconfig({ path, clock }).catch((thrown: unknown) => thrown as Error);
    expect((error as Error).message).toMatch(message);
    expect(inspect(error)).not.toMatch(/hunter/);
  });

  it('names a context whose cluster is missing', async () => {
    const path = write([one]);
    writeFileSync(path, readFileSync(path, 'utf8').replace('cluster: one', 'cluster: lost'));
    await expect(loadKubeconfig({ path, clock })).rejects.toThrow(
      /its context names a cluster that is not in the file: "lost"$/,
    );
  });

  it('names a context whose user is missing', async () => {
    const path = write([one]);
    writeFileSync(path, readFileSync(path, 'utf8').replace('user: one', 'user: lost'));
    await expect(loadKubeconfig({ path, clock })).rejects.toThrow(
      /its context names a user that is not in the file: "lost"$/,
    );
  });

  it('reads a file in which a context that nobody chose is not complete, as kubectl does', async () => {
    const path = write([one]);
    const contexts = `contexts:\n  - { name: half, context: { namespace: shop } }\n  - name: none`;
    writeFileSync(path, readFileSync(path, 'utf8').replace('contexts:', contexts));
    const { server, credentials } = await loadKubeconfig({ path, clock });
    expect(server).toBe('https://one:6443');
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer t1' });
    for (const context of ['half', 'none']) {
      await expect(loadKubeconfig({ path, context, clock })).rejects.toThrow(
        /its context names a cluster that is not in the file/,
      );
    }
  });

  it('reads a file in which a cluster has no server and a user no name', async () => {
    const path = write([one]);
    const text = readFileSync(path, 'utf8').replace('clusters:', 'clusters:\n  - { name: half, cluster: {} }');
    writeFileSync(path, text.replace('users:', 'users:\n  - { user: { tokenFile: /nowhere } }'));
    expect(await (await loadKubeconfig({ path, clock })).credentials.headers()).toEqual({ authorization: 'Bearer t1' });
  });

  it('needs no user if the context names none', async () => {
    const path = write([one]);
    writeFileSync(path, readFileSync(path, 'utf8').replace('      user: one\n', ''));
    const { credentials } = await loadKubeconfig({ path, clock });
    expect(await credentials.headers()).toEqual({});
  });

  it('reads none of several files if one is no kubeconfig', async () => {
    const other = join(folder, 'notes');
    writeFileSync(other, 'hunter2');
    await expect(loadKubeconfig({ path: [write([one]), other].join(delimiter), clock })).rejects.toThrow(
      /it is empty or not a kubeconfig/,
    );
  });

  it.each(['', '\n'])('skips a file that is empty if another is not, as kubectl does: %j', async (content) => {
    const empty = join(folder, 'empty');
    writeFileSync(empty, content);
    for (const path of [
      [empty, write([one])],
      [write([one]), empty],
    ]) {
      expect((await loadKubeconfig({ path: path.join(delimiter), clock })).server).toBe('https://one:6443');
    }
    await expect(loadKubeconfig({ path: [empty, empty].join(delimiter), clock })).rejects.toThrow(
      `cannot read kubeconfig ${empty} or ${empty}: it is empty or not a kubeconfig; fix it`,
    );
  });

  it('names the one of several files that it cannot read', async () => {
    const other = join(folder, 'other');
    writeFileSync(other, 'users:\n- name: me\n   user: {}\n');
    await expect(loadKubeconfig({ path: [write([one]), other].join(delimiter), clock })).rejects.toThrow(
      `cannot read kubeconfig ${other}: `,
    );
  });

  it('reloads TLS material', async () => {
    const path = write([one]);
    const { reloadTls } = await loadKubeconfig({ path, clock });
    writeFileSync(path, readFileSync(path, 'utf8').replace(base64('CA1'), base64('CA2')));
    expect((await reloadTls?.())?.ca).toEqual(Buffer.from('CA2'));
    writeFileSync(path, readFileSync(path, 'utf8').replace(base64('CA2'), base64('CA1')));
    expect((await reloadTls?.())?.ca).toEqual(Buffer.from('CA1'));
  });
});
