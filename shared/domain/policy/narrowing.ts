import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { AnnotationKeys, Annotations } from '../annotations/annotations';
import { annotation } from '../annotations/annotations';
import type { SourceKind } from '../sources/source';
import { sourceKinds } from '../sources/source';

/** Values allowed on a workload; any other value narrows nothing. */
const choices: Readonly<Record<string, readonly SourceKind[]>> = {
  configmap: ['ConfigMap'],
  secret: ['Secret'],
  'configmap|secret': ['ConfigMap', 'Secret'],
  'secret|configmap': ['ConfigMap', 'Secret'],
};

const fix = 'write "configmap", "secret" or "configmap|secret"';

/**
 * The kinds of sources that a workload is narrowed to. Reloader ignores these annotations on a workload silently, but
 * people write them. The pod template's annotations count if the metadata has neither key. If both keys are present,
 * both narrow.
 */
export function readNarrowing(
  metadata: Annotations,
  template: Annotations,
  keys: Pick<AnnotationKeys, 'match' | 'kind' | 'search'>,
): { readonly kinds: readonly SourceKind[]; readonly problems: readonly AnnotationProblem[] } {
  const both = [keys.match, keys.kind];
  const speaks = both.some((key) => annotation(metadata, key) !== undefined);
  const problems: AnnotationProblem[] = [];
  let kinds: readonly SourceKind[] = sourceKinds;
  for (const key of both) {
    const value = annotation(speaks ? metadata : template, key);
    if (value === undefined) continue;
    const chosen = Object.hasOwn(choices, value) ? choices[value] : undefined;
    if (!chosen) {
      // People often put the annotation that makes a source match a search on the workload instead.
      const elsewhere = key === keys.match ? `, or put it on the source and use ${keys.search} here` : '';
      problems.push({
        code: 'narrows-nothing',
        key,
        value,
        message: 'names no kinds of sources and has no effect',
        fix: fix + elsewhere,
      });
      continue;
    }
    const left = kinds.filter((kind) => chosen.includes(kind));
    if (left.length === 0) {
      const message = `leaves no kind of source, together with ${keys.match}: nothing restarts the workload`;
      problems.push({ code: 'narrowed-out', key, value, message, fix: 'remove one of the two' });
    }
    kinds = left;
  }
  return { kinds, problems };
}
