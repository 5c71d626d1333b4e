import { expect } from '@jest/globals';
import type { ChartCase } from '../chart-case';
import type { Values } from '../rendered-chart';

const hook = 'reroll-webhook';

const flags = (webhook: Values, ...expected: readonly string[]): ChartCase => ({
  what: `webhook ${JSON.stringify(webhook)}: ${expected.join(' ')}`,
  values: { webhook },
  check: (rendered) => expect(rendered.args(hook)).toEqual(expect.arrayContaining([...expected])),
});

interface Hook {
  readonly rules: readonly { readonly resources: readonly string[] }[];
  readonly namespaceSelector: Selector;
  readonly objectSelector?: Selector;
  readonly matchConditions: readonly Values[];
}

interface Selector {
  readonly matchExpressions: readonly { readonly key: string; readonly operator: string; readonly values?: unknown }[];
}

const existing = {
  mode: 'existingSecrets',
  existingSecrets: { webhook: 'w', channel: 'c', client: 'l', caBundle: 'PEM' },
};

/** The webhook, its registrations, and the source of its certificates. */
export const webhookCases: readonly ChartCase[] = [
  {
    what: 'without the webhook there is nothing of it',
    values: { webhook: { enabled: false } },
    check: (rendered) => {
      expect(rendered.names()).toEqual([
        ...['ClusterRole reroll', 'ClusterRoleBinding reroll', 'Deployment reroll', 'Pod reroll-test'],
        ...['Role reroll-own', 'RoleBinding reroll-own', 'Service reroll-metrics', 'ServiceAccount reroll'],
      ]);
      expect(rendered.args()).not.toContain('--channel-listen=:8444');
    },
  },
  {
    what: 'without pods of it nothing is registered that would call them',
    values: { webhook: { replicas: 0 } },
    check: (rendered) => {
      expect(rendered.names('ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration')).toEqual([]);
      expect(rendered.spec('Deployment', hook)['replicas']).toBe(0);
    },
  },
  {
    what: 'what the reconciler leaves out is not sent to the webhook either',
    values: {
      reloader: {
        ignoreNamespaces: 'sandbox, scratch',
        namespaceSelector: 'env in (prod, stage),team != x,zone notin (a),!frozen,owner,level>1,tier==gold',
        resourceLabelSelector: 'reload=yes',
      },
    },
    check: (rendered) => {
      for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
        for (const { rules, namespaceSelector, objectSelector } of rendered.one(kind)['webhooks'] as readonly Hook[]) {
          const [byName, ...byLabel] = namespaceSelector.matchExpressions;
          expect(byName?.values).toEqual(expect.arrayContaining(['kube-system', 'sandbox', 'scratch']));
          expect(byLabel).toEqual([
            { key: 'env', operator: 'In', values: ['prod', 'stage'] },
            { key: 'team', operator: 'NotIn', values: ['x'] },
            { key: 'zone', operator: 'NotIn', values: ['a'] },
            { key: 'frozen', operator: 'DoesNotExist' },
            { key: 'owner', operator: 'Exists' },
            // Without `level>1`, which a registration cannot express.
            { key: 'tier', operator: 'In', values: ['gold'] },
          ]);
          const isSource = ['configmaps', 'secrets'].includes(rules[0]?.resources[0] ?? '');
          const selected = { matchExpressions: [{ key: 'reload', operator: 'In', values: ['yes'] }] };
          expect(objectSelector).toEqual(isSource ? selected : undefined);
        }
      }
    },
  },
  {
    what: "Reloader's older selectors",
    values: { reloader: { namespaceSelector: 'env:prod, team:*,tier=*', resourceLabelSelector: 'reload:*' } },
    check: (rendered) => {
      for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
        for (const { rules, namespaceSelector, objectSelector } of rendered.one(kind)['webhooks'] as readonly Hook[]) {
          expect(namespaceSelector.matchExpressions.slice(1)).toEqual([
            { key: 'env', operator: 'In', values: ['prod'] },
            { key: 'team', operator: 'Exists' },
            { key: 'tier', operator: 'Exists' },
          ]);
          const isSource = ['configmaps', 'secrets'].includes(rules[0]?.resources[0] ?? '');
          const selected = { matchExpressions: [{ key: 'reload', operator: 'Exists' }] };
          expect(objectSelector).toEqual(isSource ? selected : undefined);
        }
      }
    },
  },
  {
    what: 'a rollout of it takes none away before another is there',
    values: {},
    check: (rendered) =>
      expect(rendered.spec('Deployment', hook)).toMatchObject({
        replicas: 2,
        strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      }),
  },
  {
    what: 'validating alone',
    values: { webhook: { mutating: false } },
    check: (rendered) => {
      expect(rendered.names('MutatingWebhookConfiguration')).toEqual([]);
      expect(rendered.hooked('ValidatingWebhookConfiguration')).toContain('secrets');
    },
  },
  {
    what: 'mutating alone',
    values: { webhook: { validating: false } },
    check: (rendered) => expect(rendered.names('ValidatingWebhookConfiguration')).toEqual([]),
  },
  {
    what: 'every hook fails open, waits no longer than told, and leaves system namespaces and our own alone',
    values: { webhook: { timeoutSeconds: 1, ignoreNamespaces: ['cert-manager'] } },
    options: { namespace: 'tools' },
    check: (rendered) => {
      for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
        const hooks = rendered.one(kind)['webhooks'] as readonly Values[];
        for (const each of hooks) {
          expect(each).toMatchObject({ failurePolicy: 'Ignore', timeoutSeconds: 1 });
          const [first] = (each['namespaceSelector'] as { matchExpressions: readonly Values[] }).matchExpressions;
          expect(first?.['values']).toEqual(
            expect.arrayContaining(['kube-system', 'kube-public', 'kube-node-lease', 'tools', 'cert-manager']),
          );
          expect(JSON.stringify(each)).not.toContain('@');
        }
      }
    },
  },
  ...(
    [
      [{}, 'reroll'],
      [{ serviceAccount: { create: false, name: 'mine' } }, 'mine'],
      [{ serviceAccount: { create: false } }, 'default'],
    ] as const
  ).map(([reloader, account]): ChartCase => ({
    what: `the webhook is not called for writes of the reconciler as ${account}, and for those of others in its namespace it is`,
    values: { reloader },
    options: { namespace: 'tools', release: 'reroll' },
    check: (rendered) => {
      for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
        for (const { matchConditions } of rendered.one(kind)['webhooks'] as readonly Hook[]) {
          expect(matchConditions[0]).toEqual({
            name: 'not-own-write',
            expression: `!has(request.userInfo.username) || request.userInfo.username != "system:serviceaccount:tools:${account}"`,
          });
        }
      }
    },
  })),
  {
    what: 'further conditions and annotations of registrations',
    values: {
      webhook: {
        matchConditions: [{ name: 'not-velero', expression: 'request.userInfo.username != "velero"' }],
        registrationAnnotations: { 'admissions.enforcer/disabled': 'true' },
      },
    },
    check: (rendered) => {
      const registration = rendered.one('ValidatingWebhookConfiguration');
      expect(registration.metadata.annotations).toEqual({ 'admissions.enforcer/disabled': 'true' });
      for (const each of registration['webhooks'] as readonly { readonly matchConditions: readonly Values[] }[]) {
        expect(each.matchConditions.at(-1)).toMatchObject({ name: 'not-velero' });
      }
    },
  },
  flags({ preview: false, lint: false }, '--preview=false', '--lint=false'),
  flags({ quietNamespaces: ['a', 'b'] }, '--quiet-namespaces=a,b'),
  flags({ validateNamespaces: { shop: 'deny', dev: 'warn' } }, '--validate-namespaces=dev=warn,shop=deny'),
  flags({ extraArgs: ['--channel-tls-dir=/x'] }, '--channel-tls-dir=/x'),
  flags({ extraArgs: ['--channel-tls-dir', '/x', '--lint'] }, '--channel-tls-dir', '/x', '--lint'),
  {
    what: 'a CA that signs for API servers, and the key of no CA',
    values: { webhook: { clientCASecret: 'api-server-ca' } },
    check: (rendered) => {
      expect(rendered.args(hook)).toContain('--client-ca-file=/etc/reroll/client-ca/ca.crt');
      expect(rendered.pod(hook).volumes).toEqual([
        { name: 'client-ca', secret: { secretName: 'api-server-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      ]);
      const mount = { name: 'client-ca', mountPath: '/etc/reroll/client-ca', readOnly: true };
      expect(rendered.container(hook)['volumeMounts']).toEqual([mount]);
    },
  },
  {
    what: 'the same beside certificates out of Secrets',
    values: { webhook: { clientCASecret: 'api-server-ca' }, certificates: { mode: 'certManager' } },
    check: (rendered) => {
      const names = (rendered.pod(hook).volumes as readonly { readonly name: string }[]).map(({ name }) => name);
      expect(names).toEqual(['webhook-tls', 'client-tls', 'client-ca']);
    },
  },
  {
    what: 'a port of the host, where pods are out of reach of the control plane',
    asksForMore: true,
    values: { webhook: { hostNetwork: true, port: 10260 } },
    check: (rendered) => {
      expect(rendered.pod(hook)).toMatchObject({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' });
      expect(rendered.container(hook)['ports']).toContainEqual({ name: 'https', containerPort: 10_260 });
      expect(rendered.args(hook)).toContain('--webhook-listen=:10260');
    },
  },
  {
    what: 'where it runs, and as whom; reroll certs too',
    values: {
      webhook: {
        nodeSelector: { role: 'infra' },
        tolerations: [{ operator: 'Exists' }],
        priorityClassName: 'high',
        securityContext: { runAsUser: null, runAsGroup: null },
        podAnnotations: { a: 'b' },
        affinity: { podAffinity: {} },
        resources: { limits: { memory: '1Gi' } },
      },
    },
    check: (rendered) => {
      for (const deployment of [hook, 'reroll-certs']) {
        const pod = rendered.pod(deployment);
        expect(pod).toMatchObject({ nodeSelector: { role: 'infra' }, tolerations: [{ operator: 'Exists' }] });
        expect(pod).toMatchObject({ priorityClassName: 'high', securityContext: { runAsNonRoot: true } });
        expect(pod['securityContext']).not.toHaveProperty('runAsUser');
      }
      expect(rendered.pod(hook)['affinity']).toEqual({ podAffinity: {} });
      expect(rendered.template(hook).metadata.annotations).toEqual({ a: 'b' });
      expect(rendered.container(hook)['resources']).toMatchObject({ limits: { memory: '1Gi' } });
    },
  },
  {
    what: 'spread by rules of its own',
    values: { webhook: { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} }] } }, // prettier-ignore
    check: (rendered) => expect(rendered.pod(hook)['topologySpreadConstraints']).toHaveLength(1),
  },
  {
    what: 'one replica has no budget, which would hold up every drain',
    values: { webhook: { replicas: 1 } },
    check: (rendered) => expect(rendered.names('PodDisruptionBudget')).toEqual([]),
  },
  {
    what: 'no budget',
    values: { webhook: { podDisruptionBudget: false } },
    check: (rendered) => expect(rendered.names('PodDisruptionBudget')).toEqual([]),
  },
  {
    what: 'cert-manager: certificates of a CA of the release, whose bundle it injects',
    values: { certificates: { mode: 'certManager' } },
    check: (rendered) => {
      expect(rendered.names('Issuer', 'Certificate')).toEqual([
        ...['Certificate reroll-ca', 'Certificate reroll-channel', 'Certificate reroll-client'],
        ...['Certificate reroll-webhook', 'Issuer reroll', 'Issuer reroll-self-signed'],
      ]);
      for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
        expect(rendered.one(kind).metadata.annotations).toEqual({
          'cert-manager.io/inject-ca-from': 'reroll/reroll-webhook',
        });
      }
      expect(rendered.args('reroll-certs')).toContain('--certificates=false');
      expect(rendered.names('Secret')).toEqual(['reroll-webhook-token']);
      expect(rendered.rules('Role', 'reroll-certs')).toEqual(['get update secrets/reroll-webhook-token']);
      expect(rendered.args()).toContain('--channel-tls-dir=/etc/reroll/channel');
      expect(rendered.args(hook)).toContain('--tls-dir=/etc/reroll/webhook');
      expect(rendered.rules('Role', hook).join()).not.toContain('reroll-certs');
      expect(rendered.rules('Role', hook)).toContain('list watch secrets/reroll-webhook-token');
    },
  },
  {
    what: 'cert-manager, with an issuer of yours',
    values: {
      certificates: { mode: 'certManager', certManager: { issuerRef: { name: 'corp', kind: 'ClusterIssuer' } } },
    },
    check: (rendered) => {
      expect(rendered.names('Issuer')).toEqual([]);
      expect(rendered.spec('Certificate', hook)['issuerRef']).toEqual({ name: 'corp', kind: 'ClusterIssuer' });
    },
  },
  {
    what: 'Secrets that there are',
    values: { certificates: existing },
    check: (rendered) => {
      const [first] = rendered.one('ValidatingWebhookConfiguration')['webhooks'] as readonly { clientConfig: Values }[];
      expect(first?.clientConfig['caBundle']).toBe(Buffer.from('PEM').toString('base64'));
      expect(rendered.pod(hook).volumes).toEqual([
        { name: 'webhook-tls', secret: { secretName: 'w' } },
        { name: 'client-tls', secret: { secretName: 'l' } },
      ]);
      expect(rendered.pod().volumes).toEqual([{ name: 'channel-tls', secret: { secretName: 'c' } }]);
      expect(rendered.args('reroll-certs')).toContain('--certificates=false');
      expect(rendered.names('Secret')).toEqual(['reroll-webhook-token']);
    },
  },
  {
    what: 'reroll certs fills Secrets that the chart ships empty, and sets what the registrations leave out',
    values: {},
    check: (rendered) => {
      expect(rendered.names('Secret')).toEqual(['reroll-ca', 'reroll-certs', 'reroll-webhook-token']);
      for (const name of rendered.names('Secret')) expect(rendered.one('Secret', name)).not.toHaveProperty('data');
      expect(rendered.args('reroll-certs')).not.toContain('--certificates=false');
      expect(rendered.rules('Role', 'reroll-certs')).toEqual([
        'get update secrets/reroll-ca,reroll-certs,reroll-webhook-token',
      ]);
      expect(rendered.rules('ClusterRole', 'reroll-certs')).toEqual([
        'get patch validatingwebhookconfigurations,mutatingwebhookconfigurations/reroll',
      ]);
      for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
        const hooks = rendered.one(kind)['webhooks'] as readonly { readonly clientConfig: Values }[];
        for (const { clientConfig } of hooks) {
          expect(clientConfig).toEqual({ service: { namespace: 'reroll', name: hook, port: 443 } });
        }
      }
    },
  },
  {
    what: 'flags of reroll certs',
    values: { certificates: { extraArgs: ['--leaf-life=240h'], resources: { limits: { memory: '256Mi' } } } },
    check: (rendered) => {
      expect(rendered.args('reroll-certs')).toContain('--leaf-life=240h');
      expect(rendered.container('reroll-certs')['resources']).toMatchObject({ limits: { memory: '256Mi' } });
    },
  },
];
