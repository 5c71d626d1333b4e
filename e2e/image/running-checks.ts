import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { ApiServer } from '../apiserver/api-server';
import { seedNamespace } from '../apiserver/cluster';
import { startHttpsServer } from '../apiserver/https-server';
import { pollUntil } from '../control-plane/poll';
import { projectDir } from '../control-plane/versions';
import type { BuiltImage } from './built-image';
import { Container } from './container';
import type { ImageCheck } from './static-checks';

const userId = 65532;
const namespace = 'reroll';
/** A deprecation warning that Node prints only if a kubeconfig is read, which does not happen in a pod. */
const ofKubeconfig = /^\(node:1\) \[DEP0040\].*\n\(Use .*\n/;

/** Tries to write to several files, and prints the results. */
const writer = `
const { writeFileSync } = require('node:fs');
for (const file of ['/app/reroll.mjs', '/new', '/usr/local/bin/node']) {
  try { writeFileSync(file, ''); console.log('written'); } catch ({ code }) { console.log(code); }
}`;

/** Prints V8's heap limit as a percentage of the memory limit; without one, of the machine's memory. */
const heapShare = `
const memory = Math.min(process.constrainedMemory() || Infinity, require('node:os').totalmem());
console.log(Math.round((100 * require('node:v8').getHeapStatistics().heap_size_limit) / memory));`;

/** The NODE_OPTIONS that the chart sets if a pod has a memory limit. */
function nodeOptionsOfChart(): string {
  const manifests = readFileSync(path.join(projectDir, 'deploy/manifests/install.yaml'), 'utf8');
  const [, options] = /name: NODE_OPTIONS\n +value: (.+)/.exec(manifests) ?? [];
  assert.ok(options, 'NODE_OPTIONS in deploy/manifests/install.yaml');
  return options;
}

/** The checks that run the image. They create their folders in `dir`. */
export function runningChecks(dir: string): readonly ImageCheck[] {
  let folders = 0;
  const tmpDir = (): string => {
    const created = path.join(dir, `tmp-${String((folders += 1))}`);
    mkdirSync(created);
    chownSync(created, userId, userId);
    return created;
  };
  const run = (
    { rootDir, config }: BuiltImage,
    options: { args?: string[]; nodeArgs?: string[]; env?: Record<string, string> },
  ): Container => new Container({ rootDir, config, tmpDir: tmpDir(), ...options });

  return [
    {
      name: 'says its version and its usage',
      run: async (image) => {
        const version = await run(image, { args: ['--version'] }).ended();
        assert.deepEqual(version, { code: 0, stdout: `${image.version}\n`, stderr: '' });
        const help = await run(image, { args: ['--help'] }).ended();
        assert.equal(help.code, 0);
        for (const command of ['reconciler', 'webhook', 'certs', 'lint', 'migrate'])
          assert.ok(help.stdout.includes(command), command);
        return version.stdout.trim();
      },
    },
    {
      name: 'cannot write to its own files',
      run: async (image) => {
        const { stdout, stderr } = await run(image, { nodeArgs: ['-e', writer] }).ended();
        // EROFS, so root could not write either: the file system itself is read-only.
        assert.equal(stdout, 'EROFS\nEROFS\nEROFS\n', stderr);
        return 'EROFS';
      },
    },
    {
      name: 'takes the options of Node that the chart gives, and keeps its heap to three quarters of the memory',
      run: async (image) => {
        const env = { NODE_OPTIONS: nodeOptionsOfChart() };
        const { code, stdout, stderr } = await run(image, { env, nodeArgs: ['-e', heapShare] }).ended();
        assert.deepEqual([code, stderr], [0, '']);
        const share = Number(stdout);
        assert.ok(share >= 74 && share <= 77, `${stdout.trim()} % of the memory`);
        return `${env.NODE_OPTIONS}: ${stdout.trim()} %`;
      },
    },
    {
      name: 'runs the reconciler as process 1 without rights, and ends cleanly on TERM',
      run: async ({ rootDir, config }) => {
        const apiServer = new ApiServer({ clock: systemClock, random: systemRandom });
        seedNamespace(apiServer, namespace);
        const server = await startHttpsServer(apiServer);
        const folder = tmpDir();
        const kubeconfig = path.join(folder, 'kubeconfig');
        await server.writeKubeconfig(kubeconfig, 'system:admin');
        chownSync(kubeconfig, userId, userId);
        const args = [
          ...config.Cmd,
          '--kubeconfig=/tmp/kubeconfig',
          `--own-namespace=${namespace}`,
          '--log-format=json',
        ];
        const listening = ['--listen=127.0.0.1:0', '--channel-listen=127.0.0.1:0'];
        const container = new Container({ rootDir, config, tmpDir: folder, args: [...args, ...listening] });
        try {
          const address = await probeAddress(container);
          assert.equal((await fetch(`http://${address}/healthz`)).status, 200);
          await pollUntil('the reconciler to be ready', async () =>
            (await fetch(`http://${address}/readyz`)).ok ? true : undefined,
          );
          const rights = rightsOf(container);
          const { code, stderr } = await container.terminate();
          assert.deepEqual([code, stderr.replace(ofKubeconfig, '')], [0, '']);
          return rights;
        } finally {
          container.kill();
          await server.close();
        }
      },
    },
  ];
}

/** The address of its probes, from its log. */
async function probeAddress(container: Container): Promise<string> {
  return await pollUntil('the reconciler to serve its probes', async () => {
    const line = container.log.find(({ message }) => message === 'serving metrics and probes');
    return line && String(line['address']);
  });
}

function rightsOf(container: Container): string {
  const { status } = container;
  const none = '0000000000000000';
  const ids = Array(4).fill(String(userId)).join('\t');
  assert.equal(status.get('NSpid')?.split('\t').at(-1), '1');
  assert.deepEqual([status.get('Uid'), status.get('Gid')], [ids, ids]);
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) assert.equal(status.get(set), none, set);
  assert.equal(status.get('NoNewPrivs'), '1');
  return `process 1, user ${String(userId)}, no capabilities`;
}
