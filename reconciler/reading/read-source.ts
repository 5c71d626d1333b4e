import type { SourceDigester } from '../../shared/domain/sources/content-digest';
import type { Selector } from '../../shared/domain/kubernetes/selector';
import type { KubeClient } from '../../shared/kube/client/client';
import { undefinedIfAbsent } from '../../shared/kube/errors';
import { getObject } from '../../shared/kube/client/objects';
import { type SourceAnnotationKeys, sourceDecoders, sourceResources } from '../../shared/kube/sources/source-decoder';
import type { HintsOptions } from '../hints/hints';

/** A read that takes longer is given up: the next one shows newer state. */
const timeoutMs = 10_000;

/**
 * Reads a source by name, from etcd and not from a cache of the API server; its content is digested and dropped. A
 * source that `selector` does not select counts as absent. A 404 that does not name the source is not an answer: if a
 * source were wrongly considered absent, its workloads would be restarted when it is seen again.
 */
export function sourceReader(
  client: KubeClient,
  digester: SourceDigester,
  annotationKeys: SourceAnnotationKeys,
  selector: Selector,
): HintsOptions['readSource'] {
  const decoders = sourceDecoders(digester, annotationKeys);
  return async ({ kind, namespace, name }) => {
    const stored = getObject(client, sourceResources[kind], namespace, name, { timeoutMs });
    const object = await stored.catch(undefinedIfAbsent);
    if (!object || !selector.matches(object.metadata.labels ?? {})) return undefined;
    return decoders[kind].fromJson(object).object;
  };
}
