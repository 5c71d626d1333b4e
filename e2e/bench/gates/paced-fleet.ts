import { merge } from '../../apiserver/contract/contract-client';
import type { Figure } from '../result';
import { inParallel } from '../population';
import type { Stage } from '../stage';
import type { TemplateChange } from '../template-watch';

/** What is asked for. */
export const pace = { count: 100, perMs: 1_000, flags: ['--restart-rate=100/s'] } as const;

/** This namespace has an order: the second half of its Deployments comes after the first. */
export const ordered = { namespace: 'team-0', wave: 1 } as const;

/** One request may be on its way for longer than another: then two periods share some. */
const spareShare = 0.2;

export function isLater(deployment: string, inEach: number): boolean {
  const [namespace, name = ''] = deployment.split('/');
  return namespace === ordered.namespace && Number(name.slice('app-'.length)) >= inEach / 2;
}

/** Puts the second half of the Deployments of that namespace into a later wave. */
export async function setWaves({ api }: Stage, inEach: number): Promise<void> {
  const half = inEach / 2;
  const annotations = { 'reroll.dev/wave': String(ordered.wave) };
  await inParallel(half, async (index) => {
    const path = `/apis/apps/v1/namespaces/${ordered.namespace}/deployments/app-${half + index}`;
    const { status } = await api.patch(path, merge, { metadata: { annotations } });
    if (status !== 200) throw new Error(`PATCH ${path}: ${String(status)}`);
  });
}

/** What was seen of restarts at that rate and in that order. */
export interface PacedRestarts {
  readonly size: number;
  readonly inEach: number;
  readonly cpuSeconds: number;
  readonly changes: readonly TemplateChange[];
  /** When the API server received each PATCH of a Deployment, in Unix time. A watch may show many of them at once. */
  readonly patchedMs: readonly number[];
}

export function pacedFigures({ size, inEach, cpuSeconds, changes, patchedMs }: PacedRestarts): readonly Figure[] {
  const names = new Set(changes.map(({ deployment }) => deployment));
  const lastOfFirst = changes.findLastIndex(
    ({ deployment }) => deployment.startsWith(`${ordered.namespace}/`) && !isLater(deployment, inEach),
  );
  const early = changes.slice(0, Math.max(0, lastOfFirst)).filter(({ deployment }) => isLater(deployment, inEach));
  const inOrder = patchedMs.toSorted((left, right) => left - right);
  // The later wave waits for the rollouts of the earlier one, and so for the Deployment controller.
  const first = inOrder.slice(0, size - inEach / 2);
  return [
    {
      name: `at a rate of ${pace.count}/s: PATCHes in any second, the most`,
      ...{ value: mostWithin(inOrder, pace.perMs), unit: '', bar: { atMost: pace.count * (1 + spareShare) } },
    },
    {
      name: 'at that rate: restarts a second, before the later wave',
      ...{ value: perSecond(first), unit: '', bar: { atLeast: pace.count * (1 - spareShare) } },
    },
    { name: 'at that rate: CPU for a restart', value: (cpuSeconds / size) * 1_000, unit: 'ms' },
    {
      name: 'restarts of a later wave before the last of an earlier one',
      ...{ value: early.length, unit: '', bar: { exactly: 0 } },
    },
    {
      name: 'paced: Deployments not restarted exactly once',
      ...{ value: Math.abs(size - names.size) + changes.length - names.size, unit: '', bar: { exactly: 0 } },
    },
  ];
}

/** `sorted`: in milliseconds. */
function perSecond(sorted: readonly number[]): number {
  return ((sorted.length - 1) / ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0))) * 1_000;
}

function mostWithin(sorted: readonly number[], ms: number): number {
  let [most, first] = [0, 0];
  for (const [index, atMs] of sorted.entries()) {
    while (atMs - (sorted[first] ?? atMs) >= ms) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
