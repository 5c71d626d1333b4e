import { installHoldName } from '../../shared/domain/annotations/annotations';
import { workloadKinds, type WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { sourceKinds, type SourceKind } from '../../shared/domain/sources/source';
import { configMaps, namespaces, type Resource } from '../../shared/kube/resource';
import { UsageError } from '../../shared/runtime/options/options';
import { findSource, findWorkload, isNamespaceWord, kindAndName } from '../cluster/object-names';
import { sourceResources } from '../cluster/source-resources';

/** What somebody wants to hold, or to resume. */
export type HoldTarget =
  | { readonly is: 'workload'; readonly kind: WorkloadKind; readonly name: string }
  | { readonly is: 'source'; readonly kind: SourceKind; readonly name: string }
  | { readonly is: 'namespace'; readonly name: string }
  | { readonly is: 'everything' };

/** The object that bears the hold. */
export interface HoldObject {
  readonly kind: string;
  readonly resource: Resource;
  /** Undefined for a namespace. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Reads `deployment/web`, `configmap/app`, `namespace/shop` or `--all`. @throws UsageError */
export function holdTarget(positional: readonly string[], isEverything: boolean): HoldTarget {
  if (isEverything) {
    if (positional.length === 0) return { is: 'everything' };
    throw new UsageError([`--all is everything, so name nothing besides, not ${JSON.stringify(positional.join(' '))}`]);
  }
  if (positional.length === 0) {
    throw new UsageError([
      'name what is meant: such as deployment/web, configmap/app or namespace/shop, or else --all',
    ]);
  }
  const { word, name } = kindAndName(positional, 'deployment/web');
  const workload = findWorkload(word);
  if (workload) return { is: 'workload', kind: workload, name };
  const source = findSource(word);
  if (source) return { is: 'source', kind: source, name };
  if (isNamespaceWord(word)) return { is: 'namespace', name };
  const kinds = [...workloadKinds.map(({ kind }) => kind), ...sourceKinds, 'Namespace'].join(', ');
  throw new UsageError([`restarts cannot be held on the kind ${JSON.stringify(word)}: use ${kinds}`]);
}

/** `namespace` is the one of the question. */
export function holdObject(target: HoldTarget, namespace: string, rerollNamespace: string): HoldObject {
  switch (target.is) {
    case 'workload': {
      const { kind, resource } = target.kind;
      return { kind, resource, namespace, name: target.name };
    }
    case 'source':
      return { kind: target.kind, resource: sourceResources[target.kind], namespace, name: target.name };
    case 'namespace':
      return { kind: 'Namespace', resource: namespaces, namespace: undefined, name: target.name };
    case 'everything':
      return { kind: 'ConfigMap', resource: configMaps, namespace: rerollNamespace, name: installHoldName };
  }
}

/** @example 'Deployment shop/web', 'namespace shop', 'everything' */
export function titleOf(target: HoldTarget, { kind, namespace, name }: HoldObject): string {
  if (target.is === 'everything') return 'everything';
  return namespace === undefined ? `namespace ${name}` : `${kind} ${namespace}/${name}`;
}

/** As the argument of a command. @example 'deployment/web -n shop', 'namespace/shop', '--all' */
export function argumentsFor(target: HoldTarget, { kind, namespace, name }: HoldObject): string {
  if (target.is === 'everything') return '--all';
  return `${kind.toLowerCase()}/${name}${namespace === undefined ? '' : ` -n ${namespace}`}`;
}
