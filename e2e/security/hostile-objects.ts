import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { ApiServer } from '../apiserver/api-server';
import { configMap, deployment, fromConfigMap, seed, seedNamespace } from '../apiserver/cluster';
import { startHttpsServer } from '../apiserver/https-server';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { ownNamespace } from '../engine-settings';
import { RerollProcess } from '../reroll-process';
import { hostileRows, tenant, type HostileRow } from './hostile-rows';
import { mallocSettings, chartNodeOptions } from '../image-environment';
import { askLoop, loopProbeOption } from './loop-probe';

/** The cost of one object for the process that watches it. */
export interface HostileCost {
  readonly what: string;
  /** The longest CPU time of one turn of its event loop: the minimum over several objects. */
  readonly longestMs: number;
  /** The bytes that stay in its heap, for each object. */
  readonly heapBytes: number;
  /** Why there are no figures. */
  readonly failure?: string;
}

/** Objects for each row. The first one warms the code up. The least of the others counts: one alone would show the load of the machine. */
const turns = 4;

/** Seeds each hostile object for a reconciler of the shipped bundle, and asks the process what it cost. */
export async function measureHostileObjects(rows = hostileRows): Promise<readonly HostileCost[]> {
  const costs: HostileCost[] = [];
  for (const row of rows) costs.push(await measure(row));
  return costs;
}

async function measure({ what, objects }: HostileRow): Promise<HostileCost> {
  const temporary = createTemporaryDir();
  const server = new ApiServer({ clock: systemClock, random: systemRandom });
  for (const name of [ownNamespace, tenant, 'default']) seedNamespace(server, name);
  const https = await startHttpsServer(server);
  const kubeconfig = join(temporary.dir, 'kubeconfig');
  await https.writeKubeconfig(kubeconfig, 'reconciler');
  const own = [`--kubeconfig=${kubeconfig}`, `--own-namespace=${ownNamespace}`, '--log-format=json'];
  const subject = new RerollProcess({
    args: ['reconciler', ...own, '--listen=127.0.0.1:0', '--channel-listen=127.0.0.1:0', '--settle=100ms'],
    env: { NODE_OPTIONS: `${chartNodeOptions} ${await loopProbeOption(temporary.dir)}`, ...mallocSettings },
  });
  try {
    await subject.line(({ message }) => message === 'started leading');
    await others(server, subject, 0);
    let heapBytes = (await askLoop(subject)).heapBytes;
    const blocks: number[] = [];
    for (let turn = 0; turn < turns; turn++) {
      seed(server, ...objects(turn));
      await others(server, subject, turn + 1);
      const seen = await askLoop(subject);
      if (turn === 0) heapBytes = seen.heapBytes;
      else blocks.push(seen.longestMs);
      if (turn === turns - 1) heapBytes = seen.heapBytes - heapBytes;
    }
    return { what, longestMs: Math.min(...blocks), heapBytes: heapBytes / (turns - 1) };
  } catch (error) {
    const [failure = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    const end = /FATAL ERROR[^\n]*/.exec(subject.stderr)?.[0];
    return { what, longestMs: Infinity, heapBytes: Infinity, failure: end ?? failure };
  } finally {
    await subject.end('SIGKILL');
    await https.close();
    temporary.dispose();
  }
}

/**
 * Waits until a workload in another namespace has its baseline. By then, the reconciler has looked at everything before
 * it.
 */
async function others(server: ApiServer, subject: RerollProcess, turn: number): Promise<void> {
  const annotations = { 'reloader.stakater.com/auto': 'true' };
  const name = `other-${String(turn)}`;
  seed(
    server,
    configMap({ name, data: { a: 'b' } }),
    deployment({ name, annotations, envFrom: [fromConfigMap(name)] }),
  );
  await subject.line(
    ({ message }) => message === `Deployment default/${name}: baseline recorded; nothing restarted`,
    60_000,
  );
  await delay(quietMs);
}

/** Leaves time for what follows a baseline: Events, garbage collection. */
const quietMs = 1_000;

/** The costs as a table, for people. */
export function costTable(costs: readonly HostileCost[]): string {
  const width = Math.max(...costs.map(({ what }) => what.length));
  const row = (what: string, block: string, heap: string): string =>
    `${what.padEnd(width)}  ${block.padStart(14)}  ${heap.padStart(14)}`;
  const figures = costs.map(({ what, longestMs, heapBytes, failure }) =>
    failure === undefined
      ? row(what, `${longestMs.toFixed(0)} ms`, `${(heapBytes / 2 ** 20).toFixed(2)} MiB`)
      : `${what.padEnd(width)}  ${failure}`,
  );
  return [row('object', 'longest block', 'heap for each'), ...figures].join('\n');
}

/** Arguments: `--json`, for programs, and words. Only rows that contain all words are measured. */
async function main(args: readonly string[]): Promise<void> {
  const words = args.filter((arg) => arg !== '--json');
  const costs = await measureHostileObjects(
    hostileRows.filter(({ what }) => words.every((word) => what.includes(word))),
  );
  process.stdout.write(`${args.includes('--json') ? JSON.stringify(costs) : costTable(costs)}\n`);
}

if (require.main === module) void main(process.argv.slice(2));
