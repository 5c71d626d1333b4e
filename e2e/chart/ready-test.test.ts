import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chartDir } from '../deploy/rendered-chart';

const script = readFileSync(path.join(chartDir, 'files', 'ready-test.js'), 'utf8');

/** What the pod at each address of the name answers; `refused`: nothing listens there. */
type Pods = Readonly<Record<string, 'ready' | 'not ready' | 'refused'>>;

/** Code that is put before the script: it fakes DNS and the pods, and lets timers fire at once. */
function world(pods: Pods, lookUps: readonly number[]): string {
  return `
    const pods = ${JSON.stringify(Object.entries(pods))}, lookUps = ${JSON.stringify(lookUps)};
    globalThis.setTimeout = (then) => setImmediate(then);
    const dns = require('node:dns').promises;
    // These ask for the name as it is, without the search domains of the pod: no such name is in the DNS of a cluster.
    dns.resolve4 = dns.resolve6 = async () => {
      throw new Error('ENOTFOUND');
    };
    dns.lookup = async (_name, { all }) => {
      const found = pods.slice(0, lookUps[0]).map(([address]) => ({ address, family: address.includes(':') ? 6 : 4 }));
      if (lookUps.length > 1) lookUps.shift();
      if (found.length === 0) throw new Error('ENOTFOUND');
      return all ? found : found[0];
    };
    globalThis.fetch = async (url) => {
      const [, answer] = pods.find(([address]) => url === 'http://' + (address.includes(':') ? '[' + address + ']' : address) + ':9090/readyz?verbose');
      if (answer === 'refused') throw new Error('ECONNREFUSED');
      return { ok: answer === 'ready', status: answer === 'ready' ? 200 : 503, text: async () => answer };
    };
  `;
}

/** Runs the script like the test pod does: by `node -e`, with a DNS name and the expected number of pods. */
function run(pods: Pods, expected: number, lookUps: readonly number[] = [Object.keys(pods).length]) {
  const args = ['-e', `${world(pods, lookUps)}${script}`, 'reroll-metrics.reroll.svc', String(expected)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });
  return { status, said: `${stdout}${stderr}`.trim() };
}

describe('helm test', () => {
  it('passes when every pod is ready, on IPv4 and IPv6', () => {
    expect(run({ '10.0.0.1': 'ready', 'fd00::1': 'ready' }, 2)).toEqual({ status: 0, said: 'all are ready' });
  });

  it('passes when there are more than expected, as while a rollout goes on', () => {
    expect(run({ '10.0.0.1': 'ready', '10.0.0.2': 'ready' }, 1).status).toBe(0);
  });

  it('waits for pods that come', () => {
    expect(run({ '10.0.0.1': 'ready', '10.0.0.2': 'ready' }, 2, [0, 1, 2]).status).toBe(0);
  });

  it.each<[string, Pods, number, string]>([
    ['a pod that is not ready', { '10.0.0.1': 'ready', '10.0.0.2': 'not ready' }, 2, '10.0.0.2: 503 not ready'],
    ['a pod that does not answer', { '10.0.0.1': 'refused' }, 1, '10.0.0.1: ECONNREFUSED'],
    ['too few pods', { '10.0.0.1': 'ready' }, 2, 'reroll-metrics.reroll.svc has 1 pods, not 2'],
    ['no pods', {}, 1, 'reroll-metrics.reroll.svc has 0 pods, not 1'],
  ])('fails by name for %s', (_what, pods, expected, said) => {
    expect(run(pods, expected)).toEqual({ status: 1, said });
  });
});
