import type { CsiDriver } from './csi-driver';
import type { Draw } from './draw';
import type { Reconcilers } from './reconcilers';

interface Stage {
  readonly replicas: Reconcilers;
  readonly compact: () => void;
  readonly later: (delayMs: number, run: () => void) => void;
  /** Undefined where no CSI driver is installed. */
  readonly csi: CsiDriver | undefined;
}

/** What befalls the secrets that a CSI driver mounts, and the pods that mount them. */
export const csiActions = {
  rotate: ({ csi }: Stage, draw: Draw) => csi?.rotate(draw),
  /** Of pods that are shown it one by one, some are before another process comes, and some after. */
  'rotate-and-crash': ({ csi, replicas, later }: Stage, draw: Draw) => {
    csi?.rotate(draw);
    for (const index of [0, 1]) later(draw.int(0, 8_000), () => replicas.crash(index, draw.int(0, 30_000)));
  },
  'rotate-and-replace-pods': ({ csi, later }: Stage, draw: Draw) => {
    csi?.rotate(draw);
    for (let left = draw.int(1, 3); left > 0; left--) later(draw.int(0, 6_000), () => csi?.replacePods(draw));
  },
  /** Another process finds some pods at the second rotation, and others that were shown the first one only. */
  'rotate-twice-and-crash': ({ csi, replicas, later }: Stage, draw: Draw) => {
    const of = csi?.anyClass(draw);
    csi?.rotate(draw, of);
    const thenMs = draw.int(3_000, 25_000);
    later(thenMs, () => csi?.rotate(draw, of));
    for (const index of [0, 1]) later(thenMs + draw.int(0, 8_000), () => replicas.crash(index, draw.int(0, 5_000)));
  },
  /** What is listed when the connection is back are other pods, some of them under names that were there before. */
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
