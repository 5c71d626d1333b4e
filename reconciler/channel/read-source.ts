import type { SourceDigester } from '../../shared/domain/content-digest';
import type { Selector } from '../../shared/domain/selector';
import type { KubeClient } from '../../shared/kube/client';
import { undefinedIfNotFound } from '../../shared/kube/errors';
import { getObject } from '../../shared/kube/objects';
import { configMaps, secrets } from '../../shared/kube/resource';
import { sourceDecoder, type SourceAnnotationKeys } from '../../shared/kube/source-decoder';
import type { HintedKind, HintsOptions } from './hints';

const resources = { ConfigMap: configMaps, Secret: secrets } as const satisfies Record<HintedKind, unknown>;

/** A read that takes longer says less than the next one. */
const timeoutMs = 10_000;

/**
 * Reads a source by name, from etcd and not from a cache of the API server; its content is digested and dropped. One
 * that `selector` does not select is as good as none.
 */
export function sourceReader(
  client: KubeClient,
  digester: SourceDigester,
  annotationKeys: SourceAnnotationKeys,
  selector: Selector,
): HintsOptions['readSource'] {
  const decoders = {
    ConfigMap: sourceDecoder('ConfigMap', digester, annotationKeys),
    Secret: sourceDecoder('Secret', digester, annotationKeys),
  };
  return async (kind, namespace, name) => {
    const object = await getObject(client, resources[kind], namespace, name, { timeoutMs }).catch(undefinedIfNotFound);
    if (!object || !selector.matches(object.metadata.labels ?? {})) return undefined;
    return decoders[kind].fromJson(object).object;
  };
}
