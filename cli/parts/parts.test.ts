import { describe, expect, it } from '@jest/globals';
import { metricSum } from './metric-values';
import { flagOf } from './part';

describe('a flag of a part', () => {
  it.each<[readonly string[], Readonly<Record<string, string>>, string | undefined]>([
    [['webhook', '--tls-dir=/tls'], {}, '/tls'],
    [['webhook', '--tls-dir', '/tls'], {}, '/tls'],
    [['webhook', '-tls-dir=/a=b'], {}, '/a=b'],
    [['--tls-dir=/a', '--tls-dir=/b'], {}, '/b'],
    [['webhook', '--tls-dir'], {}, 'true'],
    [['--tls-dir', '--other'], {}, 'true'],
    [['--channel-tls-dir=/tls'], {}, undefined],
    [[], { REROLL_TLS_DIR: '/tls' }, '/tls'],
    [['--tls-dir=/a'], { REROLL_TLS_DIR: '/b' }, '/a'],
  ])('of %j and %j', (args, env, value) => {
    expect(flagOf({ args, env }, { flag: 'tls-dir' })).toBe(value);
  });
});

describe('the sum of a metric', () => {
  const text = `# HELP calls Calls.
# TYPE calls counter
calls{path="other",code="404"} 2
calls{path="other",code="200"} 1
calls{path="validate",code="200"} 40
calls_total 7
replicas 0
`;

  it.each<[string, Readonly<Record<string, string>>, number | undefined]>([
    ['calls', {}, 43],
    ['calls', { path: 'other' }, 3],
    ['calls', { path: 'other', code: '404' }, 2],
    ['calls', { path: 'mutate' }, undefined],
    ['replicas', {}, 0],
    ['call', {}, undefined],
  ])('%s of %j', (name, labels, sum) => {
    expect(metricSum(text, name, labels)).toBe(sum);
  });
});
