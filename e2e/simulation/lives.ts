import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { baselineOf } from './baseline-text';
import { isEngine } from './engine-user';
import { endsPause } from './pause-text';

const rolledKinds = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);
const runKinds = new Set(['CronJob', 'Job']);

export function isOfWorkload({ kind }: WriteRecord): boolean {
  return rolledKinds.has(kind.kind) || runKinds.has(kind.kind);
}

export type EngineWrite = WriteRecord & { readonly previous: KubeObject };

/**
 * One workload from its creation to its deletion, or to the end of the history. A later workload of the same name is
 * another life.
 */
export interface Life {
  /** `Deployment shop/api`. */
  readonly name: string;
  readonly writes: [WriteRecord, ...WriteRecord[]];
}

/** The lives of all workloads that ever existed. */
export class Lives {
  readonly #byUid = new Map<string, Life>();

  /** Returns the life that the write belongs to; undefined if it is not a write to a workload. */
  add(record: WriteRecord): Life | undefined {
    if (!isOfWorkload(record)) return undefined;
    const { kind, key, object } = record;
    const { uid } = object.metadata;
    const life = this.#byUid.get(uid);
    if (life) life.writes.push(record);
    else this.#byUid.set(uid, { name: `${kind.kind} ${key}`, writes: [record] });
    return this.#byUid.get(uid);
  }

  get all(): readonly Life[] {
    return [...this.#byUid.values()];
  }
}

/** Whether a template change replaces its pods. CronJobs and Jobs are run again instead. */
export function isRolled({ writes }: Life): boolean {
  return rolledKinds.has(writes[0].kind.kind);
}

export function namespaceOf({ writes }: Life): string {
  return writes[0].object.metadata.namespace ?? '';
}

export function isGone({ writes }: Life): boolean {
  return writes.at(-1)?.type === 'DELETED';
}

/** Whether the write is an engine's restart or record. The end of a pause is neither. */
export function isOfEngine(write: WriteRecord): write is EngineWrite {
  return isEngine(write.user) && write.previous !== undefined && write.type !== 'DELETED' && !endsPause(write);
}

/** The writes by which others removed an engine's baseline, or replaced it with an older one. */
export function lossesOf({ writes }: Life): readonly WriteRecord[] {
  let newest = -1;
  let newestKey: string | undefined;
  return writes.filter(({ object, user }) => {
    const { n: recorded = -1, key } = baselineOf(object) ?? {};
    // Under another digest key the sequence numbers start again.
    if (isEngine(user) && key !== newestKey) [newest, newestKey] = [recorded, key];
    const lost = recorded < newest && !isEngine(user);
    // A loss counts once: later writes of others lose nothing more.
    newest = lost ? recorded : Math.max(newest, recorded);
    return lost;
  });
}
