import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { bundlePath } from './reroll-process';

const manifest = (annotations: object): string =>
  JSON.stringify({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', annotations } },
    spec: { template: { spec: { containers: [{ name: 'main', envFrom: [{ secretRef: { name: 'db' } }] }] } } },
  });

function run(args: readonly string[], input = '') {
  const env = { PATH: process.env['PATH'] };
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundlePath, 'migrate', ...args], {
    ...{ input, env, encoding: 'utf8' },
  });
  return { status, stdout, stderr };
}

describe('reroll migrate, as a process', () => {
  it('ends with 1 for findings in what is piped into it', () => {
    const waved = manifest({ 'wave.pusher.com/update-on-config-change': 'true' });
    const { status, stdout, stderr } = run(['-f', '-', '-n', 'shop'], waved);
    expect([status, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^stdin:1: Deployment shop\/web \(wave-opt-in\)\n/);
  });

  it('ends with 0 when there is nothing to do', () => {
    const stdout = 'no findings, nothing to do for 1 of 1 workload: 1 object in 1 file\n';
    expect(run(['-f', '-'], manifest({ 'reloader.stakater.com/auto': 'true' }))).toEqual({
      ...{ status: 0, stdout, stderr: '' },
    });
  });

  it('ends with 2 for wrong flags and a pipe with nothing in it', () => {
    expect(run(['-o', 'sarif'])).toMatchObject({ status: 2, stdout: '' });
    expect(run(['-f', '-'])).toMatchObject({ status: 2, stderr: 'stdin: holds no Kubernetes object\n' });
  });
});
