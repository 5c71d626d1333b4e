import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answering, closeAll, kubeconfigFor, kubeServer, lease } from '../cli/cluster/kube-server.fixture';
import { createTemporaryDir, type TemporaryDir } from './control-plane/temporary-dir';
import { bundlePath } from './reroll-process';

const pod = 'reroll-7d9f8b6c5-x2x4z';
const row = { kind: 'Deployment', namespace: 'shop', name: 'web', state: 'in-step' };
const good = { lease: lease(pod), pods: { [pod]: answering(200, { v: 1, workloads: [row] }) } };

describe('reroll, asked by a person, as a process', () => {
  let temporary: TemporaryDir;

  beforeEach(() => {
    temporary = createTemporaryDir();
  });

  afterEach(() => {
    closeAll();
    temporary.dispose();
  });

  function start(args: readonly string[], script = bundlePath) {
    const env = { PATH: process.env['PATH'], HOME: temporary.dir };
    const child = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = once(child, 'close').then(([code, signal]) => ({
      code: code as unknown,
      signal: signal as unknown,
      stdout,
      stderr,
    }));
    return { child, ended, shown: () => stdout };
  }

  async function kubeconfig(): Promise<string> {
    const { port } = await kubeServer(good);
    return `--kubeconfig=${kubeconfigFor(`https://127.0.0.1:${port}`, { namespace: 'shop' })}`;
  }

  it('forwards to the leader, answers, and ends', async () => {
    const { ended } = start(['status', await kubeconfig()]);
    const stdout =
      'WORKLOAD         STATE     WAITS FOR   UNTIL   LAST RESTART   BY\n' +
      'deployment/web   in-step                       never\n\n1 workload: 1 in-step\n';
    expect(await ended).toEqual({ code: 0, signal: null, stdout, stderr: '' });
  });

  it('is a plugin of kubectl under another name', async () => {
    const plugin = path.join(temporary.dir, 'kubectl-reroll');
    symlinkSync(bundlePath, plugin);
    expect(await start(['status', await kubeconfig(), '-o', 'name'], plugin).ended).toMatchObject({
      code: 0,
      stdout: 'deployment.apps/web\n',
    });
    expect((await start(['status', '--help'], plugin).ended).stdout).toContain('Usage: kubectl reroll status [flags]');
    expect((await start(['status', '--wtch'], plugin).ended).stderr).toContain("Run 'kubectl reroll status --help'");
  });

  it('ends with 3 without a kubeconfig, and says which one it looked for', async () => {
    const { code, stderr } = await start(['why', 'deployment/web']).ended;
    expect(code).toBe(3);
    expect(stderr).toContain(`there is no kubeconfig ${path.join(temporary.dir, '.kube/config')}`);
  });

  it('ends with 130 at Ctrl-C while it watches', async () => {
    const { child, ended, shown } = start(['status', '--watch', await kubeconfig()]);
    while (!shown().includes('1 workload')) await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, signal: null });
  });
});
