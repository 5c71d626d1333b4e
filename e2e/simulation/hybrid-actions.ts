import type { Admission } from './admission';
import type { Attacker } from './attacker';
import type { Channel } from './channel';
import type { Draw } from './draw';
import { isUsedBy } from './pausing-users';
import { isRolled, sources, workloads, type Place } from './places';
import type { Users } from './users';
import type { Reconcilers } from './reconcilers';
import type { Webhooks } from './webhooks';

/** The parts of a world with a webhook that an action may use. */
export interface HybridStage {
  readonly webhooks: Webhooks;
  readonly admission: Admission;
  readonly channel: Channel;
  readonly attacker: Attacker;
  /** Kills the leader `afterMs` after the next record reaches it. */
  readonly crashUponRecord: (afterMs: number, downMs: number) => void;
  /** Checks the bounds while a flood fills the queues. */
  readonly checkSoon: () => void;
}

interface Stage {
  readonly users: Users;
  readonly replicas: Reconcilers;
  readonly later: (delayMs: number, run: () => void) => void;
  readonly hybrid: HybridStage | undefined;
}

type Action = (stage: HybridStage & Pick<Stage, 'users' | 'later'>, draw: Draw) => void;

const actions = {
  'dry-run': ({ users }, draw) => users.dryRun(users.anySource(draw)),
  /** An operator keeps replacing its whole object, and so drops everything that others put onto it. */
  'operator-syncs': ({ users, later }, draw) => {
    const workload =
      draw.pickAny(workloads.filter((place) => isRolled(place) && users.object(place))) ?? users.anyWorkload(draw);
    const everyMs = draw.pick([300, 700, 2_000, 6_000]);
    const used = (): Place =>
      draw.pickAny(sources.filter((source) => isUsedBy(users, workload, source))) ?? users.usedSource(draw);
    const soonMs = (): number => draw.int(0, 2 * everyMs);
    for (let round = draw.int(2, 5); round > 0; round--) {
      later(round * everyMs, () => users.replaceWorkload(workload));
      if (!draw.chance(0.4)) continue;
      const editMs = round * everyMs + draw.int(0, everyMs);
      later(editMs, () => users.editSource(used(), draw));
      if (draw.chance(0.7)) later(editMs + draw.int(20, 500), () => users.editImage(workload));
    }
    if (draw.chance(0.35)) later(soonMs(), () => users.annotate(workload, { 'reloader.stakater.com/auto': 'false' }));
  },
  'denied-edit': ({ users }, draw) => users.deniedEdit(users.anySource(draw)),
  'racing-edits': ({ users }, draw) => users.racingEdits(users.anySource(draw), draw),
  'webhook-crash': ({ webhooks }, draw) => webhooks.crash(draw.int(0, 1), draw.pick([200, 5_000, 40_000])),
  'webhook-crash-in-review': ({ admission, webhooks }, draw) => {
    const downMs = draw.pick([200, 5_000, 40_000]);
    admission.killNext((index) => webhooks.crash(index, downMs));
  },
  'webhook-freeze': ({ webhooks }, draw) => webhooks.freeze(draw.int(0, 1), draw.pick([300, 4_000, 15_000])),
  'webhook-stop': ({ webhooks }, draw) => webhooks.stop(draw.int(0, 1), draw.int(100, 10_000)),
  'webhook-partition': ({ webhooks }, draw) => webhooks.partition(draw.int(0, 1), draw.pick([800, 8_000, 40_000])),
  'webhook-skew-clock': ({ webhooks }, draw) => webhooks.setClockOff(draw.int(0, 1), draw.int(-3_000, 3_000)),
  'channel-cut': ({ channel }, draw) => channel.cut(draw.int(0, 1), draw.pick([500, 4_000, 20_000, 60_000])),
  'crash-after-record': ({ crashUponRecord }, draw) =>
    crashUponRecord(draw.int(0, 900), draw.pick([20_000, 60_000, 120_000])),
  /** Forged records matter only while a change waits for its restart. */
  'forge-records': ({ attacker, users, later }, draw) => {
    const source = users.anySource(draw);
    users.editSource(source, draw);
    later(draw.int(30, 900), () => attacker.forge(source, draw));
  },
  'replay-records': ({ attacker }, draw) => attacker.replay(draw),
  'revert-and-replay': ({ attacker, users }, draw) => {
    users.revertSource(users.anySource(draw), draw);
    attacker.replay(draw);
  },
  /** The records carry the right key id, because the attacker has captured a true record by then. */
  'flood-records': ({ attacker, users, later }, draw) => {
    const source = users.usedSource(draw);
    users.editSource(source, draw);
    later(draw.int(100, 2_000), () => attacker.flood(source, draw));
  },
  'garble-records': ({ attacker }, draw) => attacker.garble(draw),
  'forge-reviews': ({ attacker, users }, draw) => attacker.review(users.anySource(draw), draw.int(1, 3), draw),
  'flood-reviews': ({ attacker, users, checkSoon }, draw) => {
    // Large floods test the bounds. A small one is just as unexpected to the webhook, and costs far less to simulate.
    attacker.review(users.anySource(draw), draw.chance(0.1) ? 1_500 : draw.pick([20, 60]), draw);
    checkSoon();
  },
} satisfies Record<string, Action>;

type HybridActionKind = keyof typeof actions;

/** The actions of worlds with a webhook. In other worlds they do nothing. */
export const hybridActions = Object.fromEntries(
  Object.entries<Action>(actions).map(([kind, action]) => [
    kind,
    ({ users, later, hybrid }: Stage, draw: Draw): void => {
      if (hybrid) action({ users, later, ...hybrid }, draw);
    },
  ]),
) as Record<HybridActionKind, (stage: Stage, draw: Draw) => void>;
