import type { Draw } from './draw';
import type { Etcd } from './etcd';
import type { Users } from './users';

interface Stage {
  readonly users: Users;
  readonly etcd: Etcd;
  readonly later: (delayMs: number, run: () => void) => void;
}

/** What befalls the server itself, and what stands in front of it. */
export const faultActions = {
  /** What is done between the two is lost, and is done again by some. */
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
};
