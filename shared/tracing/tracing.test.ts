import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../runtime/clock';
import { silentLogger } from '../runtime/log/logger';
import { MetricRegistry } from '../runtime/metric-registry';
import { parseOptions, type Environment } from '../runtime/options/options';
import { traceOptionTable, tracesUrl } from '../runtime/options/trace-options';
import { systemRandom } from '../runtime/random';
import { selfSigned } from '../runtime/tls/tls.fixture';
import { SpanMetrics } from './span-metrics';
import { spanOf } from './span.fixture';
import { exporterComponent, resourceOf, spanExporter, transportTo } from './tracing';

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

describe('an endpoint with a CA of its own', () => {
  let url: string;
  let caFile: string;
  const [trusted, other] = [selfSigned('collector'), selfSigned('somebody')];

  beforeEach(async () => {
    const server = https.createServer(trusted, (_request, response) => void response.end('{}'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const directory = mkdtempSync(path.join(tmpdir(), 'otlp-ca-'));
    caFile = path.join(directory, 'ca.crt');
    closers.push(
      () => server.close(),
      () => rmSync(directory, { recursive: true }),
    );
  });

  /** The status of an answer, or why there is none. */
  async function posted(environment: Environment = { OTEL_EXPORTER_OTLP_CERTIFICATE: caFile }): Promise<unknown> {
    const options = optionsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...environment });
    const transport = transportTo(tracesUrl(options)!, options, systemClock);
    return await transport
      .post({ contentType: 'text/plain', body: Buffer.from('') }, new AbortController().signal)
      .then(
        ({ status }) => status,
        (error: unknown) => (error as Error).message,
      );
  }

  it('is trusted for the certificates in a file, and for those in the file that replaces it', async () => {
    expect(await posted({})).toBe('no answer (DEPTH_ZERO_SELF_SIGNED_CERT)');
    writeFileSync(caFile, other.cert);
    expect(await posted()).toBe('no answer (DEPTH_ZERO_SELF_SIGNED_CERT)');
    writeFileSync(caFile, other.cert + trusted.cert);
    expect(await posted()).toBe(200);
  });

  it.each([
    ['is missing', undefined, '--otlp-certificate: the file cannot be read (ENOENT)'],
    ['is empty', '', '--otlp-certificate: the bundle holds no certificate'],
  ])('receives nothing if the file %s', async (_what, text, message) => {
    if (text !== undefined) writeFileSync(caFile, text);
    expect(await posted()).toBe(message);
  });
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
