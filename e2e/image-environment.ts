/** What the image sets in the environment so that malloc gives back what is free. */
export const mallocSettings = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '16384',
  MALLOC_TOP_PAD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '524288',
} as const;

/** The options of Node that the image sets. */
export const nodeOptions = '--max-semi-space-size=2';

/** The options that the chart gives a process with a limit of 256 MiB, of which V8 gets three quarters. */
export const chartNodeOptions = `${nodeOptions} --max-old-space-size=192`;
