import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../runtime/fake-clock';
import { CredentialsError, RenewedCredentials, staticCredentials, tokenFileCredentials } from './credentials';
import { isInCluster, loadInCluster } from './in-cluster';

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

describe('RenewedCredentials', () => {
  it('caches credentials for a minute', async () => {
    const clock = new FakeClock();
    let count = 0;
    const credentials = new RenewedCredentials(clock, async () => ({ authorization: `Bearer ${++count}` }));
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer 1' });
    await clock.advance(59_999);
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer 1' });
    await clock.advance(1);
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer 2' });
  });

  it('obtains new credentials at once after a refusal, and reports the reason', async () => {
    const reasons: string[] = [];
    const credentials = new RenewedCredentials(new FakeClock(), async (reason) => {
      reasons.push(reason);
      return {};
    });
    await credentials.headers();
    await credentials.refresh();
    await credentials.headers();
    expect(reasons).toEqual(['aged', 'refused']);
  });

  it('obtains credentials once for concurrent requests', async () => {
    let count = 0;
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const credentials = new RenewedCredentials(new FakeClock(), async () => {
      count++;
      await gate;
      return { authorization: 'x' };
    });
    const all = [credentials.headers(), credentials.headers(), credentials.refresh(), credentials.refresh()];
    release();
    await Promise.all(all);
    expect(count).toBe(1);
  });

  it('retries after a failure', async () => {
    let count = 0;
    const credentials = new RenewedCredentials(new FakeClock(), async () => {
      if (count++ === 0) throw new CredentialsError('plugin failed');
      return { authorization: 'x' };
    });
    await expect(credentials.headers()).rejects.toThrow('plugin failed');
    expect(await credentials.headers()).toEqual({ authorization: 'x' });
  });

  it('uses the last credentials while it cannot obtain others, until the server refuses them', async () => {
    const clock = new FakeClock();
    let token: string | undefined = 'one';
    const credentials = new RenewedCredentials(clock, async () => {
      if (token === undefined) throw new CredentialsError('EMFILE: too many open files');
      return { authorization: token };
    });
    await credentials.headers();
    token = undefined;
    await clock.advance(60_000);
    expect(await credentials.headers()).toEqual({ authorization: 'one' });
    await expect(credentials.refresh()).rejects.toThrow('EMFILE');
    token = 'two';
    expect(await credentials.headers()).toEqual({ authorization: 'two' });
  });
});

describe('tokenFileCredentials', () => {
  it('follows the file', async () => {
    const clock = new FakeClock();
    let token = 'one\n';
    const credentials = tokenFileCredentials('/token', async () => Buffer.from(token), clock);
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer one' });
    token = 'two\n';
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer one' });
    await credentials.refresh();
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer two' });
  });

  it('names the file that is missing or empty', async () => {
    const missing = tokenFileCredentials(
      '/token',
      async () => await Promise.reject(new Error('ENOENT')),
      new FakeClock(),
    );
    await expect(missing.headers()).rejects.toThrow(
      /service account token \/token: ENOENT.*automountServiceAccountToken/,
    );
    const empty = tokenFileCredentials('/token', async () => Buffer.from(' \n'), new FakeClock());
    await expect(empty.headers()).rejects.toThrow(/\/token is empty/);
  });
});

describe('staticCredentials', () => {
  it('never changes', async () => {
    const credentials = staticCredentials({ authorization: 'x' });
    await credentials.refresh();
    expect(await credentials.headers()).toEqual({ authorization: 'x' });
  });
});

describe('loadInCluster', () => {
  const files: Record<string, string> = {
    [`${serviceAccount}/token`]: 'token',
    [`${serviceAccount}/ca.crt`]: 'CA',
    [`${serviceAccount}/namespace`]: 'reroll\n',
  };
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' };
  const load = async (environment: Record<string, string>, without?: string): ReturnType<typeof loadInCluster> =>
    await loadInCluster({
      env: environment,
      clock: new FakeClock(),
      readFile: async (path) => {
        const content = files[path];
        if (content === undefined || path.endsWith(without ?? '/none')) throw new Error('ENOENT');
        return Buffer.from(content);
      },
    });

  it('finds server, authority, token and namespace', async () => {
    const access = await load(env);
    expect(access).toMatchObject({
      server: 'https://10.0.0.1:6443',
      tls: { ca: Buffer.from('CA') },
      namespace: 'reroll',
    });
    expect(await access.credentials.headers()).toEqual({ authorization: 'Bearer token' });
    expect(await access.reloadTls?.()).toEqual({ ca: Buffer.from('CA') });
  });

  it('writes an IPv6 address as a URL does', async () => {
    expect((await load({ ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' })).server).toBe('https://[fd00::1]:6443');
  });

  it.each(['token', 'ca.crt', 'namespace'])('names a missing %s', async (name) => {
    await expect(load(env, name)).rejects.toThrow(new RegExp(`${serviceAccount}/${name}`));
  });

  it('reports that it does not run in a cluster', async () => {
    expect([isInCluster({}), isInCluster(env)]).toEqual([false, true]);
    await expect(load({})).rejects.toThrow(/KUBERNETES_SERVICE_HOST is not set/);
  });
});
