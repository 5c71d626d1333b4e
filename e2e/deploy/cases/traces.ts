import { expect } from '@jest/globals';
import type { ChartCase } from '../chart-case';

/** Where traces go. */
export const traceCases: readonly ChartCase[] = [
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
