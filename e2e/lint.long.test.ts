import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTemporaryDir, type TemporaryDir } from './control-plane/temporary-dir';
import { bundlePath } from './reroll-process';

const manifest = (auto: string): string =>
  JSON.stringify({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name: 'web', annotations: { 'reloader.stakater.com/auto': auto } },
    spec: { template: { spec: { containers: [{ name: 'main', envFrom: [{ secretRef: { name: 'db' } }] }] } } },
  });

describe('reroll lint, as a process', () => {
  let temporary: TemporaryDir;

  beforeAll(() => {
    temporary = createTemporaryDir();
    mkdirSync(path.join(temporary.dir, 'deploy'));
    writeFileSync(path.join(temporary.dir, 'deploy/good.json'), manifest('true'));
  });

  afterAll(() => temporary.dispose());

  function run(args: readonly string[], input = '') {
    const env = { PATH: process.env['PATH'] };
    const { status, stdout, stderr } = spawnSync(process.execPath, [bundlePath, 'lint', ...args], {
      ...{ input, env, cwd: temporary.dir, encoding: 'utf8' },
    });
    return { status, stdout, stderr };
  }

  it('ends with 0 without findings', () => {
    const stdout = 'no findings: 1 object in 1 file\n';
    expect(run(['-f', 'deploy'])).toEqual({ status: 0, stdout, stderr: '' });
  });

  it('ends with 1 for findings in what is piped into it', () => {
    const { status, stdout, stderr } = run(['-f', '-', '-n', 'shop'], manifest('yes'));
    expect([status, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^stdin:1: Deployment shop\/web: .*\n1 finding: 1 object in 1 file\n$/);
  });

  it('ends with 2 for wrong flags, missing files and a pipe with nothing in it', () => {
    expect(run(['deploy'])).toMatchObject({ status: 2, stdout: '' });
    expect(run(['-f', 'gone'])).toMatchObject({ status: 2, stderr: expect.stringContaining('gone: cannot be read') });
    expect(run(['-f', '-'])).toMatchObject({ status: 2, stderr: 'stdin: holds no Kubernetes object\n' });
  });

  it('ends at a signal while it waits for standard input', async () => {
    const child = spawn(process.execPath, [bundlePath, 'lint', '-f', '-'], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.write(manifest('yes'));
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    expect(await exited).toEqual([null, 'SIGINT']);
  });

  it('ends with its code when nobody reads its output to the end', async () => {
    const many = `${manifest('yes')}\n---\n`.repeat(5_000);
    const child = spawn(process.execPath, [bundlePath, 'lint', '-f', '-'], { stdio: ['pipe', 'pipe', 'pipe'] });
    const exited = once(child, 'exit');
    child.stdout.destroy();
    child.stdin.end(many);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    expect(await exited).toEqual([1, null]);
    expect(stderr).toBe('');
  });
});
