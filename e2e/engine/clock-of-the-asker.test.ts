import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '../../cli/cluster/cluster';
import { historyCommandIn } from '../../cli/history/history-command';
import { statusCommandIn } from '../../cli/status/status-command';
import { ObjectAnswers } from '../../cli/ui/object-answers';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { KubeClient } from '../../shared/kube/client/client';
import { getMetadata } from '../../shared/kube/client/objects';
import { ServerClock } from '../../shared/kube/client/server-clock';
import { namespaces } from '../../shared/kube/resource';
import type { Clock } from '../../shared/runtime/clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { inProcessTransport } from '../apiserver/in-process-transport';
import { ownNamespace } from '../engine-settings';
import { clusterOf, runAgainst, type Answering, type Run } from './asking.fixture';
import type { Engine, Harness } from './harness';
import { annotated, app, changeColor, situations, type Situation } from './situations.fixture';
import { firstLine, inSituation, why } from './why.fixture';

const status = { name: 'status', loadIn: statusCommandIn };
const history = { name: 'history', loadIn: historyCommandIn };

const hourMs = 3_600_000;
const settling: Situation = {
  objects: [app, annotated({ 'reroll.dev/settle': '1m', 'reroll.dev/settle-max': '1m' })],
  then: async (harness) => await changeColor(harness, 10_000),
  answer: {},
};

interface Asker {
  readonly clock: Clock;
  readonly cluster: Cluster;
}

/** Somebody whose computer shows another time. As with the Lease, something is read before the leader is asked. */
function askerWith(aheadMs: number, [harness, engine]: readonly [Harness, Engine], answering: Answering): Asker {
  const own: Clock = {
    nowMs: () => harness.clock.nowMs() + aheadMs,
    monotonicMs: () => harness.clock.monotonicMs(),
    timer: (delayMs, callback) => harness.clock.timer(delayMs, callback),
  };
  const clock = new ServerClock(own);
  const client = new KubeClient({
    ...{ transport: inProcessTransport(harness.server, 'admin', harness.faults), credentials: staticCredentials({}) },
    ...{ clock, serverClock: clock, logger: new RecordingLogger(), userAgent: 'reroll/test' },
  });
  const inner = clusterOf(harness, engine, answering);
  const ask = async (path: string) => {
    await getMetadata(client, namespaces, undefined, ownNamespace, {});
    return await inner.ask(path);
  };
  return { clock: own, cluster: { ...inner, client, clock, ask } };
}

async function run(asker: Asker, command: typeof why, args: readonly string[] = []): Promise<Run> {
  return await runAgainst(asker.cluster, asker, command, args);
}

describe.each([-hourMs, hourMs])('somebody whose clock is %d ms ahead', (aheadMs) => {
  it.each<[Answering, RegExp]>([
    ['leader', /^restarts in 50 seconds because/],
    ['objects', /^may restart in 50 seconds for ConfigMap app: .* \(last written 10 seconds ago by kubectl\)$/],
  ])('is told by reroll why when it restarts (%s)', async (answering, expected) => {
    const asker = askerWith(aheadMs, await inSituation(settling), answering);
    expect(firstLine(await run(asker, why, ['deployment/web']))).toMatch(expected);
  });

  it('is told by reroll status when it restarts', async () => {
    const asker = askerWith(aheadMs, await inSituation(settling), 'leader');
    expect((await run(asker, status)).out).toMatch(/ settle-window +in 50 seconds /);
  });

  it('is told by reroll status without the leader until when it is paused', async () => {
    const asker = askerWith(aheadMs, await inSituation(situations['Reroll holds it paused']!), 'objects');
    expect((await run(asker, status)).out).toMatch(/ pause +in 4 minutes +59s/);
  });

  it.each<Answering>(['leader', 'objects'])('is told by reroll history what was restarted (%s)', async (answering) => {
    const asker = askerWith(aheadMs, await inSituation(situations['it was restarted']!), answering);
    expect((await run(asker, history, ['--since=5m'])).out).toMatch(/^59s +deployment\/web /m);
    expect((await run(asker, history, ['--since=30s'])).out).toMatch(/^no restart /);
  });

  it('is told by the page when it restarts', async () => {
    const { cluster } = askerWith(aheadMs, await inSituation(settling), 'leader');
    const answers = new ObjectAnswers({ cluster, limits: { rerollNamespace: ownNamespace, timeoutMs: 5_000 } });
    const { body } = await answers.answer('/workloads/Deployment/default/web');
    expect(body).toMatchObject({ headline: expect.stringMatching(/^restarts in 50 seconds/) });
  });
});
