import { webhookTokenSecretName } from '../../shared/domain/protocol/webhook-token';
import { endpointSlices } from '../../shared/kube/resource';
import { type HookType, webhookConfiguration } from './webhook-configuration';
import { stringify } from 'yaml';

const labels = (component: string) => ({
  'app.kubernetes.io/name': 'reroll',
  'app.kubernetes.io/component': component,
});

/**
 * The objects in `deploy/webhook.yaml`, which is generated: everything that the webhook needs besides its Deployment.
 */
function webhookManifests(namespace: string): readonly object[] {
  const account = 'reroll-webhook';
  const metadata = { name: account, namespace };
  const service = (name: string, component: string, port: number, targetPort: number) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: labels(component), ports: [{ name: 'https', port, targetPort, protocol: 'TCP' }] },
  });
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata,
      rules: [
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['reroll-digest-key'], verbs: ['get'] },
        {
          apiGroups: [''],
          resources: ['secrets'],
          resourceNames: ['reroll-certs', webhookTokenSecretName],
          verbs: ['list', 'watch'],
        },
        { apiGroups: [endpointSlices.group], resources: [endpointSlices.plural], verbs: ['list', 'watch'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: account },
      // Needed to read the schemas that sources name. Without this permission, content is not checked against schemas.
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: account },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: account },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: account },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    },
    service('reroll-webhook', 'webhook', 443, 10250),
    service('reroll-channel', 'reconciler', 8444, 8444),
    webhookConfiguration('validating', { namespace, name: 'reroll-webhook' }),
  ];
}

export const hookTypes: readonly HookType[] = ['validating', 'mutating'];

/** Placeholders that the chart replaces with the names of the release. */
const service = { namespace: '@namespace@', name: '@service@', reconcilerAccount: '@account@' };

/**
 * The webhooks of a configuration, generated for the chart, so that the match conditions are defined and tested only
 * here.
 */
export function chartHooksText(type: HookType): string {
  const { webhooks } = webhookConfiguration(type, service);
  return `# Generated: npm run release -- --generate\n${stringify({ webhooks }, { lineWidth: 0 })}`;
}

const header = `# What the webhook needs besides its Deployment, for the namespace \`reroll\`. rbac.yaml creates that namespace and the
# Secrets that the webhook reads. Generated:
# npm run release -- --generate
`;

/** The text of `deploy/webhook.yaml`. */
export function manifestText(): string {
  const documents = webhookManifests('reroll').map((object) => stringify(object, { singleQuote: true, lineWidth: 0 }));
  return header + documents.join('---\n');
}
