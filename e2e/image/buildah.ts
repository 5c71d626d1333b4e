import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram } from '../control-plane/run-program';

/** The configuration of an image. */
export interface ImageConfig {
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly User: string;
  readonly WorkingDir: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Healthcheck?: unknown;
}

interface Inspected {
  readonly OCIv1: { readonly config: ImageConfig };
}

/** Long, because a full build may wait for packages. */
const timeoutMs = 900_000;

/**
 * Buildah with its own store in a folder. It neither sees the images of the machine nor leaves any there. It does leave
 * a small list of hashes in /var/lib/containers/cache, for which it has no option.
 */
export class Buildah {
  readonly #env: Readonly<Record<string, string>>;

  constructor(dir: string) {
    mkdirSync(dir, { recursive: true });
    const file = (name: string, text: string): string => {
      const created = path.join(dir, name);
      writeFileSync(created, text);
      return created;
    };
    this.#env = {
      // Isolation by chroot needs no rights that a container may lack.
      BUILDAH_ISOLATION: 'chroot',
      TMPDIR: dir,
      CONTAINERS_STORAGE_CONF: file(
        'storage.conf',
        `[storage]\ndriver = "vfs"\nrunroot = "${dir}/run"\ngraphroot = "${dir}/graph"\n`,
      ),
      // Debian's buildah ships without a policy, and refuses to push without one.
      REGISTRIES_POLICY: file('policy.json', '{ "default": [{ "type": "insecureAcceptAnything" }] }'),
    };
  }

  /** Runs a command and resolves with what it printed. */
  async run(...args: readonly string[]): Promise<string> {
    return (await runProgram('buildah', args, { env: this.#env, timeoutMs })).trim();
  }

  /** Creates an image of this name from the files in a folder. */
  async imageOf(name: string, rootDir: string, ...config: readonly string[]): Promise<void> {
    const container = await this.run('from', 'scratch');
    await this.run('add', '--quiet', container, rootDir, '/');
    await this.run('config', ...config, container);
    await this.run('commit', '--quiet', container, name);
    await this.run('rm', container);
  }

  async config(image: string): Promise<ImageConfig> {
    const inspected = JSON.parse(await this.run('inspect', '--type', 'image', image)) as Inspected;
    return inspected.OCIv1.config;
  }

  /** The folder that shows the files of an image. With vfs this is not a mount, so there is nothing to unmount. */
  async mount(image: string): Promise<string> {
    return await this.run('mount', await this.run('from', '--pull-never', image));
  }
}
