import { jsonOf, requireFitToShow, type Target } from '../target';
import { describeProblem } from '../../../shared/domain/annotations/annotation-problem';
import { reviewAnnotations } from '../../../shared/domain/annotations/annotation-review';
import { annotationsOf, defaultAnnotationKeys, sourceFlags } from '../../../shared/domain/annotations/annotations';
import { checkSettings } from '../../../shared/domain/content-check/check-settings';
import { readNarrowing } from '../../../shared/domain/policy/narrowing';
import { readPause } from '../../../shared/domain/workloads/pause';
import { decide } from '../../../shared/domain/policy/policy';
import { parsePolicy } from '../../../shared/domain/policy/policy-annotations';
import { readRollout } from '../../../shared/domain/workloads/rollout';
import { workloadKind } from '../../../shared/domain/kubernetes/workload-kinds';
import { readSettings } from '../../../shared/domain/workloads/workload-settings';
import { json, sampleAnnotations } from '../samples';

const keys = defaultAnnotationKeys;
const source = { kind: 'ConfigMap', name: 'app', ignore: false, match: true } as const;

/** The annotations of an object, given to each reader separately. */
export const target: Target = {
  seeds: [
    json(sampleAnnotations),
    json({ 'reroll.dev/validate': 'deny', 'reroll.dev/schema': 'a.json=schemas/s', 'reroll.dev/required-keys': 'a,b' }),
    json({ 'reroll.dev/max-bytes': '64Ki', 'reroll.dev/validate': 'off' }),
  ],
  maxBytes: 256 * 1024,
  run: (input) => {
    const object = { metadata: { annotations: jsonOf(input) }, spec: { paused: true } };
    const metadata = annotationsOf(object);
    sourceFlags(metadata, keys);
    const { policy, problems } = parsePolicy(metadata, metadata, keys);
    decide(policy, 'Deployment', source, { autoReloadAll: false, ignoredWorkloadKinds: [] });
    const found = [
      ...[...problems, ...readSettings(metadata).problems, ...reviewAnnotations(metadata, metadata, keys, 20)],
      ...readPause(workloadKind('Deployment'), object, metadata, keys).problems,
      ...readRollout(object, metadata, keys).problems,
      ...readNarrowing(metadata, metadata, keys).problems,
      ...(checkSettings(metadata, 'warn')?.problems ?? []),
    ];
    for (const problem of found) requireFitToShow(describeProblem('Deployment shop/web', problem, 256));
  },
};
