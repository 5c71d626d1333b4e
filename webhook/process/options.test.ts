import { describe, expect, it } from '@jest/globals';
import { everything, parseSelector } from '../../shared/domain/kubernetes/selector';
import { optionEnv, type OptionRow } from '../../shared/runtime/options/option-table';
import { UsageError, type Environment } from '../../shared/runtime/options/options';
import { parseWebhookOptions, webhookOptionTable, type WebhookOptions } from './options';

const selection = {
  namespaces: [],
  namespacesToIgnore: [],
  namespaceSelector: everything,
  sourceSelector: everything,
  ignoredSourceKinds: [],
};

const defaults: WebhookOptions = {
  selection,
  webhookListen: { host: undefined, port: 10250 },
  listen: { host: undefined, port: 9090 },
  register: [],
  preview: true,
  lint: true,
  quietNamespaces: [],
  clientCaFile: undefined,
  injectCaFrom: undefined,
  validateNamespaces: new Map(),
  webhookService: 'reroll-webhook',
  channelService: 'reroll-channel',
  reconcilerAddresses: [],
  certsSecret: 'reroll-certs',
  tlsDir: undefined,
  channelTlsDir: undefined,
  ownNamespace: undefined,
  logFormat: 'console',
  logLevel: 'info',
  kubeconfig: undefined,
  context: undefined,
  otlpEndpoint: undefined,
  otlpTracesEndpoint: undefined,
  otlpHeaders: {},
  otlpCertificate: undefined,
  otelServiceName: undefined,
  otelResourceAttributes: new Map(),
};

function problems(args: readonly string[], env: Environment = {}): readonly string[] {
  try {
    parseWebhookOptions(args, env);
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.problems;
    throw thrown;
  }
  return [];
}

const rows: readonly (readonly [flag: string, text: string, Partial<WebhookOptions>])[] = [
  ['webhook-listen', '127.0.0.1:9443', { webhookListen: { host: '127.0.0.1', port: 9443 } }],
  ['listen', '[::1]:8080', { listen: { host: '::1', port: 8080 } }],
  ['register', 'validating', { register: ['validating'] }],
  ['register', 'mutating', { register: ['mutating'] }],
  ['register', 'both', { register: ['validating', 'mutating'] }],
  ['preview', 'false', { preview: false }],
  ['lint', 'false', { lint: false }],
  ['quiet-namespaces', 'shop,bank', { quietNamespaces: ['shop', 'bank'] }],
  ['client-ca-file', '/ca/ca.crt', { clientCaFile: '/ca/ca.crt' }],
  ['inject-ca-from', 'ops/hook', { injectCaFrom: 'ops/hook' }],
  [
    'validate-namespaces',
    'shop=deny,dev=warn',
    {
      validateNamespaces: new Map([
        ['shop', 'deny'],
        ['dev', 'warn'],
      ]),
    },
  ],
  ['namespaces', 'shop', { selection: { ...selection, namespaces: ['shop'] } }],
  ['namespaces-to-ignore', 'bank', { selection: { ...selection, namespacesToIgnore: ['bank'] } }],
  ['namespace-selector', 'env:*', { selection: { ...selection, namespaceSelector: parseSelector('env') } }],
  ['resource-label-selector', 'a=b', { selection: { ...selection, sourceSelector: parseSelector('a=b') } }],
  ['resources-to-ignore', 'secrets', { selection: { ...selection, ignoredSourceKinds: ['Secret'] } }],
  ['webhook-service', 'hook', { webhookService: 'hook' }],
  ['channel-service', 'hints', { channelService: 'hints' }],
  ['reconciler-address', 'a:1,[::1]:2', { reconcilerAddresses: ['a:1', '[::1]:2'] }],
  ['certs-secret', 'my.certs', { certsSecret: 'my.certs' }],
  ['tls-dir', '/tls', { tlsDir: '/tls' }],
  ['channel-tls-dir', '/client', { channelTlsDir: '/client' }],
  ['otlp-endpoint', 'http://collector:4318', { otlpEndpoint: new URL('http://collector:4318') }],
  ['otlp-traces-endpoint', 'https://apm/intake', { otlpTracesEndpoint: new URL('https://apm/intake') }],
  ['otlp-headers', 'X-Api-Key=s3cret', { otlpHeaders: { 'x-api-key': 's3cret' } }],
  ['otlp-certificate', '/etc/ca.crt', { otlpCertificate: '/etc/ca.crt' }],
  ['otel-service-name', 'admission', { otelServiceName: 'admission' }],
  [
    'otel-resource-attributes',
    'k8s.cluster.name=eu',
    { otelResourceAttributes: new Map([['k8s.cluster.name', 'eu']]) },
  ],
  ['own-namespace', 'ops', { ownNamespace: 'ops' }],
  ['log-format', 'json', { logFormat: 'json' }],
  ['log-level', 'debug', { logLevel: 'debug' }],
  ['kubeconfig', '/config', { kubeconfig: '/config' }],
  ['context', 'kind', { context: 'kind' }],
];

describe('parseWebhookOptions', () => {
  it('has a default for every option', () => {
    expect(parseWebhookOptions([], {})).toEqual(defaults);
  });

  it.each(rows)('accepts --%s=%s, as flag and as variable', (flag, text, changed) => {
    const row = Object.values<OptionRow>(webhookOptionTable).find((candidate) => candidate.flag === flag)!;
    expect(parseWebhookOptions([`--${flag}=${text}`], {})).toEqual({ ...defaults, ...changed });
    expect(parseWebhookOptions([], { [optionEnv(row)]: text })).toEqual({ ...defaults, ...changed });
  });

  it('tests every flag here', () => {
    const tried = new Set(rows.map(([flag]) => flag));
    expect(Object.values(webhookOptionTable).filter(({ flag }) => !tried.has(flag))).toEqual([]);
  });

  it("uses the pod's namespace", () => {
    expect(parseWebhookOptions([], { POD_NAMESPACE: 'ops' }).ownNamespace).toBe('ops');
  });

  it('ignores other namespace selections for named namespaces', () => {
    const args = ['--namespaces=shop', '--namespaces-to-ignore=bank', '--namespace-selector=env'];
    expect(parseWebhookOptions(args, {}).selection).toEqual({ ...selection, namespaces: ['shop'] });
  });

  it.each([
    ['--register=all', 'no such registration'],
    ['--reconciler-address=:8444', 'not a host and port'],
    ['--reconciler-address=host:0', 'not a host and port'],
    ['--reconciler-address=host', 'not a host and port'],
    ['--webhook-service=a.b', 'not a Service'],
    ['--channel-service=1', 'not a Service'],
    ['--inject-ca-from=hook', 'not a namespace and a name'],
    ['--inject-ca-from=ops/hook/1', 'not a namespace and a name'],
    ['--validate-namespaces=shop', 'element "shop": not a namespace and a mode'],
    ['--validate-namespaces=shop=on', 'not a namespace and a mode'],
    ['--validate-namespaces==deny', 'not a namespace and a mode'],
    ['--webhook-listen=10250', 'not a host and port'],
    ['--tls-dir=', 'must not be empty'],
  ])('refuses %s', (flag, problem) => {
    const found = problems([flag]);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(problem);
  });

  it('reports all problems at once', () => {
    expect(problems(['--register=all', '--log-level=loud', '--regster=none'])).toHaveLength(3);
  });

  it.each([
    [['--listen=:10250'], 1],
    [['--listen=127.0.0.1:10250'], 1],
    [['--listen=127.0.0.1:10250', '--webhook-listen=127.0.0.2:10250'], 0],
    [['--listen=:0', '--webhook-listen=:0'], 0],
  ])('knows whether %j can both be listened on', (args, count) => {
    expect(problems(args)).toHaveLength(count);
  });
});
