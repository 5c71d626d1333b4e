import type { Mutant } from './mutants';

const rotations = 'reconciler/sources/csi-rotations.ts';
const sinceCreation = 'status.statusWrittenAtMs !== undefined && atMs - createdAtMs > completedWithinMs';

/** Bugs in how rotations of a CSI driver are recognised. */
export const csiMutants: readonly Mutant[] = [
  { what: 'a pod that comes is a rotation', file: rotations, from: sinceCreation, to: 'true' },
  { what: 'what was rotated while nobody watched is no rotation', file: rotations, from: sinceCreation, to: 'false' },
  {
    what: 'the first versions of a status are a rotation',
    file: rotations,
    from: 'const rotation = isRotated ? rotated',
    to: 'const rotation = isRotated || (before && !before.content) ? rotated',
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
    from: 'return { reloadOnCreate: rotatedAtMs >= input.workload.record.createdAtMs, reloadOnDelete: false };',
    to: 'return { reloadOnCreate: false, reloadOnDelete: false };',
  },
];
