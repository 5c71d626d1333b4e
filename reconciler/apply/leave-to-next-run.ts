import { annotateWorkload } from './patch-workload';
import type { Apply } from './restart';

/** Records the change and runs nothing: the next run reads the content of that time. */
export const leaveToNextRun: Apply = async (context, { workload, annotations }) => {
  const resourceVersion = await annotateWorkload(context, workload, annotations);
  return { kind: 'written', did: 'not run now: the change takes effect at its next run', resourceVersion };
};
