import type { Mutant } from './mutants';

const rotations = 'reconciler/sources/csi-rotations.ts';
const sinceCreation = 'status.statusWrittenAtMs !== undefined && atMs - createdAtMs > completedWithinMs';

/** Rotations of a CSI driver that are told in a wrong way. */
export const csiMutants: readonly Mutant[] = [
  { what: 'a pod that comes is a rotation', file: rotations, from: sinceCreation, to: 'true' },
  { what: 'what was rotated while nobody watched is no rotation', file: rotations, from: sinceCreation, to: 'false' },
  {
    what: 'the first versions of a status are a rotation',
    file: rotations,
    from: 'if (!isRotated || atMs < newestMs) return;',
    to: 'if ((!isRotated && (!before || before.content)) || atMs < newestMs) return;',
  },
  {
    what: 'a pod that lags behind the newest rotation takes its place',
    file: rotations,
    from: 'if (!isRotated || atMs < newestMs) return;',
    to: 'if (!isRotated) return;',
  },
  {
    what: 'a status is compared with another one of its name',
    file: rotations,
    from: 'known?.uid === uid && known.className === className ? known : undefined',
    to: 'known',
  },
  {
    what: 'the first rotation of a class restarts nothing',
    file: 'shared/domain/plan/judge.ts',
    from: 'return { reloadOnCreate: true, reloadOnDelete: false };',
    to: 'return { reloadOnCreate: false, reloadOnDelete: false };',
  },
];
