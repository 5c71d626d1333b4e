import * as z from 'zod';
import { newestWriteOf } from '../../domain/workloads/managed-fields';
import type { KubeClient } from '../client/client';
import { undefinedIfNotFound } from '../errors';
import type { KubeObject, RequestLimits } from '../client/objects';
import { createObject, getObject, updateObject } from '../client/objects';
import { leases } from '../resource';

const leaseSpec = z.looseObject({
  holderIdentity: z.string().nullish(),
  leaseDurationSeconds: z.number().nullish(),
  acquireTime: z.string().nullish(),
  renewTime: z.string().nullish(),
  leaseTransitions: z.number().nullish(),
});

/** The content of a Lease. Unreadable fields count as missing, so that a hand-edited Lease locks nobody out. */
export interface LeaseRecord {
  /** '' when nobody holds it. */
  readonly holder: string;
  readonly durationMs: number;
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
  readonly transitions: number;
  /** Changes when a holder has noticed a restore of etcd. Undefined: none ever has. */
  readonly restored: string | undefined;
}

/** By it a standby learns of a restore that it did not see itself. Its value is the version that gave the restore away. */
const restoredAnnotation = 'reroll.dev/restored';

/** A Lease as it was read; a write is based on its version. */
export interface StoredLease {
  readonly object: KubeObject;
  readonly record: LeaseRecord;
  /** When it was last renewed, by the API server's clock; undefined if managedFields do not show it. */
  readonly writtenAtMs: number | undefined;
}

/**
 * Reads and writes one Lease; each write is based on a version. Its requests use the `urgent` connection pool, so they
 * do not wait for others: if an unresponsive admission webhook blocked all of those, the Lease would be lost too.
 */
export class LeaseStore {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #name: string;

  constructor(client: KubeClient, namespace: string, name: string) {
    this.#client = client;
    this.#namespace = namespace;
    this.#name = name;
  }

  async read(limits: RequestLimits): Promise<StoredLease | undefined> {
    const lease = getObject(this.#client, leases, this.#namespace, this.#name, { ...limits, pool: 'urgent' });
    const object = await lease.catch(undefinedIfNotFound);
    return object && stored(object);
  }

  /** @throws ConflictError, AlreadyExistsError if another process wrote first. */
  async write(record: LeaseRecord, base: StoredLease | undefined, limits: RequestLimits): Promise<StoredLease> {
    const spec = {
      holderIdentity: record.holder,
      leaseDurationSeconds: Math.ceil(record.durationMs / 1000),
      acquireTime: record.acquireTime,
      renewTime: record.renewTime,
      leaseTransitions: record.transitions,
    };
    const urgently = { ...limits, pool: 'urgent' } as const;
    const annotations =
      record.restored === undefined
        ? base?.object.metadata.annotations
        : { ...base?.object.metadata.annotations, [restoredAnnotation]: record.restored };
    if (base) {
      const body = { ...base.object, metadata: { ...base.object.metadata, ...(annotations && { annotations }) }, spec };
      return stored(await updateObject(this.#client, leases, this.#namespace, this.#name, body, urgently));
    }
    const metadata = { name: this.#name, namespace: this.#namespace, ...(annotations && { annotations }) };
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    return stored(await createObject(this.#client, leases, this.#namespace, body, urgently));
  }
}

function stored(object: KubeObject): StoredLease {
  const parsed = leaseSpec.safeParse(object['spec']);
  const spec = parsed.success ? parsed.data : {};
  return {
    object,
    writtenAtMs: writtenAtMs(object),
    record: {
      holder: spec.holderIdentity ?? '',
      durationMs: (spec.leaseDurationSeconds ?? 0) * 1000,
      acquireTime: spec.acquireTime ?? undefined,
      renewTime: spec.renewTime ?? undefined,
      transitions: spec.leaseTransitions ?? 0,
      restored: object.metadata.annotations?.[restoredAnnotation],
    },
  };
}

/** The holder may be no Reroll process: an install of Reloader shares its Lease with one of Reroll that has replaced it. */
function writtenAtMs(object: KubeObject): number | undefined {
  return newestWriteOf(object, [['spec', 'renewTime']])?.timeMs;
}
