import type { SourceDigester } from '../../shared/domain/sources/content-digest';
import type { Selector } from '../../shared/domain/kubernetes/selector';
import { eachObject, findObject, type FindOptions } from '../../shared/kube/list-watch/read-objects';
import { type SourceAnnotationKeys, sourceDecoders, sourceResources } from '../../shared/kube/sources/source-decoder';
import type { ContentLoaderOptions } from './content-loader';

/** Reads sources as a watch would show them. Their contents are digested and dropped. */
export function sourceReads(
  { client, clock }: Pick<FindOptions<unknown>, 'client' | 'clock'>,
  digester: SourceDigester,
  annotationKeys: SourceAnnotationKeys,
  selector: Selector,
): Pick<ContentLoaderOptions, 'find' | 'each'> {
  const labelSelector = selector.isEverything ? undefined : selector.text;
  const decoders = sourceDecoders(digester, annotationKeys);
  const common = { client, clock, labelSelector };
  return {
    find: async ({ kind, namespace, name }, resourceVersion) => {
      const [resource, decoder] = [sourceResources[kind], decoders[kind]];
      return await findObject({ ...common, resource, decoder, namespace, name, resourceVersion });
    },
    each: async (kind, namespace, take) => {
      await eachObject({ ...common, resource: sourceResources[kind], decoder: decoders[kind], namespace }, take);
    },
  };
}
