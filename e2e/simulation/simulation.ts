import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { loadCanonicalForms } from '../../shared/domain/content-check/canonical-forms';
import { seededRandom } from '../apiserver/seeded-random';
import { ApiServer } from '../apiserver/api-server';
import { seedNamespace } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import type { PodSources } from '../apiserver/controllers/kubelet';
import type { WriteRecord } from '../apiserver/store';
import { ownNamespace } from '../engine-settings';
import { act, type Stage } from './actions';
import { Annotating } from './annotating-users';
import { settleCrowd } from './crowd';
import { CrowdSituations } from './crowd-situations';
import { CsiDriver } from './csi-driver';
import { CsiMounts } from './csi-mounts';
import { CsiSituations } from './csi-situations';
import { Draw } from './draw';
import { isEngine } from './engine-user';
import { endpointSliceKind } from './endpoints';
import { Etcd } from './etcd';
import { FaultSituations } from './fault-situations';
import { FeatureSituations } from './feature-situations';
import { settingsOf } from './features';
import { liftGates } from './gate-actions';
import { FormSituations } from './form-situations';
import { GateSituations } from './gate-situations';
import { isGated } from './gate-world';
import { Gatekeeper } from './gatekeeper';
import { HybridWorld } from './hybrid';
import { Intruder } from './intruder';
import { Judge, type Violation } from './judge';
import { checkTold } from './judge-leaks';
import { checkProcesses } from './judge-processes';
import { KeySituations } from './key-situations';
import { knownWithinMs } from './known-within';
import { checkLaterTerm } from './later-term';
import { LoggedSituations } from './logged-situations';
import { Loop } from './loop';
import { Network } from './network';
import { paceToldInLogs } from './pace-situations';
import { isPaced } from './pace-world';
import { isComplete, reconcilerProgram, type Reconcilers } from './reconcilers';
import { Replicas } from './replicas';
import { Labelling } from './selecting-users';
import { SettingsSituations } from './settings-situations';
import { shownWithinMs } from './shown-within';
import { Situations, type Situation } from './situations';
import { forgetRollbacks, hasBreakingContent } from './rollback-actions';
import { rollbackToldInLogs } from './rollback-situations';
import { isRolledBack } from './rollback-world';
import { isBreaking } from './stage-actions';
import { stageToldInLogs } from './stage-situations';
import { isStaged } from './stage-world';
import { Story } from './story';
import { UpgradeSituations } from './upgrade-situations';
import { UseForms } from './use-forms';
import { Users } from './users';
import { Sky, strikesReads } from './weather';
import type { Step, World } from './world';

export interface Outcome {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly story: readonly string[];
  readonly situations: ReadonlySet<Situation>;
  readonly history: readonly WriteRecord[];
}

/** Everything owed must be done within this time after the last fault. */
const livenessMs = 15 * 60_000;
/** Reroll asks for a missing API again every five minutes, plus up to a quarter of that. */
const foundWithinMs = 7 * 60_000;
/** A baseline that was not stored, because it was forbidden or removed on its way, is written again after 10 min. */
const writtenWithinMs = 11 * 60_000;
/** What may not be listed for this long keeps nothing from beginning. */
const refusedForMs = 15_000;
/** How long after the last fault people lift what keeps restarts from beginning, unless it ends by itself. */
const gatesLiftedMs = [60_000, 180_000] as const;
/** How long after the last fault pods can become ready that could not with the content of a source. */
const repairedMs = 90_000;
/** What can become ready has become so, and no content is put back any more. */
const rolledOutMs = 60_000;
/** A world counts as quiet when no engine has written anything, except Leases and Events, for this long. */
const quietMs = 15_000;
/** The longest time that a process delays a write, whatever the server asks for, or trusts a silent watch. */
const longestPutOffMs = 120_000;

/** Runs a world to its end and judges it. `settings` overrides the engine's settings, to plant a bug. */
export async function simulate(world: World, settings: Partial<EngineSettings> = {}): Promise<Outcome> {
  // Without a time limit: every run of a world must be the same.
  const forms = await loadCanonicalForms((_limitMs, work) => work());
  const draw = new Draw(world.seed ^ 0x2545f491);
  const loop = new Loop(new Draw(draw.seed()).random);
  const story = new Story(loop);
  const situations = new Situations();
  const faulted = new FaultSituations();
  const random = seededRandom(draw.seed());
  const told = (who: string, what: string): void => {
    situations.told(what);
    faulted.told(what);
    story.tell(who, what);
  };
  const { dark } = world;
  const hybrid =
    world.hybrid &&
    new HybridWorld({
      ...{ loop, told, hybrid: world.hybrid, draw: new Draw(~world.seed) },
      isDark: dark !== undefined,
      onDelivered: (delivery) => judge.delivered(delivery),
      mayBeRefused: world.weather.some(({ kind }) => kind === 'forbidden'),
    });
  const isKept = world.steps.some(({ kind }) => kind === 'alter-our-writes');
  const gatekeeper = new Gatekeeper({
    told,
    onTakenOut: (workload) => judge.takenOut(workload),
    onRefused: (workload) => judge.refused(workload, loop.nowMs()),
  });
  const admission = [...(hybrid?.hooks ?? []), ...(isKept ? [gatekeeper.hook] : [])];
  const server = new ApiServer({
    ...{ clock: loop, random, customKinds: [endpointSliceKind], admission },
    ...{ watchWindow: world.watchWindow, watchList: world.watchList },
  });
  seedNamespace(server, ownNamespace);
  const { features } = world;
  const labelling = new Labelling(features, new Draw(world.seed ^ 0x51ed270b));
  const annotating = new Annotating(features, new Draw(world.seed ^ 0x2c1b3c6d));
  const mounts = new CsiMounts(features, new Draw(world.seed ^ 0x2c1b3c6d));
  const inForms = new UseForms(features, new Draw(world.seed ^ 0x59f111f1));
  const writing = { labelling, annotating, mounts, inForms };
  const users = new Users(server, (what) => story.tell('user', what), writing);
  users.settleIn(new Draw(draw.seed()));
  if (features.crowd) settleCrowd(server, features.crowd, labelling, annotating);
  const clocksAreRight = world.steps.every(({ kind }) => kind !== 'skew-clock' && kind !== 'skew-clock-by-minutes');
  const watchesFellSilent =
    (dark !== undefined && dark.lagMs === undefined) ||
    world.steps.some(({ kind }) => kind === 'partition' || kind === 'replace-pods-unseen') ||
    world.weather.some(({ kind }) => kind === 'stream-half-open' || kind === 'hang');
  const refusesPast = world.weather.some(({ kind }) => kind === 'gone');
  const namespacesHidden = world.weather.filter(({ resource = 'namespaces' }) => resource === 'namespaces');
  const gatesHidden = world.weather.filter(
    ({ kind, fromMs, toMs, resource = 'namespaces' }) =>
      kind === 'forbidden' && toMs - fromMs >= refusedForMs && ['namespaces', 'configmaps'].includes(resource),
  );
  const known = { shownWithinMs: shownWithinMs(world), knownWithinMs: knownWithinMs(world) };
  // A list that fails is repeated, and is complete only after that.
  const firstListsAreLate = world.watchList === 'ignored' || world.weather.some(({ kind }) => strikesReads(kind));
  const hidden = { watchesFellSilent, firstListsAreLate, refusesPast, namespacesHidden, gatesHidden };
  const gates = isGated(world) && { gates: features.gates ?? {} };
  const rules = { ...features, ...gates, clocksAreRight, ...known, ...hidden };
  const judge = new Judge(rules);
  const featured = new FeatureSituations(features);
  const rotated = new CsiSituations();
  const upgraded = new UpgradeSituations();
  const crowded = new CrowdSituations();
  const settled = new SettingsSituations();
  const gated = new GateSituations();
  const paced = new LoggedSituations(paceToldInLogs);
  const staged = new LoggedSituations(stageToldInLogs);
  const rolledBack = new LoggedSituations(rollbackToldInLogs);
  const counted = new KeySituations();
  const formed = new FormSituations(features);
  for (const write of server.history()) {
    judge.wrote(write);
    featured.written(write);
  }
  server.store.subscribe((write) => {
    situations.written(write);
    featured.written(write);
    faulted.written(write);
    rotated.written(write);
    upgraded.written(write);
    if (features.crowd) crowded.written(write);
    if (features.ownSettings) settled.written(write);
    if (rules.gates) gated.written(write);
    counted.written(write);
    formed.written(write);
    hybrid?.situations.written(write);
    const takenOut = gatekeeper.takenOutOf(write);
    if (takenOut) faulted.takenOut(takenOut, write);
    judge.wrote(write, takenOut !== undefined);
    // After a broken promise, the rest of the world proves nothing more.
    if (judge.violations.length > 0) loop.halt();
    if (isEngine(write.user) && write.kind.kind !== 'Event') story.tell(write.user, shownWrite(write));
  });
  // One whose rollout never ends would keep those that come after it waiting for ever.
  let areRepaired = false;
  const isBroken = (read: PodSources): boolean =>
    !areRepaired && [...read.values()].some((source) => isBreaking(source) || hasBreakingContent(source));
  const startsWithoutSources = isPaced(world) || isStaged(world);
  if (world.controllers) new Controllers(server, { startsWithoutSources, isBroken }).start();

  const uponWrite: (() => void)[] = [];
  const network = new Network({
    ...{ loop, server, lagMs: world.lagMs, latency: { maxMs: world.maxLatencyMs } },
    sky: new Sky(world.weather, () => loop.monotonicMs()),
    ...{ draw: new Draw(draw.seed()), dark },
    onCarriedOut: (process, request, status) => {
      hybrid?.situations.carriedOut(process, request, status);
      const { method, path } = request;
      situations.answered(path, status);
      if (features.crowd) crowded.answered(path, status);
      const isPatch = method === 'PATCH' && path.startsWith('/apis/apps/');
      if (isPatch && status === 409) situations.conflicted();
      const isDeletedJob = method === 'DELETE' && path.startsWith('/apis/batch/') && path.includes('/jobs/');
      if ((isPatch || isDeletedJob) && status === 200) uponWrite.shift()?.();
    },
    onStruck: (process, { method, path }, kind) => {
      situations.struck(kind, method, path);
      story.tell('network', `${kind}: ${method} ${path.split('?')[0] ?? ''} of ${process.name}`);
    },
    onEvent: (process, request) => hybrid?.situations.sent(process, request),
  });
  const replicas: Reconcilers = new Replicas(world.replicas, {
    ...{ loop, network, told, draw: new Draw(draw.seed()) },
    program: reconcilerProgram(network, { strategy: world.strategy, ...settingsOf(features), ...settings }, forms),
    changed: () => hybrid?.reconcilersChanged(),
  });
  const leader = (): number | undefined => {
    const place = replicas.slots.findIndex((current) => current?.reconciler.status.state === 'acting');
    return place < 0 ? undefined : place;
  };
  const onRestored = (revision: number): void => {
    judge.restored(revision, loop.nowMs());
    hybrid?.reconcilersChanged();
    csi?.restored();
  };
  const etcd = new Etcd({ server, told, onRestored });
  /** The number of delayed parts of steps that have not run yet. */
  let announced = 0;
  const later = (delayMs: number, run: () => void): void => {
    announced += 1;
    loop.timer(delayMs, () => {
      announced -= 1;
      run();
    });
  };
  const csi =
    features.csi &&
    new CsiDriver({
      ...{ server, edits: users.edits, nowMs: () => loop.nowMs(), later, calm: world.calm },
      draw: new Draw(world.seed ^ 0x297a2d39),
    });
  const stage: Stage = {
    ...{ users, replicas, intruder: new Intruder(server, told), etcd, gatekeeper, later, csi },
    nowMs: () => loop.nowMs(),
    compact: () => {
      situations.told('compacts');
      story.tell('server', 'compacts its history');
      server.compact();
      judge.compacted(server.store.revision);
    },
    hybrid: hybrid?.start({ server, network, users, reconcilers: replicas, leader }),
  };
  if (features.csi?.servedAtMs === 0) csi?.begin();
  else if (features.csi) later(features.csi.servedAtMs, () => csi?.begin());
  const isHidden =
    features.csi && (features.csi.servedAtMs > 0 || world.weather.some(({ kind }) => kind === 'not-found'));
  if (isHidden) later(world.stormMs + foundWithinMs, () => undefined);
  if (isStaged(world)) {
    later(world.stormMs + repairedMs, () => {
      areRepaired = true;
      story.tell('world', 'all pods can become ready');
    });
  }
  if (isRolledBack(world)) later(world.stormMs + repairedMs + rolledOutMs, () => forgetRollbacks(stage));
  if (isGated(world)) {
    const lifting = new Draw(world.seed ^ 0x1f83d9ab);
    later(world.stormMs + lifting.int(...gatesLiftedMs), () => liftGates(stage, lifting));
  }
  // As long as a watch lags, everything may look done, because the last events have yet to arrive.
  if (dark?.lagMs !== undefined) {
    later(dark.toMs + dark.lagMs + Math.max(0, ...world.lagMs.values()) + world.maxLatencyMs, () => undefined);
  }
  // Until the baseline is written, only one process knows it, and processes that start a day later would still have
  // work.
  const mayBeUnwritten = isKept || world.weather.some(({ kind }) => kind === 'forbidden');
  if (world.laterTerm && mayBeUnwritten) later(world.stormMs + writtenWithinMs, () => undefined);
  const begin = ({ kind, seed, uponWrite: atWrite, atMs }: Step): void => {
    const run = (): void => act(kind, stage, new Draw(seed));
    loop.timer(atMs, () => (atWrite ? uponWrite.push(run) : run()));
  };
  world.steps.forEach(begin);
  replicas.startAll();

  await loop.runUntil(world.stormMs);
  const inStorm = [
    ...(await checkProcesses(replicas, server, network, features.scope?.namespaces.length)),
    ...((await hybrid?.check()) ?? []),
  ];
  for (const run of uponWrite.splice(0)) run();
  replicas.relieve();
  hybrid?.relieve();
  gatekeeper.relieve();
  story.tell('world', 'all faults end');
  const isReady = (): boolean => isComplete(replicas) && users.idle && announced === 0;
  await untilQuiet(loop, server, isReady, judge, world.stormMs);
  await hybrid?.rest();

  const violations = [
    ...judge.verdict(world.calm, dark),
    ...inStorm,
    ...(await checkProcesses(replicas, server, network, features.scope?.namespaces.length)),
    ...(await Promise.all(replicas.all.map(checkTold))).flat(),
    ...((await hybrid?.check()) ?? []),
    ...((await hybrid?.checkAtRest(loop.halted)) ?? []),
  ];
  replicas.all.forEach(({ lines }) => {
    situations.logged(lines);
    gated.logged(lines);
    paced.logged(lines);
    staged.logged(lines);
    rolledBack.logged(lines);
  });
  const reached = new Set([
    ...situations.reached,
    ...featured.reached,
    ...faulted.reached,
    ...rotated.reached,
    ...upgraded.reached,
    ...crowded.reached,
    ...settled.reached,
    ...gated.reached,
    ...paced.reached,
    ...staged.reached,
    ...rolledBack.reached,
    ...counted.reached,
    ...formed.reached,
    ...(hybrid?.situations.reached ?? []),
  ]);
  // After a broken promise, the later term proves nothing.
  if (world.laterTerm && violations.length === 0 && isReady()) {
    const crashAll = (downMs: number): void => {
      replicas.crashAll(downMs);
      hybrid?.crash(downMs);
    };
    const isUp = (): boolean => isComplete(replicas);
    // The judge does not demand a baseline that is delayed, or whose workload a silent watch does not show yet. So the
    // world may be quiet before it is written.
    const isPutOff = watchesFellSilent || world.weather.some(({ kind }) => kind === 'throttled-for-a-day');
    if (isPutOff) await untilQuiet(loop, server, isReady, judge, world.stormMs + longestPutOffMs);
    violations.push(...(await checkLaterTerm({ loop, server, crashAll, isUp, rules })), ...judge.violations);
    reached.add('another term began a day later');
  }
  return { seed: world.seed, violations, story: story.lines, situations: reached, history: server.history() };
}

async function untilQuiet(
  loop: Loop,
  server: ApiServer,
  isReady: () => boolean,
  judge: Judge,
  stormMs: number,
): Promise<void> {
  const endMs = stormMs + livenessMs;
  let untilMs = stormMs + quietMs;
  for (;;) {
    await loop.runUntil(Math.min(endMs, untilMs));
    if (loop.halted || loop.monotonicMs() >= endMs) return;
    const history = server.history();
    const busy = history.findLast(({ user, kind }) => isEngine(user) && kind.kind !== 'Lease' && kind.kind !== 'Event');
    const lastMs = busy === undefined ? 0 : busy.atMs - loop.nowMs() + loop.monotonicMs();
    const quiet = isReady() && loop.monotonicMs() - lastMs >= quietMs;
    if (quiet && judge.owed.length === 0) return;
    untilMs = quiet || !isReady() ? untilMs + quietMs : lastMs + quietMs;
  }
}

function shownWrite({ kind, key, object, type, revision }: WriteRecord): string {
  const { annotations = {} } = object.metadata;
  if (kind.kind === 'Lease') return `writes Lease ${key} (revision ${revision})`;
  return `${type} ${kind.kind} ${key} (revision ${revision}) ${annotations['reroll.dev/baseline'] ?? ''}`;
}
