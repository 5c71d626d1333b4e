import type { ApiServer } from '../apiserver/api-server';
import { ownNamespace } from '../engine-settings';
import { kindOfStatuses, mountedOf } from './rotations';

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
  #backup: { readonly revision: number } | undefined;
  #restored = false;
  /** Who wrote the Lease since the backup. */
  readonly #renewals: string[] = [];

  constructor(options: EtcdOptions) {
    this.#options = options;
    options.server.store.subscribe(({ kind, user }) => {
      if (kind.kind === 'Lease') this.#renewals.push(user);
    });
  }

  /** False: not everything is there yet, or there is a backup already. */
  backUp(): boolean {
    const { server, told } = this.#options;
    if (this.#backup || !this.#isComplete()) return false;
    const { revision } = server.store;
    this.#backup = { revision };
    this.#renewals.length = 0;
    server.store.passOver(writesOfOthers);
    told('etcd', `is backed up at revision ${String(revision)}`);
    return true;
  }

  /** `bumps`: the versions go on, as `etcdutl snapshot restore --bump-revision --mark-compacted` makes them. */
  restore(bumps: boolean): void {
    const { server, told, onRestored } = this.#options;
    if (!this.#backup || this.#restored || !this.#isNewerLeaseKnown()) return;
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

  /** Who writes the Lease twice has seen the first of both. */
  #isNewerLeaseKnown(): boolean {
    return this.#renewals.at(-1) !== undefined && this.#renewals.at(-1) === this.#renewals.at(-2);
  }

  /** A pod's status gets its first versions within seconds of its creation: a restore does not do that to it hours later. */
  #isComplete(): boolean {
    const { kinds, store } = this.#options.server;
    const statuses = kinds.filter(({ kind }) => kind === kindOfStatuses).flatMap((kind) => [...store.list(kind)]);
    const isInstalled = this.#holds('Lease', 'reroll') && keys.every((name) => this.#holds('Secret', name));
    return isInstalled && statuses.every((status) => mountedOf(status).content !== undefined);
  }

  #holds(kind: string, name: string): boolean {
    const { store } = this.#options.server;
    return store.get(this.#options.server.kindOf(kind), `${ownNamespace}/${name}`) !== undefined;
  }
}
