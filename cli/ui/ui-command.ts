import { KubeError, UnauthorizedError } from '../../shared/kube/errors';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { ListenError } from '../../shared/runtime/http/listen';
import { randomHex, systemRandom, type Random } from '../../shared/runtime/random';
import type { Cluster } from '../cluster/cluster';
import {
  clusterCommandIn,
  exitCodes,
  worldOf,
  type ClusterCommand,
  type ClusterWorld,
  type Session,
} from '../cluster/cluster-command';
import { withProgress } from '../cluster/progress';
import { launchDetached, openInBrowser, type Launch, type OpenedFile } from './browser-opener';
import { HistoryWatch } from './history-watch';
import { LiveFeed } from './live-feed';
import { readLive } from './live-reading';
import { ObjectAnswers } from './object-answers';
import { PageServer } from './page-server';
import { uiOptionTable, type UiOptions } from './ui-options';

/** What `reroll ui` uses of its process, besides. */
export interface UiWorld extends ClusterWorld {
  readonly random: Random;
  readonly platform: NodeJS.Platform;
  readonly launch: Launch;
}

/** As many restarts as the timeline shows. */
const shownRestarts = 200;

/** A browser has read the file by then, also a slow one that was not running. */
const openedForMs = 60_000;

function commandIn(world: UiWorld): ClusterCommand<typeof uiOptionTable, undefined> {
  return {
    name: 'ui',
    options: uiOptionTable,
    isEndless: true,
    bad: 'the page cannot be served: another process uses the port',
    examples: `  reroll ui
  reroll ui -n shop --port 8088 --no-open
  kubectl reroll ui --context=production`,
    question: () => undefined,
    answer: async (session) => {
      try {
        return await serve(session, world);
      } catch (thrown) {
        if (!(thrown instanceof ListenError)) throw thrown;
        world.io.err(`${thrown.message}\n`);
        return exitCodes.bad;
      }
    },
  };
}

async function serve({ cluster, options }: Session<UiOptions>, world: UiWorld): Promise<number> {
  const { io, clock, random, isTerminal } = world;
  const { namespace, rerollNamespace, timeoutMs } = options;
  const question = { namespace, rerollNamespace, timeoutMs };
  const history = new HistoryWatch(cluster, clock, {
    limit: shownRestarts,
    ...(namespace !== undefined && { namespace }),
  });
  const feed = new LiveFeed({ clock, namespace, read: async () => await readLive(cluster, question, history) });
  const answers = new ObjectAnswers({ cluster, limits: { rerollNamespace, timeoutMs } });
  const token = randomHex(random, 32);
  await withProgress(world, 'connecting', async () => await reach(cluster, timeoutMs));
  const server = new PageServer({ clock, feed, answers, token });
  const interrupted = new Promise<void>((resolve) => world.onInterrupt(resolve));
  const port = await server.listen(options.port);
  const address = `http://127.0.0.1:${port}/#token=${token}`;
  io.out(`${address}\n`);
  io.err('This address is for you alone: whoever has it sees what you may see. Ctrl-C ends the page.\n');
  const opened = isTerminal && !options.noOpen ? openedIn(world, address) : undefined;
  const timer = clock.timer(openedForMs, () => opened?.remove());
  await interrupted;
  timer.cancel();
  opened?.remove();
  await server.close();
  return exitCodes.interrupted;
}

/** Undefined if there is no place for the file, or the browser cannot be started: the address is on the terminal. */
function openedIn({ platform, launch }: UiWorld, address: string): OpenedFile | undefined {
  try {
    return openInBrowser(address, platform, launch);
  } catch {
    return undefined;
  }
}

/**
 * Whoever mistypes a context learns it here, and not from an empty page. Any answer will do but one that refuses the
 * credentials: the page itself says which rights are missing.
 *
 * @throws KubeError
 */
async function reach({ client }: Cluster, timeoutMs: number): Promise<void> {
  try {
    await client.request({ method: 'GET', path: '/version', timeoutMs });
  } catch (thrown) {
    const isAnswer = thrown instanceof KubeError && thrown.status !== undefined;
    if (!isAnswer || thrown instanceof UnauthorizedError) throw thrown;
  }
}

/** `reroll ui`: a page with workloads and restarts, on the loopback address of this computer. */
export function uiCommand(process: NodeJS.Process): LoadedCommand {
  return uiCommandIn({
    ...{ ...worldOf(process), random: systemRandom },
    ...{ platform: process.platform, launch: launchDetached },
  });
}

/** The same, with the cluster, the streams and the browser passed in. */
export function uiCommandIn(world: UiWorld): LoadedCommand {
  return clusterCommandIn(commandIn(world), world);
}
