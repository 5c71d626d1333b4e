import type { SourceKind } from '../../shared/domain/sources/source';
import { configMaps, secrets, type Resource } from '../../shared/kube/resource';
import { secretProviderClasses } from '../../shared/kube/sources/csi-decoder';

/** The resource of the object that a person names. What a class has mounted is in another one. */
export const sourceResources: Readonly<Record<SourceKind, Resource>> = {
  ConfigMap: configMaps,
  Secret: secrets,
  SecretProviderClass: secretProviderClasses,
};
