import { isServed } from '../../shared/kube/client/discovery';
import { valueOf, type Seen } from '../evidence/seen';
import type { Facts } from '../parts/facts';
import type { Part } from '../parts/part';
import { grantedRules, type GrantedRule } from './granted-rights';
import { addOnResources, neededRights, watchedNamespaces } from './needed-rights';
import type { Right } from './right';

/** What the account of a part needs, and what it has. Rights to resources that this cluster does not serve are left out. */
export interface PartRights {
  readonly part: Part;
  readonly needed: readonly Right[];
  readonly granted: Seen<readonly GrantedRule[]>;
}

/** Reads the rights of all parts. */
export async function readRights(facts: Facts): Promise<Seen<readonly PartRights[]>> {
  const parts = await facts.parts();
  if (parts.is !== 'there') return parts;
  const isUnserved = await unserved(facts);
  const reconciler = parts.value.find(({ component }) => component === 'reconciler');
  const watched = reconciler ? watchedNamespaces(reconciler) : [];
  const { cluster, rerollNamespace, timeoutMs } = facts.options;
  const value = await Promise.all(
    parts.value.map(async (part): Promise<PartRights> => {
      const needed = neededRights(part, rerollNamespace, watched).filter((right) => !isUnserved(right));
      const namespaces = new Set([rerollNamespace, ...needed.flatMap(({ namespace }) => namespace ?? [])]);
      const account = { namespace: rerollNamespace, name: part.account };
      const granted = await grantedRules(cluster.client, account, [...namespaces], { timeoutMs });
      const rules = (valueOf(granted) ?? []).map((rule) => ({
        ...rule,
        resources: rule.resources.filter((resource) => !rule.groups.every((group) => isUnserved({ group, resource }))),
      }));
      return { part, needed, granted: granted.is === 'there' ? { is: 'there', value: rules } : granted };
    }),
  );
  return { is: 'there', value };
}

async function unserved({ options }: Facts): Promise<(right: Pick<Right, 'group' | 'resource'>) => boolean> {
  const { cluster, timeoutMs } = options;
  const missing = await Promise.all(
    addOnResources.map(async (resource) =>
      (await isServed(cluster.client, resource, { timeoutMs })) ? [] : [resource],
    ),
  );
  const names = missing.flat();
  return ({ group, resource }) => names.some((each) => each.group === group && each.plural === resource);
}
