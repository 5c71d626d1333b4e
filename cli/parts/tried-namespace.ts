import type { Selector } from '../../shared/domain/kubernetes/selector';
import { getMetadata } from '../../shared/kube/client/objects';
import { namespaces } from '../../shared/kube/resource';
import { look, valueOf } from '../evidence/seen';
import type { Facts } from './facts';

const nameLabel = 'kubernetes.io/metadata.name';

/** A namespace that a selector selects: the one that is asked about, or else any. Undefined if none is found. */
export async function namespaceToTry(facts: Facts, selector: Selector): Promise<string | undefined> {
  const { cluster, timeoutMs } = facts.options;
  const { namespace } = cluster;
  const own = await look(getMetadata(cluster.client, namespaces, undefined, namespace, { timeoutMs }));
  // Who may not read a namespace knows its name, and Kubernetes sets the label with that.
  const isThere = own.is !== 'absent';
  if (isThere && selector.matches({ [nameLabel]: namespace, ...valueOf(own)?.metadata.labels })) return namespace;
  const all = valueOf(await facts.list(namespaces, undefined)) ?? [];
  return all.find(({ metadata: { name, labels, deletionTimestamp } }) => {
    return deletionTimestamp === undefined && selector.matches({ [nameLabel]: name, ...labels });
  })?.metadata.name;
}
