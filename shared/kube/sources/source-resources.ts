import type { SourceKind } from '../../domain/sources/source';
import { secretProviderClassPodStatuses } from './csi-decoder';
import { configMaps, secrets, type Resource } from '../resource';

/**
 * Where a change to each kind of source is stored. Content of a SecretProviderClass is in the statuses of the pods that
 * mount it.
 */
export const sourceResources = {
  ConfigMap: configMaps,
  Secret: secrets,
  SecretProviderClass: secretProviderClassPodStatuses,
} as const satisfies Readonly<Record<SourceKind, Resource>>;
