import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import { sourceKinds } from '../../shared/domain/sources/source';
import { knownContexts } from '../../shared/kube/access/load-cluster-access';
import type { KubeClient } from '../../shared/kube/client/client';
import { listObjects } from '../../shared/kube/client/objects';
import { namespaces, type Resource } from '../../shared/kube/resource';
import type { CompletionRequest } from '../../shared/runtime/options/cli';
import type { OptionTable } from '../../shared/runtime/options/option-table';
import { parseArguments } from '../../shared/runtime/options/options';
import { answerWithin } from './answer-within';
import type { Cluster } from './cluster';
import type { ClusterWorld } from './cluster-command';
import type { ConnectOptions } from './cluster-options';
import { findSource, findWorkload, isNamespaceWord } from './object-names';
import { sourceResources } from './source-resources';

/** Of what an argument names one. */
export type Named = 'workload' | 'source' | 'namespace';

/** Somebody has pressed Tab, and waits. */
const timeoutMs = 1_000;

const prefixes: Readonly<Record<Named, readonly string[]>> = {
  workload: workloadKinds.map(({ kind }) => `${kind.toLowerCase()}/`),
  source: sourceKinds.map((kind) => `${kind.toLowerCase()}/`),
  namespace: ['namespace/'],
};

/** Flags whose values are the bare names of namespaces. */
const namespaceFlags: readonly string[] = ['namespace', 'reroll-namespace'];

/** What a command says about its names. */
export interface NamesOfCommand {
  readonly options: OptionTable;
  readonly names?: readonly Named[];
  readonly flagNames?: Readonly<Record<string, readonly Named[]>>;
}

/** Kinds, and the names in the cluster behind them. None if the cluster does not answer soon, or may not be asked. */
export async function completeNames(
  { options, names = [], flagNames = {} }: NamesOfCommand,
  world: Pick<ClusterWorld, 'connect' | 'clock'>,
  { flag, word, args, env }: CompletionRequest,
): Promise<readonly string[]> {
  if (flag === 'context') return await completeContexts(options, { args, env });
  const isNamespace = flag !== undefined && namespaceFlags.includes(flag);
  const named = flag === undefined ? names : (flagNames[flag] ?? []);
  const [kind = '', isBehindKind] = word.split('/', 2);
  if (!isNamespace && isBehindKind === undefined) return named.flatMap((each) => prefixes[each]);
  const resource = isNamespace ? namespaces : named.map((each) => resourceOf(each, kind)).find(Boolean);
  if (!resource) return [];
  try {
    // What is typed so far may be wrong; then nothing can be known.
    const given = { ...parseArguments(options, args, env).options, timeoutMs } as unknown as ConnectOptions;
    // An exec plugin may wait for somebody who logs in.
    const found = await answerWithin(world.clock, timeoutMs, namesOf(resource, world.connect(given, env)));
    return isNamespace ? found : found.map((name) => `${kind}/${name}`);
  } catch {
    return [];
  }
}

/** The contexts of the kubeconfig; none if it cannot be read. */
export async function completeContexts(
  options: OptionTable,
  { args, env }: Pick<CompletionRequest, 'args' | 'env'>,
): Promise<readonly string[]> {
  try {
    const { kubeconfig } = parseArguments(options, args, env).options as unknown as ConnectOptions;
    return await knownContexts({ kubeconfig, env });
  } catch {
    return [];
  }
}

async function namesOf(resource: Resource, connected: Promise<Cluster>): Promise<readonly string[]> {
  const cluster = await connected;
  try {
    return await namesIn(cluster.client, resource, resource === namespaces ? undefined : cluster.namespace);
  } finally {
    await cluster.close();
  }
}

function resourceOf(named: Named, word: string): Resource | undefined {
  if (named === 'workload') return findWorkload(word)?.resource;
  if (named === 'namespace') return isNamespaceWord(word) ? namespaces : undefined;
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
