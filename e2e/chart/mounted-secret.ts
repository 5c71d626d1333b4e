import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContractClient } from '../apiserver/contract/contract-client';
import { pollUntil } from '../control-plane/poll';

interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
  /** A folder that does not exist yet. */
  readonly dir: string;
}

interface StoredSecret {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

const lookAgainMs = 200;

/** A Secret as files in a folder, updated like a kubelet does: all files of a version appear at once. */
export class MountedSecret {
  readonly dir: string;
  readonly #admin: ContractClient;
  readonly #url: string;
  readonly #stop = new AbortController();
  #version = '';
  #done = Promise.resolve();

  /** Resolves once the Secret exists: a pod does not start before that. */
  static async mount(admin: ContractClient, { namespace, name, dir }: SecretPlace): Promise<MountedSecret> {
    const mounted = new MountedSecret(admin, `/api/v1/namespaces/${namespace}/secrets/${name}`, dir);
    await mkdir(dir);
    await pollUntil(`the Secret ${name}`, async () => ((await mounted.#look()) ? true : undefined));
    mounted.#done = mounted.#keepInStep();
    return mounted;
  }

  private constructor(admin: ContractClient, url: string, dir: string) {
    this.dir = dir;
    this.#admin = admin;
    this.#url = url;
  }

  async unmount(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #keepInStep(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      // A failure is retried, as a kubelet does.
      await this.#look().catch(() => false);
      await delay(lookAgainMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Writes the Secret if it changed, and returns whether it exists. */
  async #look(): Promise<boolean> {
    const { status, body } = await this.#admin.get(this.#url);
    if (status !== 200) return false;
    const { metadata, data = {} } = body as unknown as StoredSecret;
    if (metadata.resourceVersion !== this.#version) await this.#write(metadata.resourceVersion, data);
    return true;
  }

  async #write(version: string, data: Readonly<Record<string, string>>): Promise<void> {
    const [former, next] = [this.#version, `..${version}`];
    await mkdir(path.join(this.dir, next));
    for (const [key, value] of Object.entries(data)) {
      await writeFile(path.join(this.dir, next, key), Buffer.from(value, 'base64'));
    }
    await symlink(next, path.join(this.dir, '..data_tmp'));
    await rename(path.join(this.dir, '..data_tmp'), path.join(this.dir, '..data'));
    this.#version = version;
    if (former === '') {
      for (const key of Object.keys(data)) await symlink(path.join('..data', key), path.join(this.dir, key));
    } else await rm(path.join(this.dir, `..${former}`), { recursive: true });
  }
}
