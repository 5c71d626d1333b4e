import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import type { Manifest } from '../manifests/manifests';

/** An object of the manifests whose effect on ConfigMaps and Secrets is not known here. */
export interface Unresolved {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** A phrase without a subject. */
  readonly why: string;
}

const byController = 'is turned into a Secret in the cluster: what that changes is not known here';

/** Kinds whose names do not end in `Secret`. */
const phrases: Readonly<Record<string, string>> = {
  'cert-manager.io Certificate': byController,
  'onepassword.com OnePasswordItem': byController,
  'kustomize.config.k8s.io Kustomization':
    "is not built here: pipe the output of 'kubectl kustomize' into --filename=-",
  'secrets-store.csi.x-k8s.io SecretProviderClass':
    'restarts nothing by an edit: Reroll restarts for the rotations of its secrets',
};

/** Undefined for an object that changes no ConfigMap or Secret by a controller. */
export function unresolvedObject({ group, kind, namespace, object }: Manifest): Unresolved | undefined {
  const name = textOf(fieldAt(object, ['metadata', 'name'])) ?? '(not named yet)';
  // SealedSecret, ExternalSecret, VaultStaticSecret, SopsSecret and others.
  const isSecretOfController = group !== '' && kind.endsWith('Secret');
  const why = phrases[`${group} ${kind}`] ?? (isSecretOfController ? byController : undefined);
  return why === undefined ? undefined : { kind, namespace, name, why };
}
