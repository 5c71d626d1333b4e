import type { Resource } from '../../shared/kube/resource';

/** What an account may do, or should: one verb on one resource. */
export interface Right {
  readonly group: string;
  /** Plural. */
  readonly resource: string;
  readonly verb: string;
  /** Undefined: on all objects. */
  readonly name?: string | undefined;
  /** Undefined: in all namespaces, or on objects without one. */
  readonly namespace?: string | undefined;
}

/** Rows of a table of rights: each verb on each resource. */
export interface RightRow {
  readonly resources: readonly Pick<Resource, 'group' | 'plural'>[];
  readonly verbs: readonly string[];
  readonly names?: readonly string[];
  readonly namespaces?: readonly string[];
}

export function rightsOf(rows: readonly RightRow[]): readonly Right[] {
  return rows.flatMap(({ resources, verbs, names, namespaces }) =>
    resources.flatMap(({ group, plural: resource }) =>
      verbs.flatMap((verb) =>
        (namespaces ?? [undefined]).flatMap((namespace) =>
          (names ?? [undefined]).map((name) => ({ group, resource, verb, name, namespace })),
        ),
      ),
    ),
  );
}

/** @example 'list secrets in namespace shop' */
function describeRight({ group, resource, verb, name, namespace }: Right): string {
  const what = group === '' ? resource : `${resource}.${group}`;
  return `${verb} ${what}${name === undefined ? '' : ` ${name}`}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
}

/** One text for each resource: `get, list and watch secrets`. */
export function describeRights(rights: readonly Right[]): readonly string[] {
  const described = new Map<string, string[]>();
  for (const right of rights) {
    const rest = describeRight({ ...right, verb: '' });
    described.set(rest, [...(described.get(rest) ?? []), right.verb]);
  }
  return [...described].map(([rest, verbs]) => [...new Set(verbs)].join('/') + rest);
}
