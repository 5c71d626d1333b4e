import { attempt, isHandy, jsonOf, promise, requireFitToShow, type Target } from '../target';
import { describeProblem } from '../../../shared/domain/annotations/annotation-problem';
import { defaultAnnotationKeys } from '../../../shared/domain/annotations/annotations';
import { MalformedObjectError } from '../../../shared/domain/kubernetes/malformed-object-error';
import { possibleRemovers } from '../../../shared/domain/workloads/managed-fields';
import { pausedForMs } from '../../../shared/domain/workloads/pause';
import { readWorkload, trackingSignature } from '../../../shared/domain/workloads/workload';
import { workloadKind, workloadKinds } from '../../../shared/domain/kubernetes/workload-kinds';
import { json, sampleDeployment } from '../samples';

const policy = { autoReloadAll: true, ignoredWorkloadKinds: [] };

/** An object of each workload kind, as the watch delivers it. */
export const target: Target = {
  seeds: [
    json(sampleDeployment),
    json({ ...sampleDeployment, spec: { jobTemplate: { spec: { template: sampleDeployment.spec.template } } } }),
  ],
  maxBytes: 256 * 1024,
  run: (input) => {
    const object = jsonOf(input);
    possibleRemovers(object);
    // Of a large object, the cost for one kind is enough.
    for (const kind of isHandy(input) ? workloadKinds : [workloadKind('Deployment')]) {
      const read = () => readWorkload(kind, object, defaultAnnotationKeys, policy);
      const workload = attempt(read, MalformedObjectError);
      if (!workload) continue;
      trackingSignature(workload);
      promise(workload.problems.length <= 20, 'no more problems are kept than anybody reads');
      pausedForMs(workload.pause, 1_767_225_600_000);
      for (const problem of workload.problems) requireFitToShow(describeProblem('Deployment shop/web', problem, 256));
    }
  },
};
