import type { Mutant } from './mutants';

const references = 'shared/domain/sources/references.ts';

/** Bugs in how the sources of a pod template are read and marked. */
export const formMutants: readonly Mutant[] = [
  {
    what: 'what init containers have in their environment does not count',
    file: references,
    from: 'takeEnvironment(container, first, uses);',
    to: '[container].length = 0;',
  },
  {
    what: 'whoever mounts a part of a volume is restarted for all of it',
    file: references,
    from: 'const whole = mount.paths === allPaths;',
    to: 'const whole = mount.paths !== undefined;',
  },
  {
    what: 'what is projected does not count',
    file: references,
    from: "listOf(objectOf(volume['projected'])['sources'])",
    to: '([] as unknown[])',
  },
  {
    what: 'a restart for sources of several containers reorders these',
    file: 'reconciler/apply/patch-workload.ts',
    from: 'restart.workload.record.containerOrder',
    to: '[]',
  },
];
