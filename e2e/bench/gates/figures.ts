import type { ProcessUsage } from '../process-usage';
import type { Figure } from '../result';
import type { StageRequest } from '../stage';
import { median } from '../statistics';

const mib = 1024 * 1024;

/** What was seen of restarts that were owed, held and released. */
export interface HeldRestarts {
  readonly size: number;
  /** Of starts, each settled. */
  readonly notOwed: readonly ProcessUsage[];
  readonly held: readonly ProcessUsage[];
  /** Of the process that was running when the sources changed. */
  readonly before: ProcessUsage;
  readonly after: ProcessUsage;
  readonly tookHoldMs: number;
  readonly quiet: {
    readonly seconds: number;
    readonly cpuSeconds: number;
    /** CPU time of a process that only has a timer. */
    readonly timerSeconds: number;
    /** Besides watches and the renewals of the Lease. */
    readonly requests: readonly StageRequest[];
    readonly newTemplates: number;
    /** How often the subject looked at a workload. */
    readonly looks: number;
  };
  readonly released: {
    readonly tookMs: number;
    readonly cpuSeconds: number;
    readonly heldBytes: number;
    readonly peakBytes: number;
    /** The Deployments that got a new template, each as often as it did. */
    readonly newTemplates: readonly string[];
    readonly patches: number;
  };
}

export function heldFigures(seen: HeldRestarts): readonly Figure[] {
  const { size, notOwed, held, before, after, tookHoldMs, quiet, released } = seen;
  const resident = (usages: readonly ProcessUsage[]): { readonly value: number; readonly runs: readonly number[] } => {
    const runs = usages.map(({ residentBytes }) => residentBytes / mib);
    return { value: median(runs), runs };
  };
  const [free, full] = [resident(notOwed), resident(held)];
  const once = counted(released.newTemplates).filter((count) => count === 1).length;
  return [
    { name: 'started with nothing owed: RSS', ...free, unit: 'MiB' },
    { name: 'started with all owed and held: RSS', ...full, unit: 'MiB' },
    { name: 'RSS more of a start', value: full.value - free.value, unit: 'MiB', bar: { atMost: 5 } },
    { name: 'from the edits until all are held', value: tookHoldMs / 1_000, unit: 's' },
    {
      ...{ name: 'RSS more of the process that saw the edits', unit: 'MiB' },
      value: (after.residentBytes - before.residentBytes) / mib,
    },
    {
      ...{ name: 'requests while held, besides watches and the Lease', unit: '', bar: { exactly: 0 } },
      value: quiet.requests.length,
    },
    { name: 'new templates while held', value: quiet.newTemplates, unit: '', bar: { exactly: 0 } },
    { name: 'looks at workloads while held', value: quiet.looks, unit: '', bar: { exactly: 0 } },
    {
      ...{ name: 'CPU while held, of a core', unit: '%', bar: { atMost: 0.5 } },
      value: (quiet.cpuSeconds / quiet.seconds) * 100,
    },
    {
      ...{ name: 'the same, of a process with a timer alone', unit: '%' },
      value: (quiet.timerSeconds / quiet.seconds) * 100,
    },
    { name: 'from the release to the last new template', value: released.tookMs / 1_000, unit: 's' },
    { name: 'CPU for a released restart', value: (released.cpuSeconds / size) * 1_000, unit: 'ms' },
    { name: 'peak RSS over that while held', value: (released.peakBytes - released.heldBytes) / mib, unit: 'MiB' },
    { name: 'PATCH for them', value: released.patches, unit: '', bar: { exactly: size } },
    { name: 'Deployments not restarted exactly once', value: size - once, unit: '', bar: { exactly: 0 } },
  ];
}

function counted(names: readonly string[]): readonly number[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts.values()];
}
