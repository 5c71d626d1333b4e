import { workloadKinds, type WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { sourceKinds, type SourceKind } from '../../shared/domain/sources/source';
import type { Resource } from '../../shared/kube/resource';
import { objectName } from '../../shared/runtime/options/option-schemas';
import { UsageError } from '../../shared/runtime/options/options';
import { sourceResources } from './source-resources';

const shortNames: Readonly<Record<string, string>> = {
  deploy: 'Deployment',
  sts: 'StatefulSet',
  ds: 'DaemonSet',
  cj: 'CronJob',
  ro: 'Rollout',
  dc: 'DeploymentConfig',
  cm: 'ConfigMap',
  ns: 'Namespace',
};

/** Reads `deployment/web` as kubectl does: any case, plurals, short names, and the group behind a dot. */
export function workloadNamed(positional: readonly string[]): { readonly kind: WorkloadKind; readonly name: string } {
  const { word, name } = kindAndName(positional, 'deployment/web');
  const kind = findWorkload(word);
  if (kind) return { kind, name };
  if (findSource(word))
    throw new UsageError([
      `${word}/${name} restarts nothing itself: ask who uses it with 'reroll users ${word}/${name}'`,
    ]);
  const kinds = workloadKinds.map((each) => each.kind).join(', ');
  throw new UsageError([`there is no kind of workload ${JSON.stringify(word)} that Reroll restarts: use ${kinds}`]);
}

/** Reads `configmap/app`. */
export function sourceNamed(
  positional: readonly string[],
  option?: string,
): { readonly kind: SourceKind; readonly name: string } {
  const { word, name } = kindAndName(positional, 'configmap/app', option);
  const kind = findSource(word);
  if (kind) return { kind, name };
  throw new UsageError([`there is no kind of source ${JSON.stringify(word)}: use ${sourceKinds.join(', ')}`]);
}

/** A source that has a content of its own. */
export type ContentKind = Exclude<SourceKind, 'SecretProviderClass'>;

/** Reads `configmap/app`, a source that has a content of its own. `without` says what that means for one that has none. */
export function contentNamed(
  positional: readonly string[],
  without: string,
): { readonly kind: ContentKind; readonly name: string } {
  const { word, name } = kindAndName(positional, 'configmap/app');
  const kind = findSource(word);
  if (kind === 'SecretProviderClass') throw new UsageError([without]);
  if (kind) return { kind, name };
  throw new UsageError([`there is no kind of source ${JSON.stringify(word)} with a content: use ConfigMap, Secret`]);
}

/** Undefined if no kind that Reroll restarts has this name. */
export function findWorkload(word: string): WorkloadKind | undefined {
  return workloadKinds.find((each) => isNamed(each.kind, word));
}

/** Undefined if no kind of sources has this name. */
export function findSource(word: string): SourceKind | undefined {
  return sourceKinds.find((kind) => isNamed(kind, word));
}

/** Whether a word is that for namespaces. */
export function isNamespaceWord(word: string): boolean {
  return isNamed('Namespace', word);
}

/**
 * As `-o name` prints it, and as kubectl prints and reads it. A kind that this version does not know has no group.
 *
 * @example nameOf({ kind: 'Deployment', name: 'web' }) === 'deployment.apps/web'
 */
export function nameOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  const known: readonly (readonly [string, Resource])[] = [
    ...workloadKinds.map((each) => [each.kind, each.resource] as const),
    ...Object.entries(sourceResources),
  ];
  const [, { group } = { group: '' }] = known.find(([each]) => each === kind) ?? [];
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`;
}

/** `deployment/web`, or `deployment web` as two arguments. */
export function kindAndName(
  positional: readonly string[],
  example: string,
  option = '',
): { readonly word: string; readonly name: string } {
  const parts = positional.length === 1 ? (positional[0] ?? '').split('/') : positional;
  const [word = '', name = '', ...more] = parts;
  if (word === '' || more.length > 0 || !objectName.safeParse(name).success) {
    const given = positional.length === 0 ? 'nothing' : JSON.stringify(positional.join(' '));
    throw new UsageError([
      `${option === '' ? '' : `${option}: `}expected a kind and a name such as ${example}, not ${given}`,
    ]);
  }
  return { word, name };
}

function isNamed(kind: string, word: string): boolean {
  const [typed = ''] = word.toLowerCase().split('.', 1);
  const singular = kind.toLowerCase();
  const plural = singular.endsWith('s') ? `${singular}es` : `${singular}s`;
  return typed === singular || typed === plural || shortNames[typed] === kind;
}
