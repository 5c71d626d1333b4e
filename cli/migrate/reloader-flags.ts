import { objectKey } from '../../shared/domain/kubernetes/object-key';
import { fieldAt, listOf, objectOf, textOf, type JsonObject } from '../../shared/domain/kubernetes/json-value';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import { argsOf, containersOf, knownFlags } from '../evidence/install';
import { installOptionTable } from '../manifests/manifest-options';
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
  readonly missingRight: string | undefined;
}

const image = /(?:^|\/)stakater\/reloader(?:[-:@]|$)/;

/** Finds the Deployment of Reloader in any namespace. If there are several, the first counts. */
export async function readReloader(
  client: KubeClient,
  { timeoutMs }: Pick<PageLimits, 'timeoutMs'>,
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
  return { flags: found[0], missingRight };
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
