import { describe, expect, it } from '@jest/globals';
import type { ClusterWorld } from '../../cli/cluster/cluster-command';
import { LeaderSilentError, type Silence } from '../../cli/cluster/silence';
import { statusCommandIn } from '../../cli/status/status-command';
import { ConnectionError, errorFromStatus } from '../../shared/kube/errors';
import { requestTarget } from '../../shared/kube/request-target';
import { deployment, fromConfigMap } from '../apiserver/cluster';
import { clusterOf, rerollDeployment, runAgainst, type Run } from './asking.fixture';
import { app, auto, running, web } from './situations.fixture';

const status = { name: 'status', loadIn: statusCommandIn };
const slow = deployment({
  ...{ name: 'slow', envFrom: [fromConfigMap('app')] },
  annotations: { ...auto, 'reroll.dev/settle': '1m', 'reroll.dev/settle-max': '1m' },
});

describe('reroll status --watch', () => {
  async function watched(isTerminal: boolean): Promise<readonly string[]> {
    const calm = deployment({ name: 'calm', annotations: auto, envFrom: [fromConfigMap('theme')] });
    const [harness, engine] = await running({ objects: [app, web, slow, calm], answer: {} });
    let interrupt = (): void => undefined;
    const texts: string[] = [];
    const io = {
      columns: 100,
      out: (text: string) => void texts.push(text),
      err: (text: string) => void texts.push(text),
    };
    const asking = runAgainst(clusterOf(harness, engine, 'leader'), harness, status, ['--watch'], {
      io,
      isTerminal,
      onInterrupt: (end) => (interrupt = end),
    });
    await harness.clock.advance(3_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(2_500);
    interrupt();
    await harness.clock.advance(0);
    expect((await asking).code).toBe(130);
    return texts.filter((text) => text !== '');
  }

  it('appends the rows that have changed', async () => {
    const [first, ...later] = await watched(false);
    expect(first).toMatch(/^WORKLOAD[^]*3 workloads: 3 in-step\n$/);
    expect(later.join('')).toMatch(/^deployment\/slow +pending +settle-window/m);
    expect(later.join('')).not.toMatch(/WORKLOAD|calm/);
  });

  it('draws a terminal anew', async () => {
    const texts = await watched(true);
    expect(texts.length).toBeGreaterThan(2);
    for (const text of texts) {
      expect(text.startsWith('\u001b[H\u001b[2J')).toBe(true);
      expect(text).toContain('workloads:');
    }
  });

  it('ends when nobody reads its output any more', async () => {
    const [harness, engine] = await running({ objects: [app, web], answer: {} });
    const closed = new AbortController();
    const out = (): void => closed.abort();
    const io = { columns: 100, out, err: () => undefined, closed: closed.signal };
    const watching = runAgainst(clusterOf(harness, engine, 'leader'), harness, status, ['--watch'], { io });
    expect((await watching).code).toBe(130);
  });

  /** Watches for six rounds, of which each asks the leader as the next of these says. The last one stays. */
  async function rounds(asking: readonly (Error | 'answer')[], more: Partial<ClusterWorld> = {}): Promise<Run> {
    const [harness, engine] = await running({ objects: [app, web, rerollDeployment()], answer: {} });
    const leader = clusterOf(harness, engine, 'leader');
    let asked = 0;
    let interrupt = (): void => undefined;
    const ask = async (path: string) => {
      const round = asking[Math.min(asked++, asking.length - 1)];
      if (round instanceof Error) throw round;
      return await leader.ask(path);
    };
    const watching = runAgainst({ ...leader, ask }, harness, status, ['-w'], {
      onInterrupt: (end) => (interrupt = end),
      ...more,
    });
    await harness.clock.advance(11_000);
    interrupt();
    await harness.clock.advance(0);
    return await watching;
  }

  const down = new ConnectionError('connect ECONNREFUSED');
  const gone = (seconds: number) =>
    new LeaderSilentError('nobody-leads', `nobody leads: reroll-0 has not renewed its Lease for ${seconds} seconds`);
  const fromObjects = 'the answer is from what you may read yourself: annotations, references, last restart and Events';

  it.each<[string, readonly (Error | 'answer')[], string]>([
    [
      'the leader is gone for a while',
      ['answer', gone(61), gone(63), 'answer'],
      `nobody leads: reroll-0 has not renewed its Lease for 61 seconds; ${fromObjects}\nreroll-0 answers again\n`,
    ],
    [
      'the leader may not be asked',
      [new LeaderSilentError('no-right', 'you may not get pods/portforward')],
      `you may not get pods/portforward; ${fromObjects}\n`,
    ],
    [
      'the leader is silent for another reason',
      [new LeaderSilentError('unreachable', 'the leader cannot be reached'), gone(61)],
      `the leader cannot be reached; ${fromObjects}\nnobody leads: reroll-0 has not renewed its Lease for 61 seconds; ${fromObjects}\n`,
    ],
    [
      'the connection breaks',
      [down, down, 'answer'],
      'the API server does not answer: connect ECONNREFUSED\nreroll-0 answers again\n',
    ],
    ['all is well', ['answer'], ''],
  ])('says once on standard error what the rows rest on, if %s', async (_what, asking, expected) => {
    const { code, out, err } = await rounds(asking);
    expect(err).toBe(expected);
    expect([code, out]).toEqual([130, expect.stringContaining('deployment/web')]);
  });

  it('says it anew on a terminal, which is cleared', async () => {
    const silent = new LeaderSilentError('no-right', 'you may not get pods/portforward');
    const { err } = await rounds([silent], { isTerminal: true, isErrorTerminal: true });
    expect(err).toBe(`you may not get pods/portforward; ${fromObjects}\n`.repeat(6));
  });

  const refused = errorFromStatus(401, undefined, requestTarget('GET', '/apis/apps/v1/deployments'));
  it.each<[string, readonly (Error | 'answer')[], RegExp]>([
    ['the credentials are refused', [refused], /^[^\n]*401[^\n]*\n$/],
    ['the credentials expire', ['answer', refused], /^[^\n]*401[^\n]*\n$/],
  ])('ends with 3 if %s', async (_what, asking, expected) => {
    const { code, err } = await rounds(asking);
    expect([code, err]).toEqual([3, expect.stringMatching(expected)]);
  });

  it.each<[Silence, number, RegExp]>([
    ['no-right', 3, /^reason; and you may not list .*, so there is nothing to answer from\n$/],
    ['nobody-leads', 130, /^reason; and you may not list .*, so there is nothing to answer from\n$/],
  ])('without a right to read anything, and %s, ends with %d', async (silence, code, expected) => {
    const [harness, engine] = await running({ objects: [app, web], answer: {} });
    harness.server.rbac.restrict('admin', []);
    let interrupt = (): void => undefined;
    const ask = () => Promise.reject(new LeaderSilentError(silence, 'reason'));
    const watching = runAgainst({ ...clusterOf(harness, engine, 'objects'), ask }, harness, status, ['-w'], {
      onInterrupt: (end) => (interrupt = end),
    });
    await harness.clock.advance(7_000);
    interrupt();
    await harness.clock.advance(0);
    expect(await watching).toMatchObject({ code, out: '', err: expect.stringMatching(expected) });
  });
});
