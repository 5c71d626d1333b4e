import type { WriteRecord } from '../apiserver/store';

const workloadKinds = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/** One workload from its birth to its end, or to the end of the history: the next one of that name is another. */
export interface Life {
  /** `Deployment shop/api`. */
  readonly name: string;
  readonly writes: readonly [WriteRecord, ...WriteRecord[]];
  readonly gone: boolean;
}

export function livesOf(history: readonly WriteRecord[]): readonly Life[] {
  const writes = new Map<string, [WriteRecord, ...WriteRecord[]]>();
  for (const record of history) {
    if (!workloadKinds.has(record.kind.kind)) continue;
    const life = writes.get(record.object.metadata.uid);
    if (life) life.push(record);
    else writes.set(record.object.metadata.uid, [record]);
  }
  return [...writes.values()].map((life) => ({
    name: `${life[0].kind.kind} ${life[0].key}`,
    writes: life,
    gone: life.at(-1)?.type === 'DELETED',
  }));
}
