import { describe, expect, it } from '@jest/globals';
import { UsageError, type Environment } from '../shared/runtime/options/options';
import { parseCertsOptions, type CertsOptions } from './options';

const hourMs = 3_600_000;

const defaults: CertsOptions = {
  once: false,
  certificates: true,
  webhookService: 'reroll-webhook',
  channelService: 'reroll-channel',
  validating: 'reroll',
  mutating: 'reroll',
  caLifeMs: 365 * 24 * hourMs,
  leafLifeMs: 30 * 24 * hourMs,
  tokenLifeMs: 30 * 24 * hourMs,
  ownNamespace: undefined,
  logFormat: 'console',
  logLevel: 'info',
  kubeconfig: undefined,
  context: undefined,
  listen: { host: undefined, port: 9090 },
};

function problems(args: readonly string[], env: Environment = {}): readonly string[] {
  try {
    parseCertsOptions(args, env);
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.problems;
    throw thrown;
  }
  return [];
}

const accepted: readonly (readonly [string, Partial<CertsOptions>])[] = [
  ['--once', { once: true }],
  ['--webhook-service=hooks', { webhookService: 'hooks' }],
  ['--channel-service=changes', { channelService: 'changes' }],
  ['--validating-webhook-configuration=shop.reroll', { validating: 'shop.reroll' }],
  ['--mutating-webhook-configuration=shop', { mutating: 'shop' }],
  ['--ca-life=2160h', { caLifeMs: 2160 * hourMs }],
  ['--leaf-life=1h', { leafLifeMs: hourMs }],
  ['--token-life=1h', { tokenLifeMs: hourMs }],
  ['--certificates=false', { certificates: false }],
  ['--own-namespace=ops', { ownNamespace: 'ops' }],
  ['--log-format=json', { logFormat: 'json' }],
  ['--log-level=debug', { logLevel: 'debug' }],
  ['--kubeconfig=/k', { kubeconfig: '/k' }],
  ['--context=prod', { context: 'prod' }],
  ['--listen=127.0.0.1:0', { listen: { host: '127.0.0.1', port: 0 } }],
];

describe('options of reroll certs', () => {
  it('have defaults', () => {
    expect(parseCertsOptions([], {})).toEqual(defaults);
  });

  it.each(accepted)('%s', (flag, expected) => {
    expect(parseCertsOptions([flag], {})).toEqual({ ...defaults, ...expected });
  });

  it('are read from the environment too', () => {
    const env = { POD_NAMESPACE: 'ops', REROLL_LEAF_LIFE: '24h' };
    expect(parseCertsOptions([], env)).toEqual({ ...defaults, ownNamespace: 'ops', leafLifeMs: 24 * hourMs });
  });

  it('are all checked before the error', () => {
    expect(
      problems(['--webhook-service=9', '--leaf-life=5m', '--ca-life=10m', '--token-life=1m', '--ca-lif=9h']),
    ).toEqual([
      'unknown flag "--ca-lif": did you mean --ca-life?',
      expect.stringContaining('--webhook-service="9": not a Service'),
      '--leaf-life is too short: use 1h or more',
      '--token-life is too short: use 1h or more',
      '--ca-life is less than three times --leaf-life: increase --ca-life or decrease --leaf-life',
    ]);
  });
});
