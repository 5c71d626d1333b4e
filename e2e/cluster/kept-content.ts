import type { KubeObject } from '../apiserver/objects';
import { pollUntil } from '../control-plane/poll';
import { patient, type TestNamespace } from './test-namespace';

type SourceKind = 'ConfigMap' | 'Secret';
type Role = 'good' | 'bad';

/** What the chart grants with `reloader.rollback`. */
export const rollbackRules = [
  { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['create', 'patch', 'delete'] },
] as const;

/** The object beside a source that keeps its content. */
export async function kept(place: TestNamespace, kind: SourceKind, role: Role): Promise<KubeObject | undefined> {
  return (await place.all(kind)).find(({ metadata }) => metadata.labels?.['reroll.dev/kept'] === role);
}

/** Resolves with it once it is whole: until it has its MAC, it counts for nothing. */
export async function untilKept(
  place: TestNamespace,
  kind: SourceKind,
  role: Role,
  isExpected: (object: KubeObject) => boolean = () => true,
): Promise<KubeObject> {
  return await pollUntil(
    `a ${role} content of a ${kind} to be kept`,
    async () => {
      const object = await kept(place, kind, role);
      const isWhole = object?.metadata.annotations?.['reroll.dev/kept-mac'] !== undefined;
      return isWhole && isExpected(object) ? object : undefined;
    },
    patient,
  );
}
