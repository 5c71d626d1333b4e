import type { PolicyRule } from '../apiserver/rbac';
import type { Manifest } from './rendered-chart';

interface Subject {
  readonly kind: string;
  readonly name: string;
}

/**
 * Rights by which accounts other than the reconciler's could gain another account's identity in Reroll's namespace: to
 * create anything, above all a Secret, and to Secrets without a given name. `reroll-webhook: create secrets`, sorted.
 */
export function excessRights(manifests: readonly Manifest[], reconciler = 'reroll'): readonly string[] {
  return manifests
    .filter(({ kind }) => /^(Cluster)?RoleBinding$/.test(kind))
    .flatMap((binding) => {
      const accounts = (binding['subjects'] as readonly Subject[]).filter(({ name }) => name !== reconciler);
      const excess = rulesOf(manifests, binding).flatMap(excessOf);
      return accounts.flatMap(({ name }) => excess.map((right) => `${name}: ${right}`));
    })
    .toSorted();
}

function rulesOf(manifests: readonly Manifest[], binding: Manifest): readonly PolicyRule[] {
  const { kind, name } = binding['roleRef'] as Subject;
  const role = manifests.find(
    ({ kind: of, metadata }) =>
      of === kind &&
      metadata.name === name &&
      (kind === 'ClusterRole' || metadata.namespace === binding.metadata.namespace),
  );
  if (!role) throw new Error(`${binding.kind} ${binding.metadata.name} is bound to a role that is not there`);
  return role['rules'] as readonly PolicyRule[];
}

function excessOf({ verbs, resources, resourceNames = [] }: PolicyRule): readonly string[] {
  return resources.flatMap((resource) => {
    const isAnySecret = ['secrets', '*'].includes(resource) && resourceNames.length === 0;
    return verbs
      .filter((verb) => isAnySecret || ['create', '*'].includes(verb))
      .map((verb) => [verb, resource, ...resourceNames].join(' '));
  });
}
