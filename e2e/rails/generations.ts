import type { TestNamespace } from '../cluster/test-namespace';

/** By the name of each Deployment of a namespace. */
export type Generations = ReadonlyMap<string, number>;

/**
 * A generation counts what was written to annotations and spec, and not to the status. The audit log does not tell that
 * of a sender that was killed: the API server answers 504 then, whether it has stored the write or not.
 */
export async function generationsOf(namespace: TestNamespace): Promise<Generations> {
  const all = await namespace.all('Deployment');
  return new Map(all.map(({ metadata: { name, generation = 0 } }) => [name, generation]));
}

/** How often each Deployment was written since then; those that were not are left out. */
export async function writesSince(namespace: TestNamespace, before: Generations): Promise<ReadonlyMap<string, number>> {
  const counts = [...(await generationsOf(namespace))].map(
    ([name, generation]) => [name, generation - (before.get(name) ?? 0)] as const,
  );
  return new Map(counts.filter(([, count]) => count > 0));
}
