import { resourceName, type Resource } from '../../shared/kube/resource';
import { forbidden, StatusError } from './status';

/** A rule of a Role (with `namespaces`) or a ClusterRole; `*` matches everything. */
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

/** The rules of each user. A user without rules may do everything. */
export class Rbac {
  readonly #rules = new Map<string, readonly PolicyRule[]>();

  /** Allows `user` only what the rules allow, from now on. */
  restrict(user: string, rules: readonly PolicyRule[]): void {
    this.#rules.set(user, rules);
  }

  /** Undoes {@link restrict}. */
  unrestrict(user: string): void {
    this.#rules.delete(user);
  }

  /** @throws StatusError 403 with the message of the RBAC authorizer. */
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
    // A Role's rule never covers a request for all namespaces.
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
