import { afterEach, describe, expect, it } from '@jest/globals';
import { createObject } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import { FakeClock } from '../../shared/runtime/fake-clock';
import type { Clock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { parseOptions, type Environment } from '../../shared/runtime/options/options';
import { connect } from './cluster';
import { clusterOptionTable } from './cluster-options';
import {
  answering,
  closeAll,
  httpAnswer,
  kubeconfigFor,
  kubeServer,
  lease,
  onChannel,
  portNumber,
  proxyTo,
  serverFrame,
  type KubeServerOptions,
  type Pod,
} from './kube-server.fixture';
import { LeaderSilentError } from './silence';

afterEach(closeAll);

const pod = 'reroll-7d9f8b6c5-x2x4z';
const answer = { v: 1, workloads: [] };
const answered = { pod, body: answer, bytes: Buffer.byteLength(JSON.stringify(answer)) };
const good: KubeServerOptions = { lease: lease(pod), pods: { [pod]: answering(200, answer) } };

interface Given {
  readonly args?: readonly string[];
  readonly env?: Environment;
  readonly kubeconfig: string;
}

async function ask({ args = [], env = {}, kubeconfig }: Given, clock: Clock = new FakeClock()): Promise<unknown> {
  const options = parseOptions(clusterOptionTable, [`--kubeconfig=${kubeconfig}`, ...args], {});
  const cluster = await connect(options, env, { clock, random: systemRandom });
  try {
    return await cluster.ask('/v1/workloads');
  } finally {
    await cluster.close();
  }
}

async function askServer(options: KubeServerOptions, ...args: readonly string[]): Promise<unknown> {
  const { port } = await kubeServer(options);
  return await ask({ args, kubeconfig: kubeconfigFor(`https://127.0.0.1:${port}`) });
}

/** Why the leader was silent, and the message. */
async function silenceOf(asking: Promise<unknown>): Promise<readonly [string, string]> {
  const thrown = await asking.then(
    () => undefined,
    (error: unknown) => error,
  );
  return thrown instanceof LeaderSilentError ? [thrown.silence, thrown.message] : ['no silence', String(thrown)];
}

describe('the leader', () => {
  it('is found by the Lease, and asked on a port of its pod, under a name that it answers to', async () => {
    const server = await kubeServer(good);
    const kubeconfig = kubeconfigFor(`https://127.0.0.1:${server.port}`, { user: { token: 't1' } });
    expect(await ask({ kubeconfig })).toEqual(answered);
    expect(server.requests).toEqual([
      { path: '/apis/coordination.k8s.io/v1/namespaces/reroll/leases/reroll', authorization: 'Bearer t1' },
      { path: `/api/v1/namespaces/reroll/pods/${pod}/portforward?ports=9095`, authorization: 'Bearer t1' },
    ]);
    expect(server.questions).toEqual([
      expect.stringMatching(/^\0GET \/v1\/workloads HTTP\/1\.1\r\nhost: localhost\r\n/),
    ]);
  });

  it('is found where a random suffix follows the name of the pod in the Lease', async () => {
    expect(await askServer({ ...good, lease: lease(`${pod}-0123abcd`) })).toEqual(answered);
  });

  it.each<[string, string, string]>([
    ['--reroll-namespace=tools', 'the namespace', '/namespaces/tools/pods/'],
    ['--lease-name=stakater-reloader-lock', 'the Lease', '/leases/stakater-reloader-lock'],
    ['--inspection-port=9999', 'the port', 'ports=9999'],
  ])('%s says %s', async (flag, _what, part) => {
    const { port, requests } = await kubeServer(good);
    await ask({ args: [flag], kubeconfig: kubeconfigFor(`https://127.0.0.1:${port}`) });
    expect(requests.map(({ path }) => path).join(' ')).toContain(part);
  });

  it('is asked once where its name in the Lease has no random suffix', async () => {
    const { port, requests } = await kubeServer({ ...good, pods: {} });
    await silenceOf(ask({ kubeconfig: kubeconfigFor(`https://127.0.0.1:${port}`) }));
    expect(requests).toHaveLength(2);
  });

  it('may send a message in several frames', async () => {
    const bytes = Buffer.concat([Buffer.from([0]), Buffer.from(httpAnswer(200, answer))]);
    const fragmenting: Pod = (socket) => {
      socket.write(Buffer.concat([portNumber(0), portNumber(1)]));
      socket.write(serverFrame(2, bytes.subarray(0, 20), false));
      socket.write(serverFrame(9, Buffer.from('ping')));
      socket.write(serverFrame(0, bytes.subarray(20, 40), false));
      socket.end(serverFrame(0, bytes.subarray(40)));
    };
    expect(await askServer({ ...good, pods: { [pod]: fragmenting } })).toEqual(answered);
  });

  it('sends answers in any pieces', async () => {
    const body = { v: 1, workloads: Array.from({ length: 50 }, (_, index) => ({ name: `web-${index}` })) };
    const slow: Pod = (socket) => {
      const chunks: Buffer[] = [];
      const recorded = { write: (chunk: Buffer) => chunks.push(chunk), end: (chunk: Buffer) => chunks.push(chunk) };
      answering(200, body)(recorded as never, '');
      const bytes = Buffer.concat([serverFrame(9, Buffer.from('ping')), ...chunks]);
      void (async () => {
        for (let at = 0; at < bytes.length; at += 7) {
          socket.write(bytes.subarray(at, at + 7));
          await new Promise((resolve) => setImmediate(resolve));
        }
        socket.end();
      })();
    };
    expect(await askServer({ ...good, pods: { [pod]: slow } })).toMatchObject({ pod, body });
  });
});

describe('a leader that cannot be asked', () => {
  const forbidden = (verb: string, resource: string) => ({
    status: 403,
    message: `${resource} "x" is forbidden: User "alice" cannot ${verb} resource "${resource}" in API group "" in the namespace "reroll"`,
  });
  const refused: Pod = (socket) => {
    socket.write(Buffer.concat([portNumber(0), portNumber(1)]));
    socket.write(onChannel(1, 'error forwarding port 9095 to pod x: connect: connection refused'));
    socket.end();
  };
  const half: Pod = (socket) => {
    socket.write(Buffer.concat([portNumber(0), portNumber(1)]));
    socket.end(onChannel(0, 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"v":1'));
  };
  const problem = (code: string) => ({ v: 1, code, message: `because ${code}` });
  const withPod = (serve: Pod): KubeServerOptions => ({ ...good, pods: { [pod]: serve } });

  it.each<[string, KubeServerOptions, string, RegExp]>([
    [
      ...(['the right to forward is missing', { ...good, refusal: forbidden('get', 'pods/portforward') }] as const),
      ...(['no-right', /^you may not get pods\/portforward in namespace reroll$/] as const),
    ],
    [
      ...([
        'a newer API server wants another verb',
        { ...good, refusal: forbidden('create', 'pods/portforward') },
      ] as const),
      ...(['no-right', /^you may not create pods\/portforward in namespace reroll$/] as const),
    ],
    [
      ...(['the right to read the Lease is missing', { ...good, leaseRefusal: forbidden('get', 'leases') }] as const),
      ...(['no-right', /^you may not get leases\.coordination\.k8s\.io in namespace reroll$/] as const),
    ],
    [
      'there is no Lease',
      { ...good, lease: undefined },
      'no-lease',
      /^there is no Lease reroll in namespace reroll: .*--reroll-namespace/,
    ],
    ['nobody holds the Lease', { ...good, lease: lease('') }, 'nobody-leads', /^nobody holds Lease reroll\/reroll$/],
    [
      'the holder is no pod',
      { ...good, pods: {} },
      'not-a-pod',
      /^the leader reroll-\S+ is no pod of namespace reroll$/,
    ],
    [
      ...([
        'the holder is gone, and nobody has followed',
        { ...good, pods: {}, lease: lease(pod, '2025-12-31T23:50:00Z') },
      ] as const),
      ...(['nobody-leads', /has not renewed Lease reroll\/reroll for 600 seconds$/] as const),
    ],
    [
      ...([
        'the holder is gone, and the right to forward is missing',
        { ...good, refusal: forbidden('get', 'pods/portforward'), lease: lease(pod, '2025-12-31T23:50:00Z') },
      ] as const),
      ...(['nobody-leads', /has not renewed Lease reroll\/reroll for 600 seconds$/] as const),
    ],
    [
      'the pod refuses the port',
      withPod(refused),
      'no-interface',
      /^nothing answers on port 9095 of the leader .*--inspection-port/,
    ],
    ['the handshake is wrong', { ...good, accept: 'wrong' }, 'unreachable', /does not speak WebSocket$/],
    ['it closes in the middle', withPod(half), 'unreachable', /^the leader \S+ cannot be reached: /],
    ['something else answers', withPod(answering(200, '<html>')), 'no-interface', /is not Reroll, or another version/],
    [
      'it is of an older version',
      withPod(answering(404, problem('no-such-path'))),
      'no-interface',
      /because no-such-path/,
    ],
    [
      'it is of a version to come',
      withPod(answering(200, { v: 2 })),
      'other-version',
      /speaks another version of the interface \(2\)/,
    ],
    ['it is starting', withPod(answering(503, problem('not-synced'))), 'not-ready', /answers: because not-synced$/],
    ['it leads no more', withPod(answering(503, problem('not-leading'))), 'not-ready', /because not-leading$/],
    ['it restarts nothing', withPod(answering(404, problem('no-workloads'))), 'no-workloads', /because no-workloads$/],
    [
      ...([
        'the node cannot be reached',
        { ...good, refusal: { status: 500, message: 'error dialing backend: timeout' } },
      ] as const),
      ...(['unreachable', /cannot be reached: .*error dialing backend/] as const),
    ],
    [
      'the frames are none',
      withPod((socket) => socket.end(Buffer.from([0x82, 0xff, 1, 2, 3, 4, 5]))),
      'unreachable',
      /the server masks its frames/,
    ],
  ])('is told of: %s', async (_what, options, silence, message) => {
    expect(await silenceOf(askServer(options))).toEqual([silence, expect.stringMatching(message)]);
  });

  it.each([
    ['Thu, 01 Jan 2026 05:00:00 GMT', '2026-01-01T05:00:00.000000Z', 'not-a-pod'],
    ['Thu, 01 Jan 2026 05:00:00 GMT', '2026-01-01T00:00:00.000000Z', 'nobody-leads'],
  ])('renews its Lease or not by the clock of the API server: now %s, renewed %s', async (date, renewed, silence) => {
    const renewing = await silenceOf(askServer({ ...good, date, pods: {}, lease: lease(pod, renewed) }));
    expect(renewing[0]).toBe(silence);
  });

  it.each<[string, (hang: () => void) => KubeServerOptions]>([
    ['the API server', (hangs) => ({ ...good, hangs })],
    ['the pod', (hangs) => withPod(hangs)],
  ])('is given up by --timeout where %s does not answer', async (_what, optionsOf) => {
    const clock = new FakeClock();
    const { port } = await kubeServer(optionsOf(() => void clock.advance(50)));
    const kubeconfig = kubeconfigFor(`https://127.0.0.1:${port}`);
    const asking = silenceOf(ask({ args: ['--timeout=50ms'], kubeconfig }, clock));
    expect(await asking).toEqual(['unreachable', expect.stringContaining('no answer within 50 ms')]);
  });
});

describe('a kubeconfig', () => {
  it('has a plugin for its credentials', async () => {
    const { port, requests } = await kubeServer({ ...good, token: 'from-plugin' });
    const credential =
      '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"from-plugin"}}';
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'echo',
      args: [credential],
      interactiveMode: 'Never',
    };
    expect(await ask({ kubeconfig: kubeconfigFor(`https://127.0.0.1:${port}`, { user: { exec } }) })).toEqual(answered);
    expect(requests.every(({ authorization }) => authorization === 'Bearer from-plugin')).toBe(true);
  });

  it.each([
    ['its proxy-url', { 'proxy-url': 'PROXY' }, {}],
    ['HTTPS_PROXY', {}, { HTTPS_PROXY: 'PROXY' }],
    ['https_proxy', {}, { https_proxy: 'PROXY' }],
    ['its proxy-url, which wins', { 'proxy-url': 'PROXY' }, { HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '*' }],
  ])('goes through %s, also for the forwarded port', async (_what, cluster, env) => {
    const { port } = await kubeServer(good);
    const proxy = await proxyTo(port);
    const filled = (texts: Readonly<Record<string, string>>) =>
      Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [
          name,
          text.replace('PROXY', `http://bob:pa%20ss@127.0.0.1:${proxy.port}`),
        ]),
      );
    const kubeconfig = kubeconfigFor(`https://kubernetes.default:${port}`, { cluster: filled(cluster) });
    expect(await ask({ kubeconfig, env: filled(env) })).toEqual(answered);
    const basic = Buffer.from('bob:pa ss').toString('base64');
    expect(new Set(proxy.asked)).toEqual(new Set([`kubernetes.default:${port} Basic ${basic}`]));
    expect(proxy.asked.length).toBeGreaterThan(1);
  });

  it('is asked without a proxy where NO_PROXY names the server', async () => {
    const { port } = await kubeServer(good);
    const env = { HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.0/8' };
    expect(await ask({ kubeconfig: kubeconfigFor(`https://127.0.0.1:${port}`), env })).toEqual(answered);
  });

  it('tells of a proxy that refuses, and shows no password', async () => {
    const proxy = await proxyTo(0, 407);
    const kubeconfig = kubeconfigFor('https://kubernetes.default:6443', {
      cluster: { 'proxy-url': `http://bob:hunter2@127.0.0.1:${proxy.port}` },
    });
    const [, message] = await silenceOf(ask({ kubeconfig }));
    expect(message).toContain('through the proxy: Bad response: 407');
    expect(message).not.toContain('hunter2');
  });

  it.each([
    [undefined, /POST is not sent: this process stores nothing/],
    [false, /POST is not sent: this process stores nothing/],
    [true, /404/],
  ])('lets a command write only if it is one that does: %s', async (writes, refusal) => {
    const { port } = await kubeServer({ objects: () => undefined });
    const kubeconfig = `--kubeconfig=${kubeconfigFor(`https://127.0.0.1:${port}`)}`;
    const options = parseOptions(clusterOptionTable, [kubeconfig], {});
    const deps = { clock: new FakeClock(), random: systemRandom, ...(writes !== undefined && { writes }) };
    const cluster = await connect(options, {}, deps);
    await expect(createObject(cluster.client, configMaps, 'shop', {})).rejects.toThrow(refusal);
    await cluster.close();
  });

  it('chooses the namespace by its context, and -n wins', async () => {
    const kubeconfig = kubeconfigFor('https://127.0.0.1:1', { namespace: 'shop' });
    const namespaceOf = async (...args: readonly string[]) => {
      const options = parseOptions(clusterOptionTable, [`--kubeconfig=${kubeconfig}`, ...args], {});
      return (await connect(options, {}, { clock: new FakeClock(), random: systemRandom })).namespace;
    };
    expect(await namespaceOf()).toBe('shop');
    expect(await namespaceOf('--context=other')).toBe('elsewhere');
    expect(await namespaceOf('-n', 'pay')).toBe('pay');
  });
});
