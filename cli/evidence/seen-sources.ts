import { annotationsOf, sourceFlags, type AnnotationKeys } from '../../shared/domain/annotations/annotations';
import { readGateSettings, type GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import type { Selector } from '../../shared/domain/kubernetes/selector';
import {
  sourceId,
  type LocalSourceRef,
  type SourceFlags,
  type SourceId,
  type SourceKind,
} from '../../shared/domain/sources/source';
import { newestWriteOf, type FieldsWrite } from '../../shared/domain/workloads/managed-fields';
import type { KubeClient } from '../../shared/kube/client/client';
import { getMetadata, type PartialObjectMetadata, type RequestLimits } from '../../shared/kube/client/objects';
import { objectName } from '../../shared/runtime/options/option-schemas';
import { sourceResources } from '../cluster/source-resources';
import { look, type Seen } from './seen';

/** What the metadata of a source tells. Its content is never read. */
export interface SourceFacts extends SourceFlags {
  /** Undefined for a SecretProviderClass, whose creation brings nothing to pods. */
  readonly createdAtMs: number | undefined;
  /** The newest write of its content. */
  readonly write: FieldsWrite | undefined;
  readonly isSelected: boolean;
  /** When a change of it may restart workloads; undefined: it does not say. */
  readonly gates?: GateSettings;
}

export type SeenSources = ReadonlyMap<SourceId, Seen<SourceFacts>>;

/** Nobody reads more, and each is a request. */
const maxSources = 50;

const contentFields: Readonly<Record<SourceKind, readonly (readonly string[])[]>> = {
  ConfigMap: [['data'], ['binaryData']],
  Secret: [['data'], ['stringData']],
  // What its pods have mounted shows in other objects, and an edit of it changes nothing there.
  SecretProviderClass: [],
};

/** Reads the metadata of sources, of the first fifty. */
export async function readSources(
  client: KubeClient,
  {
    namespace,
    sources,
    keys,
    selector,
  }: {
    readonly namespace: string;
    readonly sources: readonly LocalSourceRef[];
    readonly keys: AnnotationKeys;
    readonly selector: Selector;
  },
  limits: RequestLimits,
): Promise<SeenSources> {
  const read = sources.slice(0, maxSources).map(async ({ kind, name }) => {
    // The API server refuses a question for `..`, which a pod template may name, instead of answering that there is none.
    const isName = objectName.safeParse(name).success;
    const seen: Seen<PartialObjectMetadata> = isName
      ? await look(getMetadata(client, sourceResources[kind], namespace, name, limits))
      : { is: 'absent' };
    const facts: Seen<SourceFacts> =
      seen.is === 'there' ? { is: 'there', value: sourceFacts(kind, seen.value, keys, selector) } : seen;
    return [sourceId({ kind, name }), facts] as const;
  });
  return new Map(await Promise.all(read));
}

function sourceFacts(kind: SourceKind, object: unknown, keys: AnnotationKeys, selector: Selector): SourceFacts {
  const { settings: gates } = readGateSettings(annotationsOf(object), 'source');
  const isClass = kind === 'SecretProviderClass';
  return {
    ...sourceFlags(annotationsOf(object), keys),
    createdAtMs: isClass ? undefined : Date.parse(String(fieldAt(object, ['metadata', 'creationTimestamp']))),
    write: newestWriteOf(object, contentFields[kind]),
    isSelected: isClass || selector.matches(objectOf(fieldAt(object, ['metadata', 'labels']))),
    ...(gates && { gates }),
  };
}
