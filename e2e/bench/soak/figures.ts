import type { Figure } from '../result';
import { median } from '../statistics';
import { growthOf, type Growth, type Sample } from './growth';
import type { Fate } from './soak';

const mib = 2 ** 20;

/** Beyond the first quarter: what garbage and caches that fill up may take. */
const heapGrowthShare = 0.05;
const heapGrowthMib = 1;

/** Kept connections come and go with the requests of the moment. */
const countGrowth = 2;

/** What was done to the process, and what it told. */
export interface Happened {
  readonly cuts: number;
  readonly leaderChanges: number;
  readonly collections: number;
  /** Whether it can be asked for its heap. */
  readonly isAsked: boolean;
}

/** Of the samples after `warmUpMs`, and of what became of each workload. */
export function soakFigures(
  all: readonly Sample[],
  warmUpMs: number,
  fates: readonly Fate[],
  { cuts, leaderChanges, collections, isAsked }: Happened,
): readonly Figure[] {
  const samples = all.filter(({ atMs }) => atMs > warmUpMs);
  const heap = growthOf(samples, ({ heapBytes }) => heapBytes && heapBytes / mib);
  const resident = growthOf(samples, ({ residentBytes }) => residentBytes / mib);
  const sum = (count: (fate: Fate) => number): number => fates.reduce((total, fate) => total + count(fate), 0);
  const number = (of: (fate: Fate) => boolean): number => fates.filter(of).length;
  return [
    ...(isAsked
      ? [
          ...growthFigures('heap after a collection', heap, 'MiB', heapGrowthMib + heap.first * heapGrowthShare),
          ...growthFigures(
            'handles',
            growthOf(samples, ({ handles }) => handles),
            '',
            countGrowth,
          ),
          { name: 'full collections of garbage', value: collections, unit: '' },
        ]
      : []),
    ...growthFigures(
      'file descriptors',
      growthOf(samples, ({ descriptors }) => descriptors),
      '',
      countGrowth,
    ),
    ...growthFigures(
      'sockets',
      growthOf(samples, ({ sockets }) => sockets),
      '',
      countGrowth,
    ),
    ...growthFigures('resident memory', resident, 'MiB'),
    {
      name: 'resident memory, the most',
      value: Math.max(...all.map(({ residentBytes }) => residentBytes)) / mib,
      unit: 'MiB',
    },
    {
      name: 'workloads whose last edit was missed',
      value: number(({ lastEditMs, lastRestartMs }) => lastEditMs > lastRestartMs),
      ...{ unit: '', bar: { exactly: 0 } },
    },
    {
      name: 'workloads restarted more often than edited',
      ...{ value: number(({ restarts, edits }) => restarts > edits), unit: '', bar: { exactly: 0 } },
    },
    { name: 'edits', value: sum(({ edits }) => edits), unit: '' },
    { name: 'restarts', value: sum(({ restarts }) => restarts), unit: '' },
    { name: 'times all connections were cut', value: cuts, unit: '' },
    { name: 'times the leader changed', value: leaderChanges, unit: '' },
    { name: 'edits of a workload', value: median(fates.map(({ edits }) => edits)), unit: '' },
  ];
}

function growthFigures(name: string, { first, last, perHour }: Growth, unit: string, atMost?: number): Figure[] {
  return [
    { name: `${name}, first quarter`, value: first, unit },
    { name: `${name}, last quarter`, value: last, unit },
    { name: `${name}, grown`, value: last - first, unit, ...(atMost !== undefined && { bar: { atMost } }) },
    { name: `${name}, slope`, value: perHour, unit: unit === '' ? 'an hour' : `${unit} an hour` },
  ];
}
