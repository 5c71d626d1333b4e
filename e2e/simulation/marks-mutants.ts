import type { Mutant } from './mutants';

const carryOver = 'shared/domain/marks/carry-over.ts';
const plugin = 'webhook/plugins/workload-plugin.ts';
const marks = 'reconciler/questions/admission-mutations.ts';

/** Bugs in what the webhook adds to the writes of others. */
export const marksMutants: readonly Mutant[] = [
  {
    what: 'a record that a write loses stays lost',
    file: carryOver,
    from: 'const isBaselineLost = kept !== undefined &&',
    to: 'const isBaselineLost = kept === undefined &&',
  },
  {
    what: 'a marker that a write loses stays lost',
    file: carryOver,
    from: 'update.isDeliberate ? noMarks.template : lostMarker(update)',
    to: 'noMarks.template',
  },
  {
    what: 'who opts out is not obeyed',
    file: plugin,
    from: 'if (!kind || !isOptedIn(kind, request.object, settings)) return {};',
    to: 'if (!kind) return {};',
  },
  {
    what: 'a restart is put into a write that replaces no pods',
    file: plugin,
    from: "const startsPods = operation === 'CREATE' ||",
    to: "const startsPods = operation === 'UPDATE' ||",
  },
  {
    what: 'a restart is folded by the record alone',
    file: marks,
    from: 'return { v: 1, annotations, template: marker };',
    to: 'return { v: 1, ...noMarks, annotations };',
  },
];
