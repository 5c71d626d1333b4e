import { resourceName, type Resource } from '../../shared/kube/resource';
import { forbidden, StatusError } from './status';

/** A rule of a Role (with `namespaces`) or a ClusterRole; `*` stands for all. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly namespaces?: readonly string[];
}

export interface Access {
  readonly user: string;
  readonly verb: string;
  readonly kind: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string | undefined;
}

/** Who may do what. A user for whom nothing was said may do everything. */
export class Rbac {
  readonly #rules = new Map<string, readonly PolicyRule[]>();

  /** From now on `user` may do what the rules say, and nothing else. */
  restrict(user: string, rules: readonly PolicyRule[]): void {
    this.#rules.set(user, rules);
  }

  /** Takes back {@link restrict}. */
  unrestrict(user: string): void {
    this.#rules.delete(user);
  }

  /** @throws StatusError 403 in the words of the RBAC authorizer. */
  check(access: Access): void {
    if (!this.allows(access)) throw denial(access);
  }

  allows(access: Access): boolean {
    const rules = this.#rules.get(access.user);
    return rules === undefined || rules.some((rule) => allows(rule, access));
  }
}

function allows(rule: PolicyRule, { verb, kind, namespace, name, subresource }: Access): boolean {
  const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`;
  return (
    covers(rule.apiGroups, kind.group) &&
    covers(rule.resources, resource) &&
    covers(rule.verbs, verb) &&
    (rule.resourceNames === undefined || rule.resourceNames.includes(name)) &&
    // A rule of a Role says nothing about all namespaces at once.
    (rule.namespaces === undefined || (namespace !== undefined && rule.namespaces.includes(namespace)))
  );
}

function covers(allowed: readonly string[], wanted: string): boolean {
  return allowed.includes('*') || allowed.includes(wanted);
}

function denial({ user, verb, kind, namespace, name, subresource }: Access): StatusError {
  const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const because = `User "${user}" cannot ${verb} resource "${resource}" in API group "${kind.group}" ${where}`;
  return subresource === undefined
    ? forbidden(kind, name, because)
    : new StatusError(403, 'Forbidden', `${resourceName(kind)}/${subresource} "${name}" is forbidden: ${because}`);
}
