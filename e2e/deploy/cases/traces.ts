import { expect } from '@jest/globals';
import type { ChartCase } from '../chart-case';

/** Where traces go, and what may reach that. */
export const traceCases: readonly ChartCase[] = [
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
  {
    what: 'traces: reconciler and webhook send them, with headers from a Secret',
    values: { tracing: { endpoint: 'http://otel-collector.observability:4318', headersSecret: 'apm' } },
    check: (rendered) => {
      const flag = '--otlp-endpoint=http://otel-collector.observability:4318';
      const valueFrom = { secretKeyRef: { name: 'apm', key: 'headers' } };
      for (const name of ['reroll', 'reroll-webhook']) {
        expect(rendered.args(name)).toContain(flag);
        expect(rendered.container(name).env).toContainEqual({ name: 'OTEL_EXPORTER_OTLP_HEADERS', valueFrom });
      }
      expect(rendered.args('reroll-certs')).not.toContain(flag);
    },
  },
  {
    what: 'traces: reconciler and webhook trust the CA of the endpoint, from a ConfigMap',
    values: { tracing: { endpoint: 'https://otel.example', caConfigMap: 'otel-ca' }, reloader: { deployment: { volumes: [{ name: 'own', emptyDir: {} }], volumeMounts: [{ name: 'own', mountPath: '/own' }] } } }, // prettier-ignore
    check: (rendered) => {
      const mount = { name: 'otlp-ca', mountPath: '/etc/reroll/otlp-ca', readOnly: true };
      const configMap = { name: 'otel-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] };
      for (const name of ['reroll', 'reroll-webhook']) {
        expect(rendered.args(name)).toContain('--otlp-certificate=/etc/reroll/otlp-ca/ca.crt');
        expect(rendered.container(name).volumeMounts).toContainEqual(mount);
        expect(rendered.pod(name).volumes).toContainEqual({ name: 'otlp-ca', configMap });
      }
      expect(rendered.container('reroll').volumeMounts).toContainEqual({ name: 'own', mountPath: '/own' });
      expect(JSON.stringify(rendered.pod('reroll-certs'))).not.toContain('otlp');
    },
  },
];
