import { annotateWorkload } from './patch-workload';
import type { Apply } from './restart';

/** Notes the change and runs nothing: the next run, whenever that is, reads what is there then. */
export const leaveToNextRun: Apply = async (context, { workload, annotations }) => {
  const resourceVersion = await annotateWorkload(context, workload, annotations);
  return { kind: 'written', did: 'not run now: the change takes effect at its next run', resourceVersion };
};
