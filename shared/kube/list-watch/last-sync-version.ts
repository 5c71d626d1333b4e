import { isOlderVersion } from '../../domain/kubernetes/resource-version';
import { ProtocolError } from '../errors';

/** The server's newest version is older than the one it has sent. */
export interface RestoredServer {
  readonly version: string;
  readonly newest: string;
}

/**
 * The version from which the next watch resumes.
 *
 * Versions are opaque and only passed back, with one exception: to detect that the server has been restored from a
 * backup.
 */
export class LastSyncVersion {
  #version: string | undefined;
  /** A watch has broken off since the list, and no later watch has proved that the server knows its version. */
  #inDoubt = false;

  /** Undefined: the next attempt lists. */
  get current(): string | undefined {
    return this.#version;
  }

  /** A complete list has this version. */
  listed(version: string): void {
    if (version === '') throw new ProtocolError('the list has no resourceVersion to watch from');
    this.#version = version;
    this.#inDoubt = false;
  }

  /** A watch has shown this version. */
  advance(version: string | undefined): void {
    if (version !== undefined && version !== '') this.#version = version;
  }

  /** A watch has broken off: the server may be another one when it is back. */
  doubt(): void {
    this.#inDoubt = true;
  }

  /** The next attempt lists. */
  forget(): void {
    this.#version = undefined;
  }

  /**
   * After a restore of etcd from a backup, the server has not yet reached the version that the watch resumes from, and
   * is silent until then. It was restarted for the restore, so only the first silence after the end of a watch is
   * checked: a quiet resource may be silent forever. If the server is found to be behind, the version is forgotten.
   */
  async compareWithServer(newestVersion: () => Promise<string>): Promise<RestoredServer | undefined> {
    const version = this.#version;
    if (!this.#inDoubt || version === undefined) return undefined;
    const newest = await newestVersion();
    this.#inDoubt = false;
    if (!isOlderVersion(newest, version)) return undefined;
    this.forget();
    return { version, newest };
  }
}
