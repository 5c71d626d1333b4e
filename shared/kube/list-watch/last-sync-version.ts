import { isOlderVersion } from '../../domain/kubernetes/resource-version';
import { ProtocolError } from '../errors';

/** A restored server: its `newest` version is older than `version`, which it has sent before. */
export interface RestoredServer {
  readonly version: string;
  readonly newest: string;
}

/**
 * The version from which the next watch resumes.
 *
 * Versions are opaque and only passed back, with one exception: they are compared to detect that the server has been
 * restored from a backup.
 */
export class LastSyncVersion {
  #version: string | undefined;
  /** Whether a watch has ended since the list, and the server's newest version has not been compared since then. */
  #inDoubt = false;

  /** Undefined: the next attempt lists. */
  get current(): string | undefined {
    return this.#version;
  }

  /** Sets the version of a complete list. @throws ProtocolError if it is empty. */
  listed(version: string): void {
    if (version === '') throw new ProtocolError('the list has no resourceVersion to watch from');
    this.#version = version;
    this.#inDoubt = false;
  }

  /** Advances to a version that a watch has shown. */
  advance(version: string | undefined): void {
    if (version !== undefined && version !== '') this.#version = version;
  }

  /** Notes that a watch has ended: the server may be a restored one when it is back. */
  doubt(): void {
    this.#inDoubt = true;
  }

  /** Forgets the version, so that the next attempt lists. */
  forget(): void {
    this.#version = undefined;
  }

  /**
   * Detects a restore of etcd from a backup, after a watch was silent. A restored server has not yet reached the
   * version that the watch resumes from, and is silent until then. It was restarted for the restore, which ended the
   * watch. So only the first silence after the end of a watch is checked: a quiet resource may be silent forever. If
   * the server is behind, the version is forgotten.
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
