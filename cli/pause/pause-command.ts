import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import { formatHold, type Hold } from '../../shared/domain/gate-settings/hold';
import { printable } from '../../shared/domain/text/printable';
import { healthInspectionSchema } from '../../shared/domain/protocol/health-inspection';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { UsageError } from '../../shared/runtime/options/options';
import { askLeader } from '../cluster/ask-leader';
import {
  clusterCommandIn,
  worldOf,
  type ClusterCommand,
  type ClusterWorld,
  type Session,
} from '../cluster/cluster-command';
import { withProgress } from '../cluster/progress';
import { LeaderSilentError } from '../cluster/silence';
import { readInstall } from '../evidence/install';
import { enumerated } from '../output/phrases';
import { timeAndWait } from '../output/times';
import { readHeldRestarts, titlesOf, type HeldRestarts } from './held-restarts';
import { pauseOptionTable, type PauseOptions } from './hold-options';
import { argumentsFor, holdObject, holdTarget, titleOf, type HoldObject, type HoldTarget } from './hold-target';
import { whyNoEffect } from './no-effect';
import { refused, reportOutcome, type Outcome } from './outcome';
import type { Paused } from './outcome-report';
import { annotate, createHold, readHoldText } from './write-hold';

type PauseSession = Session<PauseOptions>;

const command: ClusterCommand<typeof pauseOptionTable, HoldTarget> = {
  name: 'pause',
  takes: '[KIND/NAME]',
  names: ['workload', 'source', 'namespace'],
  options: pauseOptionTable,
  writes: true,
  bad: 'nothing was changed: there is no such object, or a hold would have no effect',
  examples: `  reroll pause deployment/web -n shop --for 2h
  reroll pause configmap/app --until 2026-12-01T06:00:00Z
  reroll pause namespace/shop --because "release freeze"
  kubectl reroll pause --all --because "incident 42"`,
  question: (positional, { everything, untilMs, forMs }) => {
    if (untilMs !== undefined && forMs !== undefined)
      throw new UsageError(['--until and --for both say when the hold ends: use one of them']);
    return holdTarget(positional, everything);
  },
  answer: async (session, target) => {
    const { cluster, options } = session;
    const object = holdObject(target, cluster.namespace, options.rerollNamespace);
    const pausing = async (): Promise<Outcome<Paused>> => await pause(session, target, object);
    return await reportOutcome(session, object, await withProgress(session.world, 'holding restarts', pausing));
  },
};

async function pause(session: PauseSession, target: HoldTarget, object: HoldObject): Promise<Outcome<Paused>> {
  const { cluster, options } = session;
  const { client, clock } = cluster;
  const { rerollNamespace, timeoutMs } = options;
  const limits = { timeoutMs };
  const title = titleOf(target, object);
  // Its answer also tells the API server's time, by which the hold ends.
  const seen = await readHoldText(client, object, limits);
  const hold = holdOf(options, clock.nowMs());
  if (seen.is === 'absent' && target.is !== 'everything') return refused(`there is no ${title}`);
  const [health, install] = await Promise.all([
    askLeader(cluster, '/v1/health', healthInspectionSchema),
    readInstall(client, rerollNamespace, limits),
  ]);
  const why = whyNoEffect(target, health.silence ? undefined : health.said, install);
  if (why !== undefined) return refused(`nothing was changed, because a hold of ${title} would have no effect: ${why}`);
  const text = formatHold(hold);
  if (target.is === 'everything' && seen.is !== 'there') await createHold(client, object, text, limits);
  else await annotate(client, object, gateAnnotations.hold, text, limits);
  const restarts = health.silence ?? (await readHeldRestarts(cluster, target, object, { rerollNamespace, ...limits }));
  return {
    lines: [
      `${title} is ${inWords(hold, clock.nowMs())}`,
      ...(restarts instanceof LeaderSilentError ? [] : [restartsLine(restarts)]),
      `end it with: reroll resume ${argumentsFor(target, object)}`,
    ],
    isBad: false,
    report: { changed: true, hold: text },
    restarts,
  };
}

/** @throws UsageError for a time that is over */
function holdOf({ untilMs, forMs, because }: PauseOptions, nowMs: number): Hold {
  if (untilMs !== undefined && untilMs <= nowMs) {
    const now = new Date(nowMs).toISOString();
    throw new UsageError([
      `--until="${new Date(untilMs).toISOString()}": it is ${now} already, by the API server's clock`,
    ]);
  }
  // In whole seconds: nobody wants to read more.
  const endMs = forMs === undefined ? untilMs : Math.ceil((nowMs + forMs) / 1_000) * 1_000;
  return { untilMs: endMs, because: because === undefined ? undefined : printable(because) };
}

function inWords({ untilMs, because }: Hold, nowMs: number): string {
  const until = untilMs === undefined ? '' : ` until ${timeAndWait(new Date(untilMs).toISOString(), nowMs)}`;
  return `held${until}${because === undefined ? '' : `: ${because}`}`;
}

function restartsLine(restarts: HeldRestarts): string {
  const { waiting, untracked } = restarts;
  if (untracked !== undefined) return `Reroll does not restart it anyway: ${untracked}`;
  return waiting.length === 0 ? 'no restart waits for it yet' : `restarts that wait: ${enumerated(titlesOf(restarts))}`;
}

/** `reroll pause`: holds restarts. */
export function pauseCommand(process: NodeJS.Process): LoadedCommand {
  return pauseCommandIn(worldOf(process));
}

/** The same, with the cluster and the streams passed in. */
export function pauseCommandIn(world: ClusterWorld): LoadedCommand {
  return clusterCommandIn(command, world);
}
