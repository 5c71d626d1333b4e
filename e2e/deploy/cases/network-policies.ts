import { expect } from '@jest/globals';
import type { ChartCase } from '../chart-case';

/** What each pod of an install may reach, and what may reach it. */
export const networkPolicyCases: readonly ChartCase[] = [
  {
    what: 'network policies: each pod is let what it needs',
    values: { reloader: { netpol: { enabled: true, from: [{ namespaceSelector: {} }], to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], apiServerPorts: [8443], sinkPorts: [8443, 8080] } } }, // prettier-ignore
    check: (rendered) => {
      expect(rendered.names('NetworkPolicy')).toEqual(['reroll', 'reroll-certs', 'reroll-test', 'reroll-webhook']);
      const ports = (name: string, way: 'ingress' | 'egress'): readonly unknown[] =>
        (rendered.spec('NetworkPolicy', name)[way] as readonly { ports: readonly { port: unknown }[] }[]).flatMap(
          (rule) => rule.ports.map(({ port }) => port),
        );
      expect(ports('reroll', 'ingress')).toEqual(['http', 'channel']);
      // Those of DNS by UDP and TCP.
      const dns = [53, 53, 5353, 5353, 8053, 8053];
      expect(ports('reroll', 'egress')).toEqual([...dns, 8443, 8080]);
      expect(ports('reroll-webhook', 'ingress')).toEqual(['http', 'https']);
      expect(ports('reroll-webhook', 'egress')).toEqual([...dns, 8443, 8444]);
      expect(ports('reroll-test', 'egress')).toEqual([...dns, 'http']);
      expect(ports('reroll-certs', 'ingress')).toEqual(['http']);
      const [, channel] = rendered.spec('NetworkPolicy', 'reroll')['ingress'] as readonly { from: readonly { podSelector: { matchLabels: object } }[] }[]; // prettier-ignore
      expect(rendered.template('reroll-webhook').metadata.labels).toMatchObject(channel?.from[0]?.podSelector.matchLabels ?? { none: '' }); // prettier-ignore
    },
  },
  {
    what: 'network policies: who may call the webhook, and what else the channel, is said by those who know',
    values: { reloader: { netpol: { enabled: true, webhookFrom: [{ ipBlock: { cidr: '10.9.0.0/28' } }], channelFrom: [{ ipBlock: { cidr: '10.8.0.0/16' } }] } } }, // prettier-ignore
    check: (rendered) => {
      expect(rendered.spec('NetworkPolicy', 'reroll-webhook')['ingress']).toEqual([
        { ports: [{ port: 'http' }] },
        { ports: [{ port: 'https' }], from: [{ ipBlock: { cidr: '10.9.0.0/28' } }] },
      ]);
      expect(rendered.spec('NetworkPolicy', 'reroll')['ingress']).toEqual([
        { ports: [{ port: 'http' }] },
        {
          ports: [{ port: 'channel' }],
          from: [{ podSelector: expect.anything() }, { ipBlock: { cidr: '10.8.0.0/16' } }],
        },
      ]);
    },
  },
  {
    what: 'network policies with a webhook on the network of its host, where labels select nothing',
    asksForMore: true,
    values: { webhook: { hostNetwork: true, port: 10260 }, reloader: { netpol: { enabled: true, channelFrom: [{ ipBlock: { cidr: '10.0.0.0/16' } }] } } }, // prettier-ignore
    check: (rendered) => {
      expect(rendered.names('NetworkPolicy')).toEqual(['reroll', 'reroll-certs', 'reroll-test']);
      expect(rendered.spec('NetworkPolicy', 'reroll')['ingress']).toEqual([
        { ports: [{ port: 'http' }] },
        { ports: [{ port: 'channel' }], from: [{ ipBlock: { cidr: '10.0.0.0/16' } }] },
      ]);
      // helm test asks each pod whether it is ready.
      expect(rendered.spec('NetworkPolicy', 'reroll-test')['egress']).toContainEqual({
        ports: [{ port: 9090 }],
        to: [{ ipBlock: { cidr: '10.0.0.0/16' } }],
      });
    },
  },
  {
    what: 'network policies without a webhook',
    values: { webhook: { enabled: false }, reloader: { netpol: { enabled: true } } },
    check: (rendered) => expect(rendered.names('NetworkPolicy')).toEqual(['reroll', 'reroll-test']),
  },
  {
    what: 'network policies: the reconciler reaches Prometheus, and no pods without health checks at URLs',
    values: { reloader: { prometheusUrl: 'http://prometheus.monitoring:9090', netpol: { enabled: true } } },
    check: (rendered) => {
      const egress = rendered.spec('NetworkPolicy', 'reroll')['egress'];
      expect(egress).toContainEqual({ ports: [{ port: 9090 }] });
      expect(JSON.stringify(egress)).not.toContain('namespaceSelector');
      expect(JSON.stringify(rendered.spec('NetworkPolicy', 'reroll-webhook'))).not.toContain('9090');
    },
  },
  {
    what: 'network policies: reconciler and webhook reach the endpoint of traces, where it may be',
    values: { reloader: { netpol: { enabled: true, to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] } }, tracing: { endpoint: 'http://otel-collector.observability:4318' } }, // prettier-ignore
    check: (rendered) => {
      const toCollector = { ports: [{ port: 4318 }], to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] };
      for (const name of ['reroll', 'reroll-webhook']) {
        expect(rendered.spec('NetworkPolicy', name)['egress']).toContainEqual(toCollector);
      }
      expect(JSON.stringify(rendered.spec('NetworkPolicy', 'reroll-certs'))).not.toContain('4318');
    },
  },
  {
    what: 'network policies: without traces the webhook calls no receiver',
    values: { reloader: { netpol: { enabled: true, sinkPorts: [4318] } } },
    check: (rendered) => expect(JSON.stringify(rendered.spec('NetworkPolicy', 'reroll-webhook'))).not.toContain('4318'),
  },
  ...[
    ['https://apm.example/otlp', 443],
    ['http://[fd00::1]', 80],
    ['http://[fd00::1]:4318/', 4318],
    [' http://otel-collector.observability:4318 ', 4318],
  ].map(([endpoint, port]): ChartCase => ({
    what: `network policies: the port of ${endpoint} is ${port}`,
    values: { reloader: { netpol: { enabled: true } }, tracing: { endpoint } },
    check: (rendered) =>
      expect(rendered.spec('NetworkPolicy', 'reroll')['egress']).toContainEqual({ ports: [{ port }] }),
  })),
  {
    what: 'network policies: reconciler and webhook reach the pods of the endpoint, whose port is not that of its Service',
    values: { reloader: { netpol: { enabled: true, sinkPorts: [4318] } }, tracing: { endpoint: 'http://otel-collector.observability' } }, // prettier-ignore
    check: (rendered) => {
      for (const name of ['reroll', 'reroll-webhook']) {
        expect(JSON.stringify(rendered.spec('NetworkPolicy', name)['egress'])).toContain('{"port":4318}');
      }
      expect(JSON.stringify(rendered.spec('NetworkPolicy', 'reroll-certs'))).not.toContain('4318');
    },
  },
];
