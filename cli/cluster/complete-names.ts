import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import { sourceKinds } from '../../shared/domain/sources/source';
import type { KubeClient } from '../../shared/kube/client/client';
import { listObjects } from '../../shared/kube/client/objects';
import { namespaces, type Resource } from '../../shared/kube/resource';
import type { CompletionRequest } from '../../shared/runtime/options/cli';
import type { OptionTable } from '../../shared/runtime/options/option-table';
import { parseArguments } from '../../shared/runtime/options/options';
import type { ClusterWorld } from './cluster-command';
import type { ConnectOptions } from './cluster-options';
import { findSource, findWorkload } from './object-names';
import { sourceResources } from './source-resources';

/** Of what an argument names one. */
export type Named = 'workload' | 'source';

/** Somebody has pressed Tab, and waits. */
const timeoutMs = 1_000;

const prefixes: Readonly<Record<Named, readonly string[]>> = {
  workload: workloadKinds.map(({ kind }) => `${kind.toLowerCase()}/`),
  source: sourceKinds.map((kind) => `${kind.toLowerCase()}/`),
};

/** Flags whose values are names in the cluster. */
const namesOfFlags: Readonly<Record<string, Named | 'namespace'>> = {
  for: 'source',
  namespace: 'namespace',
  'reroll-namespace': 'namespace',
};

/** Kinds, and the names in the cluster behind them. None if the cluster does not answer soon, or may not be asked. */
export async function completeNames(
  { options, names }: { readonly options: OptionTable; readonly names?: Named },
  world: Pick<ClusterWorld, 'connect'>,
  { flag, word, args, env }: CompletionRequest,
): Promise<readonly string[]> {
  const named = flag === undefined ? names : namesOfFlags[flag];
  if (named === undefined) return [];
  const [kind = '', isBehindKind] = word.split('/', 2);
  if (named !== 'namespace' && isBehindKind === undefined) return prefixes[named];
  const resource = named === 'namespace' ? namespaces : resourceOf(named, kind);
  if (!resource) return [];
  try {
    // What is typed so far may be wrong; then nothing can be known.
    const given = { ...parseArguments(options, args, env).options, timeoutMs } as unknown as ConnectOptions;
    const cluster = await world.connect(given, env);
    try {
      const within = named === 'namespace' ? undefined : cluster.namespace;
      const found = await namesIn(cluster.client, resource, within);
      return named === 'namespace' ? found : found.map((name) => `${kind}/${name}`);
    } finally {
      await cluster.close();
    }
  } catch {
    return [];
  }
}

function resourceOf(named: Named, word: string): Resource | undefined {
  if (named === 'workload') return findWorkload(word)?.resource;
  const kind = findSource(word);
  return kind && sourceResources[kind];
}

async function namesIn(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
): Promise<readonly string[]> {
  const objects = await listObjects(client, resource, namespace, { timeoutMs, metadataOnly: true });
  return objects.map(({ metadata }) => metadata.name);
}
