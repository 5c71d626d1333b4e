import type { PolicyRule } from '../apiserver/rbac';
import type { AuditEntry } from '../control-plane/audit';

/** Rights that a ServiceAccount has by one role, and the namespaces where it is bound; undefined means all. */
export interface Grant {
  readonly account: string;
  readonly role: string;
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly rules: readonly PolicyRule[];
}

/** One verb on one name of a rule, as readable text: `reroll by reroll-own: get secrets reroll-certs`. */
export type RightName = string;

/** Rights that no request used. A request that several roles allow counts as a use of each. */
export function unusedRights(grants: readonly Grant[], entries: readonly AuditEntry[]): readonly RightName[] {
  const unused = grants.flatMap((grant) =>
    grant.rules.flatMap((rule) =>
      rightsOf(rule)
        .filter((right) => !entries.some((entry) => usesRight(entry, grant, right)))
        .map((right) => `${grant.account} by ${grant.role}: ${nameOf(right)}`),
    ),
  );
  return [...new Set(unused)].sort();
}

/** Requests refused for a missing right, each listed once. */
export function refusedRequests(entries: readonly AuditEntry[]): readonly string[] {
  const refused = entries.filter(({ responseStatus }) => responseStatus?.code === 403);
  return [...new Set(refused.map(({ user, verb, requestURI }) => `${user.username}: ${verb} ${requestURI}`))].sort();
}

interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Undefined means any name. */
  readonly name: string | undefined;
}

function rightsOf({ apiGroups, resources, verbs, resourceNames }: PolicyRule): readonly Right[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => (resourceNames ?? [undefined]).map((name) => ({ group, resource, verb, name }))),
    ),
  );
}

function nameOf({ group, resource, verb, name }: Right): string {
  const qualified = group === '' ? resource : `${resource}.${group}`;
  return [verb, qualified, ...(name === undefined ? [] : [name])].join(' ');
}

function usesRight({ user, verb, objectRef }: AuditEntry, { account, namespaces }: Grant, right: Right): boolean {
  const { resource = '', subresource, apiGroup = '', namespace, name = '' } = objectRef ?? {};
  return (
    user.username.endsWith(`:${account}`) &&
    verb === right.verb &&
    apiGroup === right.group &&
    (subresource === undefined ? resource : `${resource}/${subresource}`) === right.resource &&
    (namespaces === undefined || (namespace !== undefined && namespaces.has(namespace))) &&
    (right.name === undefined || right.name === name)
  );
}
