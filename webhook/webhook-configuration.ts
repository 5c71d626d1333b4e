import { checkAnnotations } from '../shared/domain/content-check/check-settings';
import type { SourceKind } from '../shared/domain/source';
import { selectors, type WebhookSelection } from './selection';

/** A ValidatingWebhookConfiguration or a MutatingWebhookConfiguration. */
export type HookType = 'validating' | 'mutating';

/** Where the API server finds the webhook. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name` of a Certificate of cert-manager, whose CA it is to put in; undefined: `reroll certs` does it. */
  readonly injectCaFrom?: string | undefined;
}

const registrations = {
  validating: { kind: 'ValidatingWebhookConfiguration', path: '/validate' },
  mutating: { kind: 'MutatingWebhookConfiguration', path: '/mutate' },
} as const;

/** `reroll certs` looks for this name. */
const configurationName = 'reroll';

/** A cluster must come up without us, and its control plane writes ConfigMaps while it does. */
const systemNamespaces = ['kube-system', 'kube-public', 'kube-node-lease'];

interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

const checkNames = JSON.stringify(checkAnnotations);

/** The checks of its content that stand on the object stand there otherwise than before. */
const asksAnew =
  `(has(object.metadata.annotations) && ${checkNames}.exists(name, name in object.metadata.annotations && ` +
  '(!has(oldObject.metadata.annotations) || !(name in oldObject.metadata.annotations) || ' +
  'object.metadata.annotations[name] != oldObject.metadata.annotations[name])))';

/** What of each kind is worth a call: a row is one webhook, so that the API server's metrics tell them apart. */
const hooks: readonly {
  readonly resource: string;
  readonly kind: SourceKind;
  readonly conditions: readonly MatchCondition[];
}[] = [
  {
    resource: 'configmaps',
    kind: 'ConfigMap',
    conditions: [
      {
        name: 'not-generated',
        expression: '!has(request.name) || !(request.name in ["kube-root-ca.crt", "istio-ca-root-cert"])',
      },
      {
        // This is also what keeps leader locks away: they live in an annotation.
        name: 'data-changed',
        expression: `request.operation != "UPDATE" || ${differs('data')} || ${differs('binaryData')} || ${asksAnew}`,
      },
    ],
  },
  {
    resource: 'secrets',
    kind: 'Secret',
    conditions: [
      {
        // Helm writes its own bookkeeping through us otherwise; tokens are nobody's configuration.
        name: 'not-bookkeeping',
        expression:
          '!has(object.type) || !(object.type in ["helm.sh/release.v1", "kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"])',
      },
      { name: 'data-changed', expression: `request.operation != "UPDATE" || ${differs('data')} || ${asksAnew}` },
    ],
  },
];

function hooksOf(selection: WebhookSelection | undefined): typeof hooks {
  return hooks.filter(({ kind }) => selection?.ignoredSourceKinds.includes(kind) !== true);
}

/** A field that is missing would be an error, and under `failurePolicy: Ignore` an error means never to be called. */
function differs(field: string): string {
  return `(has(object.${field}) ? object.${field} : {}) != (has(oldObject.${field}) ? oldObject.${field} : {})`;
}

/**
 * A registration that cannot hurt a cluster: it fails open within two seconds, leaves the system's namespaces and our own
 * alone, and is called for real changes of data only, and for what is to be checked.
 *
 * It has no caBundle: that field is of whoever injects it, and two owners would fight.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export function webhookConfiguration(
  type: HookType,
  { namespace, name, injectCaFrom }: WebhookService,
  selection?: WebhookSelection,
) {
  const { kind, path } = registrations[type];
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: {
      name: configurationName,
      ...(injectCaFrom !== undefined && { annotations: { 'cert-manager.io/inject-ca-from': injectCaFrom } }),
    },
    webhooks: hooksOf(selection).map(({ resource, conditions }) => ({
      name: `${resource}.webhook.reroll.dev`,
      clientConfig: { service: { namespace, name, path, port: 443 } },
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          resources: [resource],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
      ],
      failurePolicy: 'Ignore',
      timeoutSeconds: 2,
      sideEffects: 'NoneOnDryRun',
      matchPolicy: 'Equivalent',
      admissionReviewVersions: ['v1'],
      ...selectors(selection, [...systemNamespaces, namespace]),
      matchConditions: [
        {
          name: 'not-own-write',
          expression: `!has(request.userInfo.username) || !request.userInfo.username.startsWith("system:serviceaccount:${namespace}:")`,
        },
        ...conditions,
      ],
    })),
  };
}
