import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram } from '../control-plane/run-program';

/** What an image says of itself. */
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

/** A build of everything may wait for packages. */
const timeoutMs = 900_000;

/**
 * Buildah with a store of its own in a folder: it knows no images of the machine, and leaves none there. (What it does leave
 * is a small list of hashes in /var/lib/containers/cache, for which it has no option.)
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
      // A chroot asks for no rights that a container as such may not have.
      BUILDAH_ISOLATION: 'chroot',
      TMPDIR: dir,
      CONTAINERS_STORAGE_CONF: file(
        'storage.conf',
        `[storage]\ndriver = "vfs"\nrunroot = "${dir}/run"\ngraphroot = "${dir}/graph"\n`,
      ),
      // Debian's buildah alone brings no policy, and without one pushes nothing.
      REGISTRIES_POLICY: file('policy.json', '{ "default": [{ "type": "insecureAcceptAnything" }] }'),
    };
  }

  /** Runs a command and resolves with what it printed. */
  async run(...args: readonly string[]): Promise<string> {
    return (await runProgram('buildah', args, { env: this.#env, timeoutMs })).trim();
  }

  /** An image of a folder's files, by name. */
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

  /** The folder in which the files of an image are seen. With vfs that is no mount which would have to be undone. */
  async mount(image: string): Promise<string> {
    return await this.run('mount', await this.run('from', '--pull-never', image));
  }
}
