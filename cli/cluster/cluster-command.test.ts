import { describe, expect, it } from '@jest/globals';
import { CredentialsError } from '../../shared/kube/access/credentials';
import { ConnectionError, errorFromStatus, ProtocolError, TimeoutError } from '../../shared/kube/errors';
import { requestTarget } from '../../shared/kube/request-target';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { sleep } from '../../shared/runtime/clock';
import { runCli } from '../../shared/runtime/options/cli';
import { UsageError, type Environment } from '../../shared/runtime/options/options';
import { bold } from '../output/text-style';
import { clusterCommandIn, type ClusterCommand, type ClusterWorld, type Session } from './cluster-command';
import { clusterOptionTable, type ClusterOptions } from './cluster-options';
import { withProgress } from './progress';

type Answer = (session: Session<ClusterOptions>) => Promise<number>;

async function run(
  answer: Answer,
  args: readonly string[] = [],
  more: Partial<ClusterWorld> = {},
  env: Environment = {},
) {
  const [out, err]: [string[], string[]] = [[], []];
  const io = { columns: 40, out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
  let closed = 0;
  const { client } = clientWorld(() => ({}));
  const world: ClusterWorld = {
    ...{ io, clock: new FakeClock(), isTerminal: false, isErrorTerminal: false, onInterrupt: () => undefined },
    connect: () =>
      Promise.resolve({
        ...{ client, namespace: 'shop', clock: new FakeClock() },
        ask: () => Promise.reject(new Error('not asked')),
        forward: () => Promise.reject(new Error('not asked')),
        close: () => {
          closed++;
          return Promise.resolve();
        },
      }),
    ...more,
  };
  const command: ClusterCommand<typeof clusterOptionTable, readonly string[]> = {
    ...{ name: 'ask', options: clusterOptionTable, examples: '  reroll ask', bad: 'bad', takes: 'NAME', answer },
    question: (positional) => {
      if (positional.includes('nonsense')) throw new UsageError(['nonsense']);
      return positional;
    },
  };
  const load = () => Promise.resolve(clusterCommandIn(command, world));
  const code = await runCli(['ask', ...args], env, io, [{ name: 'ask', summary: 'Asks.', load }]);
  return { code, out: out.join(''), err: err.join(''), closed };
}

const fails =
  (thrown: Error): Answer =>
  () =>
    Promise.reject(thrown);
const target = requestTarget('GET', '/api/v1/namespaces/shop/secrets/db');
const forbidden = errorFromStatus(403, undefined, target);

describe('a command that asks a cluster', () => {
  it.each<[string, Answer, readonly string[], number, RegExp]>([
    ['an answer', () => Promise.resolve(0), [], 0, /^$/],
    ['a bad answer', () => Promise.resolve(1), [], 1, /^$/],
    ['wrong flags', () => Promise.resolve(0), ['--timeout=0'], 2, /^--timeout="0": no time at all/],
    [
      'wrong arguments',
      () => Promise.resolve(0),
      ['nonsense'],
      2,
      /^nonsense\n\nRun 'reroll ask --help' for all flags/,
    ],
    [
      'a missing right',
      fails(forbidden),
      [],
      3,
      /^you may not get secrets in namespace shop, and the answer needs it\n$/,
    ],
    [
      'no connection',
      fails(new ConnectionError('ECONNREFUSED')),
      [],
      3,
      /^the API server does not answer: ECONNREFUSED\. Is it the right --context\? 'kubectl cluster-info' asks the same one\n$/,
    ],
    [
      'no answer in time',
      fails(new TimeoutError('list pods: no answer within 10000 ms')),
      [],
      3,
      /^the API server does not answer: list pods: no answer within 10000 ms\. Is it the right --context\? 'kubectl cluster-info' asks the same one\n$/,
    ],
    [
      'refused credentials',
      fails(errorFromStatus(401, undefined, target)),
      [],
      3,
      /^the API server refuses your credentials \(401\): [^\n]*log in again[^\n]*--context[^\n]*\n$/,
    ],
    ...[429, 500, 503].map((status): [string, Answer, readonly string[], number, RegExp] => [
      `an error ${status}`,
      fails(errorFromStatus(status, undefined, target)),
      [],
      3,
      new RegExp(`^the API server answers with an error: get secrets shop/db: ${status}\n$`),
    ]),
    [
      'a login page',
      fails(new ProtocolError('get secrets shop/db: the answer is not JSON (99 bytes)')),
      [],
      3,
      /^what answers is no API server, but perhaps a proxy or a login page: get secrets shop\/db: the answer is not JSON/,
    ],
    ['a failure', fails(new Error('a bug')), [], 3, /^reroll ask failed: a bug\n$/],
  ])('ends with its code: %s', async (_what, answer, args, code, err) => {
    const result = await run(answer, args);
    expect(result.code).toBe(code);
    expect(result.err).toMatch(err);
    expect(result.closed).toBe(code === 2 ? 0 : 1);
  });

  it('names what is wrong with the kubeconfig', async () => {
    const connect = () => Promise.reject(new CredentialsError('there is no kubeconfig /x'));
    expect(await run(() => Promise.resolve(0), [], { connect })).toMatchObject({
      code: 3,
      err: 'there is no kubeconfig /x\n',
    });
  });

  it.each<[string, Partial<ClusterWorld>, Environment, boolean, number | undefined]>([
    ['on a terminal', { isTerminal: true }, {}, true, 40],
    ['with NO_COLOR', { isTerminal: true }, { NO_COLOR: '1' }, false, 40],
    ['in a pipe', { isTerminal: false }, {}, false, undefined],
  ])('has colours and a width only for a person: %s', async (_where, world, env, isPainted, width) => {
    const answer: Answer = (session) => {
      session.world.io.out(`${session.paint(bold, 'x')} ${String(session.width)}`);
      return Promise.resolve(0);
    };
    const { out } = await run(answer, [], world, env);
    expect(out).toBe(`${isPainted ? '\u001b[1mx\u001b[22m' : 'x'} ${String(width)}`);
  });

  it.each([
    [['--kubeconfig=/x'], { kubeconfig: '/x' }],
    [['--context=other'], { context: 'other' }],
    [['-n', 'shop'], { namespace: 'shop' }],
    [['--namespace=shop'], { namespace: 'shop' }],
    [['--timeout=1m'], { timeoutMs: 60_000 }],
    [['--reroll-namespace=tools'], { rerollNamespace: 'tools' }],
    [['--lease-name=mine'], { leaseName: 'mine' }],
    [['--inspection-port=9999'], { inspectionPort: 9999 }],
    [['-o', 'json'], { output: 'json' }],
  ])('connects as its flags say: %j', async (args, expected) => {
    let seen: object = {};
    const answer: Answer = ({ options }) => {
      seen = options;
      return Promise.resolve(0);
    };
    await run(answer, args);
    expect(seen).toMatchObject(expected);
  });

  it.each(['--inspection-port=0', '--inspection-port=65536', '--inspection-port=x', '-o=xml', '--lease-name=A'])(
    'refuses %s',
    async (arg) => {
      expect((await run(() => Promise.resolve(0), [arg])).code).toBe(2);
    },
  );
});

describe('progress', () => {
  it.each([
    ['a second passes', 1_500, true, ['asking…', '\r\u001b[K']],
    ['it is quick', 500, true, []],
    ['nobody watches', 1_500, false, []],
  ])('is shown if %s', async (_what, ms, isErrorTerminal, expected) => {
    const clock = new FakeClock();
    const shown: string[] = [];
    const io = { columns: 80, out: () => undefined, err: (text: string) => void shown.push(text) };
    const work = withProgress({ io, clock, isErrorTerminal }, 'asking', async () => await sleep(clock, ms));
    await clock.advance(2_000);
    await work;
    expect(shown).toEqual(expected);
  });
});
