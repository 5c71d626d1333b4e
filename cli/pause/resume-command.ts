import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { readHold } from '../../shared/domain/gate-settings/hold';
import type { SourceInspection } from '../../shared/domain/protocol/source-inspection';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { UsageError } from '../../shared/runtime/options/options';
import {
  clusterCommandIn,
  worldOf,
  type ClusterCommand,
  type ClusterWorld,
  type Session,
} from '../cluster/cluster-command';
import { askSource } from '../cluster/ask-about';
import type { Cluster } from '../cluster/cluster';
import { withProgress } from '../cluster/progress';
import { LeaderSilentError } from '../cluster/silence';
import { valueOf, type Seen } from '../evidence/seen';
import { enumerated } from '../output/phrases';
import { letGo, readHeldRestarts, titlesOf, type HeldRestarts } from './held-restarts';
import { resumeOptionTable, type ResumeOptions } from './hold-options';
import { holdObject, holdTarget, titleOf, type HoldObject, type HoldTarget } from './hold-target';
import { refused, reportOutcome, type Outcome } from './outcome';
import type { Resumed } from './outcome-report';
import { readStillHeld, type StillHeld } from './still-held';
import { annotate, readHoldText, releaseEverything, type HoldText, type Release } from './write-hold';

type ResumeSession = Session<ResumeOptions>;

const off = `${gateAnnotations.hold}: "false"`;

const command: ClusterCommand<typeof resumeOptionTable, HoldTarget> = {
  name: 'resume',
  takes: '[KIND/NAME]',
  names: ['workload', 'source', 'namespace'],
  options: resumeOptionTable,
  writes: true,
  bad: 'there is no such object, or something else still holds it',
  examples: `  reroll resume deployment/web -n shop
  reroll resume deployment/web --override
  reroll resume configmap/app
  reroll resume namespace/shop
  kubectl reroll resume --all`,
  question: (positional, { everything, override }) => {
    const target = holdTarget(positional, everything);
    if (override && (target.is === 'namespace' || target.is === 'everything'))
      throw new UsageError([
        '--override needs a workload or a source: it lets one restart although its namespace is held',
      ]);
    return target;
  },
  answer: async (session, target) => {
    const { cluster, options } = session;
    const object = holdObject(target, cluster.namespace, options.rerollNamespace);
    const resuming = async (): Promise<Outcome<Resumed>> => await resume(session, target, object);
    return await reportOutcome(session, object, await withProgress(session.world, 'ending the hold', resuming));
  },
};

async function resume(session: ResumeSession, target: HoldTarget, object: HoldObject): Promise<Outcome<Resumed>> {
  const { cluster, options } = session;
  const { rerollNamespace, timeoutMs } = options;
  const seen = await readHoldText(cluster.client, object, { timeoutMs });
  const title = titleOf(target, object);
  if (seen.is === 'absent' && target.is !== 'everything') return refused(`there is no ${title}`);
  // Asked before: a moment later the leader lets them go.
  const held = await readHeldRestarts(cluster, target, object, { rerollNamespace, timeoutMs });
  const stages = target.is === 'source' ? await readStages(cluster, object) : undefined;
  const done = await release(session, target, object, seen);
  if (stages?.change !== undefined)
    await annotate(cluster.client, object, gateAnnotations.resumed, stages.change, { timeoutMs });
  const still = await readStillHeld(cluster, target, { rerollNamespace, timeoutMs, own: done.own });
  const restarts =
    held instanceof LeaderSilentError || still.length > 0
      ? held
      : letGo(held, done.changed ? endedHolds(target, object, options) : []);
  return {
    lines: [
      `${done.says}${still.length === 0 ? '' : `, but ${still.map(({ says }) => says).join(', and ')}`}`,
      ...(stages ? [goesOn(stages)] : []),
      ...new Set(still.map(({ endedBy }) => `end that with: ${endedBy}`)),
      ...(restarts instanceof LeaderSilentError ? [] : restartsLines(restarts, still)),
    ],
    isBad: still.length > 0,
    report: { changed: done.changed || stages?.change !== undefined, stillHeld: still.map(({ says }) => says) },
    restarts,
  };
}

/** Of a source, what its users wait for that do not restart first; undefined: none waits, or the leader does not say. */
async function readStages(cluster: Cluster, source: HoldObject): Promise<ToldStages | undefined> {
  const told = await askSource(cluster, source);
  return told.silence ? undefined : told.said.stages;
}

type ToldStages = NonNullable<Tolerant<SourceInspection>['stages']>;

function goesOn({ waiting, change, detail }: ToldStages): string {
  const isOne = waiting === 1;
  if (change === undefined) {
    const users = isOne ? '1 workload that waits' : `${waiting} workloads that wait`;
    return `${users} cannot be resumed before Reroll has read the source: ${detail}`;
  }
  const [users, does, they] = isOne ? ['1 workload', 'does', 'It'] : [`${waiting} workloads`, 'do', 'They'];
  const resumed = `${gateAnnotations.resumed}: "${change}"`;
  return `${users} that waited for stages no longer ${does} (${resumed}). ${they} waited because: ${detail}`;
}

interface Released {
  readonly says: string;
  readonly changed: boolean;
  /** What the object says now. */
  readonly own: GateSettings | undefined;
}

async function release(
  { cluster: { client }, options: { override, timeoutMs } }: ResumeSession,
  target: HoldTarget,
  object: HoldObject,
  seen: Seen<HoldText>,
): Promise<Released> {
  const limits = { timeoutMs };
  const title = titleOf(target, object);
  if (target.is === 'everything') {
    const released = await releaseEverything(client, object, limits);
    const changed = released === 'deleted' || released === 'kept';
    return { says: releaseTexts[released](object), changed, own: undefined };
  }
  if (override) {
    await annotate(client, object, gateAnnotations.hold, 'false', limits);
    return {
      says: `no hold of its namespace counts for ${title} any more (${off})`,
      changed: true,
      own: { hold: 'off' },
    };
  }
  const text = valueOf(seen)?.text;
  if (text !== undefined && readHold(text).hold === 'off') {
    return { says: `${title} is not held: ${off} is on it, and was left`, changed: false, own: { hold: 'off' } };
  }
  if (seen.is === 'there' && text === undefined) {
    return { says: `${title} has no hold of its own`, changed: false, own: undefined };
  }
  await annotate(client, object, gateAnnotations.hold, null, limits);
  return { says: `${title} is not held any more`, changed: true, own: undefined };
}

/** As the leader names them to workloads that wait for them. */
function endedHolds(
  target: HoldTarget,
  { kind, namespace = '', name }: HoldObject,
  { override }: ResumeOptions,
): readonly string[] {
  const on = (bearer: string): string => `${gateAnnotations.hold} on ${bearer}`;
  switch (target.is) {
    case 'everything':
      return [`${kind} ${namespace}/${name}`];
    case 'namespace':
      return [on(`namespace ${name}`)];
    default:
      return [on(`${kind} ${name}`), ...(override ? [on(`namespace ${namespace}`)] : [])];
  }
}

const releaseTexts: Readonly<Record<Release, (object: HoldObject) => string>> = {
  none: ({ namespace, name }) => `not everything is held: there is no ConfigMap ${namespace ?? ''}/${name}`,
  off: ({ namespace, name }) =>
    `not everything is held: ${off} is on ConfigMap ${namespace ?? ''}/${name}, and was left`,
  deleted: ({ namespace, name }) => `not everything is held any more: ConfigMap ${namespace ?? ''}/${name} is deleted`,
  kept: ({ namespace, name }) =>
    `not everything is held any more: ConfigMap ${namespace ?? ''}/${name} has other content, so it was left, with ${off}`,
};

function restartsLines(restarts: HeldRestarts, still: readonly StillHeld[]): readonly string[] {
  const { waiting, untracked } = restarts;
  if (untracked !== undefined) return [`Reroll does not restart it anyway: ${untracked}`];
  if (waiting.length === 0) return [];
  return [`restarts that ${still.length > 0 ? 'wait' : 'waited'}: ${enumerated(titlesOf(restarts))}`];
}

/** `reroll resume`: ends holds, and lets restarts go on that have stopped. */
export function resumeCommand(process: NodeJS.Process): LoadedCommand {
  return resumeCommandIn(worldOf(process));
}

/** The same, with the cluster and the streams passed in. */
export function resumeCommandIn(world: ClusterWorld): LoadedCommand {
  return clusterCommandIn(command, world);
}
