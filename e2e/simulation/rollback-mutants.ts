import type { Mutant } from './mutants';

/** Bugs in how contents are put back. */
export const rollbackMutants: readonly Mutant[] = [
  {
    what: 'a content is put back again if somebody removes the note of it',
    file: 'reconciler/rollback/put-backs.ts',
    from: '      if (former.note.version === version) return rolledBack;\n',
    to: "      if (former.note.version !== '') return rolledBack;\n",
  },
  {
    what: 'a content that was put back restarts its users when it is written again',
    file: 'reconciler/gates/restart-stages.ts',
    from: 'record?.gates?.rolledBack?.includes(id) === true;',
    to: 'record?.gates?.rolledBack?.includes(id) === undefined;',
  },
  {
    what: 'a content is put back during a hold',
    file: 'reconciler/engine/build-rollbacks.ts',
    from: 'isHeld: (source) => gates.holdOf(source, clock.nowMs()) !== undefined,',
    to: 'isHeld: (source) => gates.holdOf(source, clock.nowMs()) === null,',
  },
];
