import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { systemClock } from '../runtime/clock';
import { silentLogger } from '../runtime/log/logger';
import { MetricRegistry } from '../runtime/metric-registry';
import { parseOptions, type Environment } from '../runtime/options/options';
import { traceOptionTable, tracesUrl } from '../runtime/options/trace-options';
import { systemRandom } from '../runtime/random';
import { SpanMetrics } from './span-metrics';
import { spanOf } from './span.fixture';
import { exporterComponent, resourceOf, spanExporter } from './tracing';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const traced = { command: 'webhook', instance: 'reroll-webhook-0', namespace: 'reroll' } as const;
const optionsOf = (env: Environment) => parseOptions(traceOptionTable, [], env);

it('posts to the address, with the headers', async () => {
  const received: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ request, body });
      response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const options = optionsOf({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp`,
    OTEL_EXPORTER_OTLP_HEADERS: 'Api-Key=a1,content-type=text/plain',
  });
  const metrics = new SpanMetrics(new MetricRegistry());
  const deps = { clock: systemClock, random: systemRandom, logger: silentLogger, metrics };
  const exporter = spanExporter(tracesUrl(options)!, options, deps, traced);
  exporter.add(spanOf(), 'shop');
  await exporterComponent(exporter).stop();
  expect(received).toHaveLength(1);
  expect(received[0]?.request).toMatchObject({
    method: 'POST',
    url: '/otlp/v1/traces',
    headers: { 'api-key': 'a1', 'content-type': 'application/json' },
  });
  expect(received[0]?.body).toContain('"key":"service.name","value":{"stringValue":"reroll-webhook"}');
});

it.each<[Environment, object]>([
  [{}, { 'service.name': 'reroll-webhook', 'service.version': '0.0.0-test' }],
  [{ OTEL_SERVICE_NAME: 'admission' }, { 'service.name': 'admission' }],
  [
    { OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,service.instance.id=b,k8s.cluster.name=eu' },
    { 'service.name': 'a', 'service.instance.id': 'b', 'k8s.cluster.name': 'eu' },
  ],
  [{ OTEL_SERVICE_NAME: 'admission', OTEL_RESOURCE_ATTRIBUTES: 'service.name=a' }, { 'service.name': 'admission' }],
])('with %j, the process is %j', (env, attributes) => {
  expect(resourceOf(optionsOf(env), traced).attributes).toEqual({
    ...{ 'service.namespace': 'reroll', 'service.instance.id': 'reroll-webhook-0' },
    ...{ 'service.name': 'reroll-webhook', 'service.version': '0.0.0-test' },
    ...attributes,
  });
});
