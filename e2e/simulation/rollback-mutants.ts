import type { Mutant } from './mutants';

const putBacks = 'reconciler/rollback/put-backs.ts';

/** Bugs in how contents are put back. */
export const rollbackMutants: readonly Mutant[] = [
  {
    what: 'a content is put back again if somebody removes the note of it',
    file: putBacks,
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
    what: 'a content is put back over another one than the bad one',
    file: putBacks,
    from: '    if (!stored || !isAsShown(stored, bad.source)) return undefined;\n',
    to: '    if (!stored) return undefined;\n',
  },
];
