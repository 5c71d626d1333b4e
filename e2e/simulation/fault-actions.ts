import { ownNamespace } from '../engine-settings';
import { baselineOf } from './baseline-text';
import type { Draw } from './draw';
import type { Etcd } from './etcd';
import type { Gatekeeper, Habit } from './gatekeeper';
import { isUsedBy } from './pausing-users';
import { isRolled, sources, workloads, type Place } from './places';
import type { Reconcilers } from './reconcilers';
import type { Users } from './users';

interface Stage {
  readonly users: Users;
  readonly replicas: Reconcilers;
  readonly etcd: Etcd;
  readonly gatekeeper: Gatekeeper;
  readonly later: (delayMs: number, run: () => void) => void;
}

/** Faults of the server itself, and of what stands in front of it. */
export const faultActions = {
  /** The edits between backup and restore are lost. Some are made again afterwards. */
  'restore-etcd': ({ users, etcd, later }: Stage, draw: Draw) => {
    const source = users.usedSource(draw);
    if (draw.chance(0.5)) users.editSource(source, draw);
    const backupMs = draw.pick([0, draw.int(0, 1_500), draw.int(1_500, 6_000)]);
    const lostMs = draw.int(4_000, draw.pick([9_000, 30_000]));
    const bumps = draw.chance(0.4);
    later(backupMs, () => {
      if (!etcd.backUp()) return;
      for (let left = draw.int(0, 3); left > 0; left--) {
        const isLast = draw.chance(0.3);
        later(isLast ? lostMs - draw.int(1, 1_500) : draw.int(100, lostMs), () =>
          users.editSource(draw.chance(0.7) ? source : users.usedSource(draw), draw),
        );
      }
      later(lostMs, () => etcd.restore(bumps));
      if (draw.chance(0.4)) later(lostMs + draw.int(1, 4_000), () => users.revertSource(source, draw));
      if (draw.chance(0.7))
        later(lostMs + draw.int(1, draw.pick([3_000, 20_000])), () => users.editSource(source, draw));
    });
  },
  /** While the gatekeeper interferes, a restart is owed to a workload in that namespace. */
  'alter-our-writes': ({ users, gatekeeper, later }: Stage, draw: Draw) => {
    const habit: Habit = draw.chance(0.4)
      ? { kind: 'refuses what is stored' }
      : { kind: 'takes out', what: draw.pick(['marker', 'record', 'marker and record']) };
    const isMeant = habit.kind === 'takes out' ? isRolled : ({ kind }: Place): boolean => kind === 'Job';
    const usedBy = (workload: Place): readonly Place[] =>
      sources.filter((source) => users.object(source) && isUsedBy(users, workload, source));
    const there = workloads.filter((place) => isMeant(place) && users.object(place) && usedBy(place).length > 0);
    const recorded = there.filter((place) => baselineOf(users.object(place)));
    const workload = draw.pickAny(recorded) ?? draw.pickAny(there);
    const used = workload && draw.pickAny(usedBy(workload));
    const namespace = workload?.namespace ?? 'default';
    gatekeeper.begin(namespace, habit);
    later(draw.int(4_000, draw.pick([8_000, 40_000])), () => gatekeeper.end(namespace));
    for (let left = draw.int(1, 2); left > 0; left--) {
      const source = used ?? users.usedSource(draw);
      later(draw.int(0, 1_000), () => users.editSource(source, draw));
    }
    if (used && draw.chance(0.2)) later(draw.int(2_500, 6_000), () => users.revertSource(used, draw));
  },
  /** A process reads the key when it starts, so all processes are killed after the loss. */
  'lose-digest-key': ({ users, replicas, later }: Stage, draw: Draw) => {
    const key: Place = { kind: 'Secret', namespace: ownNamespace, name: 'reroll-digest-key' };
    if (!users.object(key)) return;
    const loss = draw.pick(['deleted', 'replaced', 'emptied']);
    const goneMs = draw.int(100, 6_000);
    if (draw.chance(0.5)) later(draw.int(0, goneMs), () => users.editSource(users.usedSource(draw), draw));
    if (loss === 'deleted') users.deleteSource(key);
    else users.writeSecret(key, loss === 'emptied' ? '' : draw.random.bytes(32).toString('base64'));
    for (const index of [0, 1]) later(goneMs, () => replicas.crash(index, draw.int(0, 4_000)));
    // With an empty key no process starts. The log line says what to do, and somebody does it.
    if (loss === 'emptied') later(goneMs + draw.int(100, 9_000), () => users.deleteSource(key));
    later(goneMs + draw.int(0, 12_000), () => users.editSource(users.usedSource(draw), draw));
  },
};
