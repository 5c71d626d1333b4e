import { describe, expect, it } from '@jest/globals';
import type { AnnotationProblem } from '../annotations/annotation-problem';
import { sourceFlags } from '../annotations/annotations';
import type { Decision, PolicySettings } from './policy';
import { decide } from './policy';
import { parsePolicy } from './policy-annotations';
import { shortKeys, sourceKindOf, truthTable, type TruthTableRow } from './policy-truth-table.fixture';

describe("§2.5 Reloader's truth table", () => {
  it('is complete', () =>
    expect(truthTable.map(({ n }) => n)).toEqual(Array.from({ length: 74 }, (_, index) => index + 1)));

  it.each(truthTable)('§2.5 row $n', (row) => {
    const { decision, problems } = decisionOf(row);
    const { reload, auto, errors } = row;
    expect(decision.restart).toBe(reload);
    if (reload) expect(decision.onlyIfReferenced).toBe(auto);
    expect(problems.filter(({ message }) => message.includes('not a valid'))).toHaveLength(errors ?? 0);
  });

  it.each(truthTable)(
    'row $n: narrowed to another kind it never restarts, to this kind it decides as before',
    (row) => {
      const kind = row.changed[0];
      const other = kind === 'Secret' ? 'configmap' : 'secret';
      expect(decisionOf(row, { KI: other }).decision.restart).toBe(false);
      if (kind === 'SPC') return;
      expect(decisionOf(row, { KI: kind === 'CM' ? 'configmap' : 'secret' }).decision).toEqual(
        decisionOf(row).decision,
      );
    },
  );
});

function decisionOf(
  { changed, resource, md, pod, all, kind, ignored }: TruthTableRow,
  narrowing: Record<string, string> = {},
): { readonly decision: Decision; readonly problems: readonly AnnotationProblem[] } {
  // Reloader rewrites its options on every decision (Q40): writing to these frozen ones would throw.
  const settings: PolicySettings = Object.freeze({ autoReloadAll: all ?? false, ignoredWorkloadKinds: ignored ?? [] });
  const { policy, problems } = parsePolicy({ ...md, ...narrowing }, pod ?? {}, shortKeys);
  const source = { kind: sourceKindOf[changed[0]], name: changed[1], ...sourceFlags(resource ?? {}, shortKeys) };
  return { decision: decide(policy, kind ?? 'Deployment', source, settings), problems };
}
