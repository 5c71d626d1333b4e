import path from 'node:path';
import type { Identity } from './certificates';
import { writeKubeconfig } from './kubeconfig';

/** What `UserDirectory` needs to know about its cluster. */
export interface UserDirectoryOptions {
  readonly server: string;
  readonly caPem: string;
  /** Folder for the kubeconfigs. */
  readonly dir: string;
  /** Gets a client certificate signed. */
  readonly issue: (user: string, groups: readonly string[]) => Promise<Identity>;
}

/** The users of one cluster. Each user with the same groups gets one certificate, however often it is requested. */
export class UserDirectory {
  readonly #options: UserDirectoryOptions;
  readonly #identities = new Map<string, Promise<Identity>>();

  constructor(options: UserDirectoryOptions) {
    this.#options = options;
  }

  /** Registers a certificate that was issued elsewhere as that of its user. */
  add(user: string, groups: readonly string[], identity: Identity): void {
    this.#identities.set(keyOf(user, groups), Promise.resolve(identity));
  }

  /** Certificate and key of a user. */
  async identityFor(user: string, groups: readonly string[] = []): Promise<Identity> {
    const key = keyOf(user, groups);
    const known = this.#identities.get(key);
    if (known !== undefined) return await known;
    const issued = this.#options.issue(user, groups);
    this.#identities.set(key, issued);
    // A failure is not remembered: the next caller tries again.
    issued.catch(() => this.#identities.delete(key));
    return await issued;
  }

  /** Writes a kubeconfig for a user and resolves with its path. */
  async kubeconfigFor(user: string, groups: readonly string[] = []): Promise<string> {
    const { server, caPem, dir } = this.#options;
    const identity = await this.identityFor(user, groups);
    const words = ['user', user, ...[...groups].sort()].map((word) => word.replace(/[^A-Za-z0-9.-]/g, '_'));
    const file = path.join(dir, `${words.join('+')}.kubeconfig`);
    await writeKubeconfig(file, { server, caPem, user, identity });
    return file;
  }
}

function keyOf(user: string, groups: readonly string[]): string {
  return JSON.stringify([user, [...groups].sort()]);
}
