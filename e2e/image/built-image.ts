import { statSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectDir } from '../control-plane/versions';
import { makeLocalImages, nodeVersionOf, onLocalImages } from './base-images';
import type { Buildah, ImageConfig } from './buildah';

/** The image of the Dockerfile, built and opened. */
export interface BuiltImage {
  readonly config: ImageConfig;
  /** The folder that shows its files. */
  readonly rootDir: string;
  readonly archiveBytes: number;
  /** The build arguments VERSION and REVISION. */
  readonly version: string;
  readonly revision: string;
}

const tag = 'localhost/reroll:check';
const revision = 'c0ffee';

/** If the machine trusts an additional CA, the build has to trust it, too. */
function trustOf(env: NodeJS.ProcessEnv): { readonly config: readonly string[]; readonly volumes: readonly string[] } {
  const file = env['NODE_EXTRA_CA_CERTS'];
  const inside = '/etc/ssl/extra.crt';
  return file === undefined || file === ''
    ? { config: [], volumes: [] }
    : { config: ['--env', `NODE_EXTRA_CA_CERTS=${inside}`], volumes: ['--volume', `${file}:${inside}:ro`] };
}

/** Builds the Dockerfile on local images instead of those of registries. */
export async function buildImage(buildah: Buildah, dir: string, print: (line: string) => void): Promise<BuiltImage> {
  const dockerfile = await readFile(path.join(projectDir, 'Dockerfile'), 'utf8');
  const { version } = JSON.parse(await readFile(path.join(projectDir, 'package.json'), 'utf8')) as { version: string };
  const trust = trustOf(process.env);
  print('making stand-ins for the images of the Dockerfile');
  await makeLocalImages(buildah, dir, nodeVersionOf(dockerfile), trust.config);
  print('building the Dockerfile');
  const file = path.join(dir, 'Dockerfile');
  await writeFile(file, onLocalImages(dockerfile));
  await buildah.run(
    ...['build', '--pull-never', '--quiet', '--file', file, '--tag', tag, ...trust.volumes],
    ...['--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`, projectDir],
  );
  const archive = path.join(dir, 'image.tar');
  await buildah.run('push', '--quiet', tag, `oci-archive:${archive}`);
  const archiveBytes = statSync(archive).size;
  await rm(archive);
  return {
    config: await buildah.config(tag),
    rootDir: await buildah.mount(tag),
    ...{ archiveBytes, version, revision },
  };
}
