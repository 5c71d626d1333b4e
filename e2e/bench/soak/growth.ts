import { median } from '../statistics';

/** What a process holds at one moment. */
export interface Sample {
  readonly atMs: number;
  readonly residentBytes: number;
  /** After the last full collection of garbage; undefined where there was none yet, or the process cannot be asked. */
  readonly heapBytes: number | undefined;
  readonly handles: number | undefined;
  readonly descriptors: number;
  readonly sockets: number;
}

export interface Growth {
  readonly first: number;
  readonly last: number;
  /** Of all values, by least squares. */
  readonly perHour: number;
}

const hourMs = 60 * 60_000;

/** How the median of a value has changed from the first quarter of the samples in which it is known to the last. */
export function growthOf(samples: readonly Sample[], value: (sample: Sample) => number | undefined): Growth {
  const points = samples.flatMap((sample) => {
    const known = value(sample);
    return known === undefined ? [] : [[sample.atMs, known] as const];
  });
  const quarter = Math.ceil(points.length / 4);
  const of = (some: typeof points): number => median(some.map(([, one]) => one));
  return { first: of(points.slice(0, quarter)), last: of(points.slice(-quarter)), perHour: slope(points) * hourMs };
}

function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const [along, square] = points.reduce(
    ([sum, squares], [x, y]) => [sum + (x - meanX) * (y - meanY), squares + (x - meanX) ** 2],
    [0, 0],
  );
  return along / square;
}
