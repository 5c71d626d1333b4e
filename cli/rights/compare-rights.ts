import type { GrantedRule } from './granted-rights';
import type { Right } from './right';

/** A right that an account has, and the role that grants it. */
export interface SpareRight extends Right {
  readonly role: string;
}

/** The needed rights that no rule grants. */
export function missingRights(needed: readonly Right[], granted: readonly GrantedRule[]): readonly Right[] {
  return needed.filter((right) => !granted.some((rule) => grants(rule, right)));
}

function grants({ groups, resources, names, verbs, namespace }: GrantedRule, right: Right): boolean {
  return (
    (namespace === undefined || namespace === right.namespace) &&
    includes(groups, right.group) &&
    includes(resources, right.resource) &&
    includes(verbs, right.verb) &&
    (names.length === 0 || (right.name !== undefined && names.includes(right.name)))
  );
}

function includes(list: readonly string[], item: string): boolean {
  return list.includes(item) || list.includes('*');
}

/**
 * What the rules grant beyond what is needed: another verb or resource, all objects where some by name are needed, or
 * all namespaces where some are. Rules for groups of accounts are not Reroll's to take back.
 */
export function spareRights(needed: readonly Right[], granted: readonly GrantedRule[]): readonly SpareRight[] {
  return granted
    .filter(({ isOwn }) => isOwn)
    .flatMap((rule) => tuplesOf(rule).filter((tuple) => !needed.some((right) => isCovered(tuple, right))));
}

function tuplesOf({ groups, resources, verbs, names, namespace, role }: GrantedRule): readonly SpareRight[] {
  return groups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        (names.length === 0 ? [undefined] : names).map((name) => ({ group, resource, verb, name, namespace, role })),
      ),
    ),
  );
}

/** Whether a granted right is no more than a needed one. */
function isCovered(granted: Right, needed: Right): boolean {
  return (
    granted.group === needed.group &&
    granted.resource === needed.resource &&
    granted.verb === needed.verb &&
    (needed.name === undefined || granted.name === needed.name) &&
    (needed.namespace === undefined || granted.namespace === needed.namespace)
  );
}
