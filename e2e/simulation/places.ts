export interface Place {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export const sources: readonly [Place, ...Place[]] = [
  { kind: 'ConfigMap', namespace: 'default', name: 'app' },
  { kind: 'ConfigMap', namespace: 'default', name: 'extra' },
  { kind: 'Secret', namespace: 'default', name: 'db' },
  { kind: 'ConfigMap', namespace: 'shop', name: 'app' },
  { kind: 'Secret', namespace: 'shop', name: 'db' },
];

/** The additional sources of a large world: more than one page of a list. */
export const crowdSources: readonly Place[] = Array.from({ length: 600 }, (_, index) => crowdSource(index));

export function crowdSource(index: number): Place {
  return { kind: 'ConfigMap', namespace: 'default', name: `bulk-${String(index).padStart(3, '0')}` };
}

export const workloads: readonly Place[] = [
  { kind: 'Deployment', namespace: 'default', name: 'web' },
  { kind: 'StatefulSet', namespace: 'default', name: 'store' },
  { kind: 'DaemonSet', namespace: 'default', name: 'agent' },
  { kind: 'Deployment', namespace: 'shop', name: 'api' },
  { kind: 'CronJob', namespace: 'default', name: 'report' },
  { kind: 'Job', namespace: 'default', name: 'migrate' },
];

/** The keys of sources. Most sources have the first two. */
export const contentKeys = ['color', 'size', 'token'] as const;

/** Whether the template may be edited. Templates of Jobs are immutable; those of CronJobs are out of scope here. */
export function isRolled({ kind }: Place): boolean {
  return kind !== 'Job' && kind !== 'CronJob';
}
