import { describe, expect, it } from '@jest/globals';
import { parseOptions, UsageError, type Environment } from './options';
import { traceOptionTable, tracesUrl } from './trace-options';

function parse(args: readonly string[], env: Environment = {}) {
  return parseOptions(traceOptionTable, args, env);
}

function problems(args: readonly string[], env: Environment = {}): readonly string[] {
  try {
    parse(args, env);
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.problems;
    throw thrown;
  }
  return [];
}

describe('the address of traces', () => {
  it('is none by default', () => {
    expect(tracesUrl(parse([]))).toBeUndefined();
    expect(tracesUrl(parse([], { OTEL_EXPORTER_OTLP_ENDPOINT: '' }))).toBeUndefined();
  });

  it.each([
    ['http://collector:4318', 'http://collector:4318/v1/traces'],
    ['http://collector:4318/', 'http://collector:4318/v1/traces'],
    ['https://apm.example/otlp', 'https://apm.example/otlp/v1/traces'],
    ['https://apm.example/otlp/?team=a', 'https://apm.example/otlp/v1/traces?team=a'],
  ])('is below the endpoint %s', (endpoint, url) => {
    expect(tracesUrl(parse([`--otlp-endpoint=${endpoint}`]))?.href).toBe(url);
    expect(tracesUrl(parse([], { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }))?.href).toBe(url);
  });

  it.each(['https://apm.example/intake', 'https://apm.example/'])('is the endpoint for traces as it is: %s', (url) => {
    const other = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    expect(tracesUrl(parse([], { ...other, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url }))?.href).toBe(url);
    expect(tracesUrl(parse([`--otlp-traces-endpoint=${url}`], other))?.href).toBe(url);
  });
});

describe('headers and attributes', () => {
  it.each([
    ['', {}],
    ['api-key=a1', { 'api-key': 'a1' }],
    [' Api-Key = a1 , X-Scope-OrgID=shop,', { 'api-key': 'a1', 'x-scope-orgid': 'shop' }],
    ['authorization=Basic%20dXNlcjpw%3D%3D', { authorization: 'Basic dXNlcjpw==' }],
    ['authorization=Basic dXNlcjpw==', { authorization: 'Basic dXNlcjpw==' }],
  ])('%j are headers', (text, headers) => {
    expect(parse([], { OTEL_EXPORTER_OTLP_HEADERS: text }).otlpHeaders).toEqual(headers);
  });

  it('are attributes, with their case and escapes', () => {
    const { otelResourceAttributes, otelServiceName } = parse([], {
      OTEL_RESOURCE_ATTRIBUTES: 'k8s.cluster.name=eu,Team=a%2Cb',
      OTEL_SERVICE_NAME: 'restarts',
    });
    expect([...otelResourceAttributes]).toEqual([
      ['k8s.cluster.name', 'eu'],
      ['Team', 'a,b'],
    ]);
    expect(otelServiceName).toBe('restarts');
  });

  it.each([
    ['s3cret', 'element 1: not name=value'],
    ['a=b,=s3cret', 'element 2: not name=value'],
    ['key=s3cret%', 'element 1: not name=value'],
    ['s3cret key=a', 'a name or a value that no header can have'],
    ['key=s3cret%0d%0ahost: x', 'a name or a value that no header can have'],
  ])('are refused without being shown: %j', (text, problem) => {
    const found = problems([], { OTEL_EXPORTER_OTLP_HEADERS: text });
    expect(found).toEqual([expect.stringContaining(problem)]);
    expect(found.join()).toContain('OTEL_EXPORTER_OTLP_HEADERS (not shown');
    expect(found.join()).not.toContain('s3cret');
  });
});

it.each(['grpc://user:s3cret@collector', 'collector:4317/s3cret', '//s3cret'])(
  'an address that is none is refused without being shown: %s',
  (endpoint) => {
    for (const env of [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }]) {
      const found = problems([], env);
      expect(found).toEqual([expect.stringMatching(/not a URL|neither http nor https/)]);
      expect(found.join()).not.toContain('s3cret');
    }
  },
);
