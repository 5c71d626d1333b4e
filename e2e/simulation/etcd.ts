import type { ApiServer } from '../apiserver/api-server';
import { ownNamespace } from '../engine-settings';

/** What an install makes when it first starts: without them it would be another one. */
const keys = ['reroll-digest-key', 'reroll-journal-key'] as const;

/** As much as the rest of a cluster writes while a simulated world does one thing. */
const writesOfOthers = 1_000;

export interface EtcdOptions {
  readonly server: ApiServer;
  readonly told: (who: string, what: string) => void;
  /** Called when everything is as it was at that revision. */
  readonly onRestored: (revision: number) => void;
}

/**
 * What is under the API server: it is backed up once, and once goes back to the backup. Between the two lie hours in a real
 * cluster, and more versions than come while anybody waits; in those hours everybody has seen a newer Lease.
 */
export class Etcd {
  readonly #options: EtcdOptions;
  #backup: { readonly revision: number; readonly lease: string | undefined } | undefined;
  #restored = false;

  constructor(options: EtcdOptions) {
    this.#options = options;
  }

  /** False: nothing is installed yet, or there is a backup already. */
  backUp(): boolean {
    const { server, told } = this.#options;
    if (this.#backup || !this.#leaseVersion || !keys.every((name) => this.#holds('Secret', name))) return false;
    const { revision } = server.store;
    this.#backup = { revision, lease: this.#leaseVersion };
    server.store.passOver(writesOfOthers);
    told('etcd', `is backed up at revision ${String(revision)}`);
    return true;
  }

  /** `bumps`: the versions go on, as `etcdutl snapshot restore --bump-revision --mark-compacted` makes them. */
  restore(bumps: boolean): void {
    const { server, told, onRestored } = this.#options;
    if (!this.#backup || this.#restored || this.#leaseVersion === this.#backup.lease) return;
    this.#restored = true;
    const { revision } = this.#backup;
    const newest = server.store.revision;
    server.restore(revision);
    if (bumps) {
      server.store.passOver(newest - revision + writesOfOthers);
      server.compact();
    }
    told('etcd', `is restored to revision ${String(revision)}${bumps ? ', and its versions go on' : ''}`);
    onRestored(revision);
  }

  get #leaseVersion(): string | undefined {
    const { store } = this.#options.server;
    return store.get(this.#options.server.kindOf('Lease'), `${ownNamespace}/reroll`)?.metadata.resourceVersion;
  }

  #holds(kind: string, name: string): boolean {
    const { store } = this.#options.server;
    return store.get(this.#options.server.kindOf(kind), `${ownNamespace}/${name}`) !== undefined;
  }
}
