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

/** One workload from its birth to its end, or to the end of the history: the next one of that name is another. */
export interface Life {
  /** `Deployment shop/api`. */
  readonly name: string;
  readonly writes: [WriteRecord, ...WriteRecord[]];
}

/** Every workload that there ever was. */
export class Lives {
  readonly #byUid = new Map<string, Life>();

  /** The life that the write belongs to, if it is of a workload. */
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

/** Its pods are replaced when its template changes; CronJobs and Jobs are run anew instead. */
export function isRolled({ writes }: Life): boolean {
  return rolledKinds.has(writes[0].kind.kind);
}

export function namespaceOf({ writes }: Life): string {
  return writes[0].object.metadata.namespace ?? '';
}

export function isGone({ writes }: Life): boolean {
  return writes.at(-1)?.type === 'DELETED';
}

/** An engine's restart or record; that a pause ends is neither. */
export function isOfEngine(write: WriteRecord): write is EngineWrite {
  return isEngine(write.user) && write.previous !== undefined && write.type !== 'DELETED' && !endsPause(write);
}

/** The writes by which others took away, or put back into the past, what an engine had recorded. */
export function lossesOf({ writes }: Life): readonly WriteRecord[] {
  let newest = -1;
  let newestKey: string | undefined;
  return writes.filter(({ object, user }) => {
    const { n: recorded = -1, key } = baselineOf(object) ?? {};
    // Under another key they are counted anew.
    if (isEngine(user) && key !== newestKey) [newest, newestKey] = [recorded, key];
    const lost = recorded < newest && !isEngine(user);
    // A loss counts once: what others write after it has lost nothing more.
    newest = lost ? recorded : Math.max(newest, recorded);
    return lost;
  });
}
