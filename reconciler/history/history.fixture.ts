import type { ReporterOptions } from '../reporting/reporter';

/** A history that nobody asks. */
export const noHistory: ReporterOptions['history'] = {
  restarted: () => undefined,
  restartedAsTold: () => undefined,
  withheld: () => undefined,
  refused: () => true,
  refusedAsTold: () => true,
};
