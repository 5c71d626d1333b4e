import type { ApiServer } from '../apiserver/api-server';
import { ownNamespace } from '../engine-settings';
import { kindOfStatuses, mountedOf } from './rotations';

/** The Secrets that an install creates at its first start. Without them it would be another install. */
const keys = ['reroll-digest-key', 'reroll-journal-key'] as const;

/** The number of writes that the rest of a cluster makes while a simulated world does one thing. */
const writesOfOthers = 1_000;

export interface EtcdOptions {
  readonly server: ApiServer;
  readonly told: (who: string, what: string) => void;
  /** Called when everything is as it was at that revision. */
  readonly onRestored: (revision: number) => void;
}

/**
 * The etcd under the API server. It is backed up once and restored once. In a real cluster hours lie between the two:
 * meanwhile more revisions are written than anybody waits for after a restore, and every process sees a newer Lease.
 */
export class Etcd {
  readonly #options: EtcdOptions;
  #backup: { readonly revision: number } | undefined;
  #restored = false;
  /** The users that wrote the Lease since the backup, oldest first. */
  readonly #renewals: string[] = [];

  constructor(options: EtcdOptions) {
    this.#options = options;
    options.server.store.subscribe(({ kind, user }) => {
      if (kind.kind === 'Lease') this.#renewals.push(user);
    });
  }

  /** Returns false, and makes no backup, if the install is not complete yet or there is a backup already. */
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

  /** With `bumps` the revisions go on, as after `etcdutl snapshot restore --bump-revision --mark-compacted`. */
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

  /** A process that writes the Lease twice in a row has seen its first write, which is newer than the backup. */
  #isNewerLeaseKnown(): boolean {
    return this.#renewals.at(-1) !== undefined && this.#renewals.at(-1) === this.#renewals.at(-2);
  }

  /**
   * A pod's status gets its first versions within seconds of its creation. If a backup lacked them, the status would
   * get them hours after its creation, which does not happen.
   */
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
