import type { CsiDriver } from './csi-driver';
import type { Draw } from './draw';
import type { Reconcilers } from './reconcilers';

interface Stage {
  readonly replicas: Reconcilers;
  readonly compact: () => void;
  readonly later: (delayMs: number, run: () => void) => void;
  /** Undefined if no CSI driver is installed. */
  readonly csi: CsiDriver | undefined;
}

/** What happens to the secrets that a CSI driver mounts, and to the pods that mount them. */
export const csiActions = {
  rotate: ({ csi }: Stage, draw: Draw) => csi?.rotate(draw),
  /** Pods get the rotation one by one: some before the next process starts, some after. */
  'rotate-and-crash': ({ csi, replicas, later }: Stage, draw: Draw) => {
    csi?.rotate(draw);
    for (const index of [0, 1]) later(draw.int(0, 8_000), () => replicas.crash(index, draw.int(0, 30_000)));
  },
  'rotate-and-replace-pods': ({ csi, later }: Stage, draw: Draw) => {
    csi?.rotate(draw);
    for (let left = draw.int(1, 3); left > 0; left--) later(draw.int(0, 6_000), () => csi?.replacePods(draw));
  },
  /** The next process finds some pods at the second rotation, and others that got only the first one. */
  'rotate-twice-and-crash': ({ csi, replicas, later }: Stage, draw: Draw) => {
    const of = csi?.anyClass(draw);
    csi?.rotate(draw, of);
    const thenMs = draw.int(3_000, 25_000);
    later(thenMs, () => csi?.rotate(draw, of));
    for (const index of [0, 1]) later(thenMs + draw.int(0, 8_000), () => replicas.crash(index, draw.int(0, 5_000)));
  },
  /** When the connection is back, the list shows other pods, some under names that existed before. */
  'replace-pods-unseen': ({ csi, replicas, compact, later }: Stage, draw: Draw) => {
    const backMs = draw.int(6_000, 12_000);
    for (const index of [0, 1]) replicas.partition(index, backMs);
    csi?.rotate(draw);
    for (let left = draw.int(1, 3); left > 0; left--) later(draw.int(0, 3_000), () => csi?.replacePods(draw));
    later(backMs - 1, compact);
  },
  'replace-pods': ({ csi }: Stage, draw: Draw) => csi?.replacePods(draw),
  'add-pod': ({ csi }: Stage, draw: Draw) => csi?.addPod(draw),
};
