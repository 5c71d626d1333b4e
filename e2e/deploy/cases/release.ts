import { expect } from '@jest/globals';
import type { ChartCase } from '../chart-case';

interface Spread {
  readonly topologyKey: string;
  readonly labelSelector: { readonly matchLabels: object };
}

/** Names, images, rights, monitoring and budgets of an install. */
export const releaseCases: readonly ChartCase[] = [
  {
    what: 'names hold the release, unless it is called like the chart',
    values: {},
    options: { release: 'infra', namespace: 'tools' },
    check: (rendered) => {
      expect(rendered.names('Deployment')).toEqual(['infra-reroll', 'infra-reroll-certs', 'infra-reroll-webhook']);
      expect(rendered.names('ClusterRole', 'ValidatingWebhookConfiguration')).toEqual([
        ...['ClusterRole tools-infra-reroll', 'ClusterRole tools-infra-reroll-certs'],
        ...['ClusterRole tools-infra-reroll-webhook-schemas', 'ValidatingWebhookConfiguration tools-infra-reroll'],
      ]);
      expect(rendered.args('infra-reroll-certs')).toContain('--validating-webhook-configuration=tools-infra-reroll');
    },
  },
  {
    what: 'a name of its own',
    values: { fullnameOverride: 'changes' },
    check: (rendered) => expect(rendered.names('Deployment')).toEqual(['changes', 'changes-certs', 'changes-webhook']),
  },
  {
    what: 'another name of the chart',
    values: { nameOverride: 'reloads' },
    check: (rendered) => expect(rendered.names('Deployment')[0]).toBe('reroll-reloads'),
  },
  {
    what: 'names that are numbers or booleans for YAML stay text',
    values: {
      ...{ nameOverride: '0x1f', fullnameOverride: 'true', certificates: { mode: 'certManager' } },
      global: { imagePullSecrets: ['12', { name: '1e3' }] },
      reloader: {
        deployment: {
          priorityClassName: '5',
          env: { open: { TRUE: '1' }, secret: { NULL: '2' }, existing: { '7': { FALSE: '8' } } },
        },
        netpol: { enabled: true, from: [{ podSelector: {} }] },
        verticalPodAutoscaler: { enabled: true },
      },
    },
    options: { release: '123' },
    check: (rendered) => {
      const names = /^(name|namespace|serviceAccountName|secretName|priorityClassName|key|app\.kubernetes\.io\/.*)$/;
      const others: string[] = [];
      JSON.stringify(rendered.manifests, (field, value: unknown) => {
        if (names.test(field) && typeof value !== 'string') others.push(`${field}: ${JSON.stringify(value)}`);
        return value;
      });
      expect(others).toEqual([]);
      expect(rendered.template('true').metadata.labels).toMatchObject({ 'app.kubernetes.io/instance': '123' });
      expect(Object.keys(rendered.env('true'))).toEqual(expect.arrayContaining(['TRUE', 'NULL', 'FALSE']));
      expect(rendered.one('Secret', 'true')['stringData']).toEqual({ NULL: '2' });
    },
  },
  {
    what: 'another namespace than that of the release',
    values: { namespace: 'elsewhere' },
    check: (rendered) => {
      const namespaces = rendered.manifests.flatMap(({ metadata }) => metadata.namespace ?? []);
      expect(new Set(namespaces)).toEqual(new Set(['elsewhere']));
      expect(rendered.args()).toContain('--own-namespace=elsewhere');
    },
  },
  {
    what: 'the image of a mirror, with secrets for it',
    values: { global: { imageRegistry: 'mirror.example', imagePullSecrets: ['a', { name: 'b' }] } },
    check: (rendered) => {
      expect(rendered.container()['image']).toBe('mirror.example/reroll/reroll:0.1.0');
      for (const deployment of rendered.names('Deployment')) {
        expect(rendered.pod(deployment)['imagePullSecrets']).toEqual([{ name: 'a' }, { name: 'b' }]);
      }
      expect(rendered.one('ServiceAccount', 'reroll')['imagePullSecrets']).toHaveLength(2);
    },
  },
  {
    what: 'an image by digest',
    values: { image: { repository: 'r.example/x', digest: `sha256:${'a'.repeat(64)}`, pullPolicy: 'Always' } },
    check: (rendered) =>
      expect(rendered.container()).toMatchObject({
        image: `r.example/x@sha256:${'a'.repeat(64)}`,
        imagePullPolicy: 'Always',
      }),
  },
  {
    what: 'an image by tag and name',
    values: { global: { imageRegistry: 'mirror.example' }, image: { name: 'x/y', tag: '9' } },
    check: (rendered) => expect(rendered.container('reroll-webhook')['image']).toBe('mirror.example/x/y:9'),
  },
  {
    what: 'an account of yours',
    values: { reloader: { serviceAccount: { create: false, name: 'mine' } } },
    check: (rendered) => {
      expect(rendered.pod().serviceAccountName).toBe('mine');
      expect(rendered.names('ServiceAccount')).toEqual(['reroll-certs', 'reroll-webhook']);
      expect(rendered.one('ClusterRoleBinding', 'reroll')['subjects']).toMatchObject([{ name: 'mine' }]);
    },
  },
  {
    what: 'an account that is told of elsewhere',
    values: {
      reloader: {
        serviceAccount: { name: 'x', labels: { a: 'b' }, annotations: { c: 'd' }, automountServiceAccountToken: true },
      },
    },
    check: (rendered) =>
      expect(rendered.one('ServiceAccount', 'x')).toMatchObject({
        automountServiceAccountToken: true,
        metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      }),
  },
  {
    what: 'rights that somebody else gives',
    values: { reloader: { rbac: { enabled: false } } },
    check: (rendered) => expect(rendered.names('Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding')).toEqual([]),
  },
  {
    what: 'labels of roles',
    values: { reloader: { rbac: { labels: { a: 'b' } } } },
    check: (rendered) => expect(rendered.one('ClusterRole', 'reroll').metadata.labels).toMatchObject({ a: 'b' }),
  },
  {
    what: 'no pod may do more than it needs',
    values: {},
    check: (rendered) => {
      for (const deployment of rendered.names('Deployment')) {
        expect(rendered.pod(deployment)['securityContext']).toMatchObject({
          ...{ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        expect(rendered.container(deployment)['securityContext']).toEqual({
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        });
      }
      expect(rendered.spec('Pod')).toMatchObject({ automountServiceAccountToken: false });
      for (const account of rendered.names('ServiceAccount')) {
        expect(rendered.one('ServiceAccount', account)).toMatchObject({ automountServiceAccountToken: false });
      }
      expect(rendered.rules('ClusterRole', 'reroll').join()).not.toMatch(
        /\*|update|delete secrets|impersonate|escalate/,
      );
    },
  },
  {
    what: 'every pod is spread, is asked how it is, and has the time that its process takes to end',
    values: {},
    check: (rendered) => {
      for (const deployment of rendered.names('Deployment')) {
        const { terminationGracePeriodSeconds, topologySpreadConstraints } = rendered.pod(deployment);
        // The webhook takes the longest: it drains for up to 25 s.
        expect(terminationGracePeriodSeconds).toBeGreaterThan(30);
        const spread = topologySpreadConstraints as readonly Spread[];
        expect(spread.map(({ topologyKey }) => topologyKey)).toEqual([
          ...['topology.kubernetes.io/zone', 'kubernetes.io/hostname'],
        ]);
        const { labels } = rendered.template(deployment).metadata;
        for (const { labelSelector } of spread) expect(labels).toMatchObject(labelSelector.matchLabels);
        expect(rendered.container(deployment)).toMatchObject({
          startupProbe: { httpGet: { path: '/healthz', port: 'http' } },
          readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
          livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
          resources: { requests: { cpu: expect.any(String) as unknown, memory: expect.any(String) as unknown } },
        });
        expect(rendered.env(deployment)['NODE_OPTIONS']).toContain('--max-old-space-size-percentage=75');
      }
    },
  },
  {
    what: 'a Service for metrics',
    values: {
      reloader: {
        service: { port: 80, labels: { a: 'b' }, annotations: { c: 'd' }, ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] }, // prettier-ignore
      },
    },
    check: (rendered) => {
      const service = rendered.one('Service', 'reroll');
      expect(service.metadata).toMatchObject({ labels: { a: 'b' }, annotations: { c: 'd' } });
      expect(service['spec']).toMatchObject({
        ...{ ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] },
        ports: [{ name: 'http', port: 80, targetPort: 'http' }],
      });
    },
  },
  {
    what: 'a ServiceMonitor for all processes',
    values: {
      reloader: {
        serviceMonitor: {
          ...{ enabled: true, namespace: 'monitoring', labels: { release: 'p' }, annotations: { a: 'b' } },
          ...{ interval: '15s', timeout: '5s', scheme: 'https', tlsConfig: { insecureSkipVerify: true } },
          ...{ bearerTokenFile: '/t', honorLabels: false, targetLabels: ['team'] },
          metricRelabelings: [{ action: 'drop', regex: 'go_.*', sourceLabels: ['__name__'] }],
          relabelings: [{ targetLabel: 'cluster', replacement: 'c' }],
        },
      },
    },
    check: (rendered) => {
      const monitor = rendered.one('ServiceMonitor');
      expect(monitor.metadata).toMatchObject({
        namespace: 'monitoring',
        labels: { release: 'p' },
        annotations: { a: 'b' },
      });
      const selector = rendered.spec('ServiceMonitor')['selector'] as { matchLabels: object };
      expect(rendered.one('Service', 'reroll-metrics').metadata.labels).toMatchObject(selector.matchLabels);
      expect(monitor['spec']).toMatchObject({
        namespaceSelector: { matchNames: ['reroll'] },
        targetLabels: ['team'],
        endpoints: [
          {
            ...{ port: 'http', interval: '15s', scrapeTimeout: '5s', scheme: 'https', bearerTokenFile: '/t' },
            ...{ honorLabels: false, tlsConfig: { insecureSkipVerify: true } },
            metricRelabelings: [{ action: 'drop' }],
            relabelings: [{ targetLabel: 'cluster' }],
          },
        ],
      });
    },
  },
  {
    what: 'a PodMonitor for all processes',
    values: {
      reloader: {
        podMonitor: {
          ...{ enabled: true, namespace: '{{ .Release.Name }}-x', labels: { a: 'b' }, annotations: { a: 'b' } },
          ...{ interval: '15s', timeout: '5s', scheme: 'http', podTargetLabels: ['team'], honorLabels: true },
          ...{ tlsConfig: { serverName: 's' }, bearerTokenSecret: { name: 't', key: 'k' } },
          ...{ metricRelabelings: [{ action: 'keep' }], relabelings: [{ action: 'keep' }] },
        },
      },
    },
    check: (rendered) => {
      expect(rendered.one('PodMonitor').metadata.namespace).toBe('reroll-x');
      const selector = rendered.spec('PodMonitor')['selector'] as { matchLabels: object };
      for (const deployment of rendered.names('Deployment')) {
        expect(rendered.template(deployment).metadata.labels).toMatchObject(selector.matchLabels);
      }
      expect(rendered.spec('PodMonitor')).toMatchObject({
        podTargetLabels: ['team'],
        podMetricsEndpoints: [{ port: 'http', interval: '15s', bearerTokenSecret: { name: 't', key: 'k' } }],
      });
    },
  },
  {
    what: 'alert rules, with their runbooks',
    values: {
      prometheusRule: { enabled: true, namespace: 'm', labels: { a: 'b' }, runbookBaseUrl: 'https://wiki.example/' },
    },
    check: (rendered) => {
      const rule = rendered.one('PrometheusRule');
      expect(rule.metadata).toMatchObject({ namespace: 'm', labels: { a: 'b' } });
      expect(JSON.stringify(rule['spec'])).toContain('"https://wiki.example/');
      expect(JSON.stringify(rule['spec'])).not.toMatch(/@(runbooks|namespace)@/);
    },
  },
  {
    what: 'the dashboard',
    values: {
      dashboard: { enabled: true, namespace: 'm', labels: { grafana_dashboard: '1' }, annotations: { folder: 'K' } },
    },
    check: (rendered) => {
      const map = rendered.one('ConfigMap');
      expect(map.metadata).toMatchObject({
        namespace: 'm',
        labels: { grafana_dashboard: '1' },
        annotations: { folder: 'K' },
      });
      const { 'reroll.json': json = '' } = map['data'] as Record<string, string>;
      expect(JSON.parse(json)).toMatchObject({ title: expect.any(String) as unknown });
    },
  },
  {
    what: 'budgets by number and by share',
    values: { reloader: { deployment: { replicas: 3 }, podDisruptionBudget: { enabled: true, minAvailable: '50%' } } },
    check: (rendered) => expect(rendered.spec('PodDisruptionBudget', 'reroll')).toMatchObject({ minAvailable: '50%' }),
  },
  {
    what: 'a budget in which maxUnavailable wins',
    values: { reloader: { podDisruptionBudget: { enabled: true, minAvailable: 2, maxUnavailable: '50%' } } },
    check: (rendered) => {
      expect(rendered.spec('PodDisruptionBudget', 'reroll')).toMatchObject({ maxUnavailable: '50%' });
      expect(rendered.spec('PodDisruptionBudget', 'reroll')).not.toHaveProperty('minAvailable');
    },
  },
  {
    what: 'a budget that is not told how large it is',
    values: { reloader: { podDisruptionBudget: { enabled: true } } },
    check: (rendered) => expect(rendered.spec('PodDisruptionBudget', 'reroll')).toMatchObject({ maxUnavailable: 1 }),
  },
  {
    what: 'a VerticalPodAutoscaler',
    values: {
      reloader: {
        verticalPodAutoscaler: {
          ...{ enabled: true, recommenders: [{ name: 'mine' }], controlledResources: ['memory'] },
          ...{ controlledValues: 'RequestsOnly', maxAllowed: { memory: '1Gi' }, minAllowed: { memory: '64Mi' } },
          updatePolicy: { updateMode: 'Initial', minReplicas: 1 },
        },
      },
    },
    check: (rendered) =>
      expect(rendered.spec('VerticalPodAutoscaler')).toEqual({
        recommenders: [{ name: 'mine' }],
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'reroll' },
        updatePolicy: { updateMode: 'Initial', minReplicas: 1 },
        resourcePolicy: {
          containerPolicies: [
            {
              ...{ containerName: 'reconciler', controlledResources: ['memory'], controlledValues: 'RequestsOnly' },
              ...{ maxAllowed: { memory: '1Gi' }, minAllowed: { memory: '64Mi' } },
            },
          ],
        },
      }),
  },
  {
    what: 'helm test: its pod runs on Linux, has the common labels, and its policy selects no pod of another chart',
    values: {
      nameOverride: 'a'.repeat(63),
      commonLabels: { team: 'platform', 'app.kubernetes.io/name': 'a'.repeat(63) },
      webhook: { nodeSelector: { pool: 'system' } },
      reloader: { netpol: { enabled: true, from: [{ podSelector: {} }] } },
    },
    check: (rendered) => {
      expect(rendered.spec('Pod')['nodeSelector']).toEqual({ 'kubernetes.io/os': 'linux', pool: 'system' });
      const own = {
        'app.kubernetes.io/name': `${'a'.repeat(58)}-test`,
        'app.kubernetes.io/instance': 'reroll',
        'app.kubernetes.io/component': 'test',
      };
      expect(rendered.one('Pod').metadata.labels).toEqual({ ...own, team: 'platform' });
      expect(rendered.spec('NetworkPolicy', `reroll-${'a'.repeat(43)}-test`)['podSelector']).toEqual({
        matchLabels: own,
      });
      expect(rendered.spec('NetworkPolicy', `reroll-${'a'.repeat(43)}`)['ingress']).toContainEqual({
        ports: [{ port: 'http' }],
        from: [{ podSelector: {} }, { podSelector: { matchLabels: own } }],
      });
    },
  },
  {
    what: 'helm test without a webhook: its pod runs where the reconciler does, and as whom',
    values: {
      webhook: { enabled: false },
      reloader: {
        deployment: {
          securityContext: { runAsUser: null, runAsGroup: null },
          nodeSelector: { pool: 'system' },
          tolerations: [{ operator: 'Exists' }],
        },
      },
    },
    check: (rendered) => {
      for (const field of ['securityContext', 'nodeSelector', 'tolerations']) {
        expect(rendered.spec('Pod')[field]).toEqual(rendered.pod()[field]);
      }
    },
  },
  {
    what: 'labels, annotations and lists with nothing below their key are empty',
    values: {
      reloader: { deployment: { labels: null }, netpol: { enabled: true, sinkPorts: null } },
      webhook: { ignoreNamespaces: null, registrationAnnotations: null },
    },
    check: (rendered) => {
      expect(rendered.one('Deployment', 'reroll').metadata.labels).not.toHaveProperty('provider');
      expect(rendered.spec('NetworkPolicy', 'reroll')['egress']).toContainEqual({
        ports: [{ port: 443 }, { port: 6443 }],
      });
      expect(rendered.one('ValidatingWebhookConfiguration').metadata).not.toHaveProperty('annotations');
      expect(rendered.hooked('ValidatingWebhookConfiguration')).toContain('secrets');
    },
  },
  {
    what: 'helm test asks each pod that there should be',
    values: { reloader: { deployment: { replicas: 3 } } },
    check: (rendered) => {
      const containers = rendered.spec('Pod')['containers'] as readonly [{ args: readonly string[] }];
      expect(containers[0].args.slice(1)).toEqual(['reroll-metrics.reroll.svc', '6']);
    },
  },
];
