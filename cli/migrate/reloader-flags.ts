import { objectKey } from '../../shared/domain/kubernetes/object-key';
import { fieldAt, listOf, objectOf, textOf, type JsonObject } from '../../shared/domain/kubernetes/json-value';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import { parseOptions, UsageError } from '../../shared/runtime/options/options';
import { argsOf, containersOf, knownFlags } from '../evidence/install';
import { installOptionTable, settingsOf } from '../manifests/manifest-options';
import { readPages, type PageLimits } from './read-pages';

/** The flags of an install of Reloader that Reroll has too, as far as they decide what restarts. */
export interface ReloaderFlags {
  /** `namespace/name` of its Deployment. */
  readonly deployment: string;
  readonly args: readonly string[];
}

/** What the cluster shows of Reloader. */
export interface SeenReloader {
  /** Undefined: there is none, or it may not be seen. */
  readonly flags: ReloaderFlags | undefined;
  /** The Deployments of other installs, which watch namespaces that are read too. */
  readonly others: readonly string[];
  readonly missingRight: string | undefined;
}

const image = /(?:^|\/)stakater\/reloader(?:[-:@]|$)/;

/**
 * Finds the Deployment of Reloader in any namespace. If there are several, as where each team has its own, the first one
 * counts that watches what is read.
 */
export async function readReloader(
  client: KubeClient,
  { namespace: wanted, timeoutMs }: PageLimits,
): Promise<SeenReloader> {
  const found: ReloaderFlags[] = [];
  const { resource } = workloadKind('Deployment');
  const missingRight = await readPages(client, resource, { namespace: undefined, timeoutMs }, (page) => {
    for (const deployment of page) {
      const container = containersOf(deployment).find((each) => image.test(textOf(each['image']) ?? ''));
      const { namespace = '', name } = deployment.metadata;
      if (container) {
        found.push({ deployment: objectKey(namespace, name), args: flagsOf(container, namespace) });
      }
    }
  });
  const watching = found.find(({ args }) => isWatching(args, wanted));
  const flags = watching ?? found[0];
  const others = watching || wanted !== undefined ? [] : found.slice(1).map(({ deployment }) => deployment);
  return { flags, others, missingRight };
}

/** Whether an install watches a namespace, or all of them. One whose flags are not understood does not. */
function isWatching(args: readonly string[], wanted: string | undefined): boolean {
  try {
    const { namespaces, namespacesToIgnore } = settingsOf(parseOptions(installOptionTable, args, {})).selection;
    if (wanted === undefined) return namespaces.length === 0;
    return (namespaces.length === 0 || namespaces.includes(wanted)) && !namespacesToIgnore.includes(wanted);
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return false;
  }
}

/** With the namespace that Reloader's chart names by a variable if it is not to watch all of them. */
function flagsOf(container: JsonObject, namespace: string): readonly string[] {
  const args = knownFlags(argsOf(container), installOptionTable);
  const variable = listOf(container['env'])
    .map(objectOf)
    .find(({ name }) => name === 'KUBERNETES_NAMESPACE');
  const isOwn = fieldAt(variable, ['valueFrom', 'fieldRef', 'fieldPath']) === 'metadata.namespace';
  const only = isOwn ? namespace : (textOf(variable?.['value']) ?? '');
  // As in Reloader, the flag counts before the variable if it names a namespace.
  const isNamed = only === '' || args.some((arg) => /^--?namespaces=./.test(arg));
  return isNamed ? args : [`--namespaces=${only}`, ...args];
}
