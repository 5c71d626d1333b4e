import { attempt, jsonOf, promise, requireFitToShow, type Target } from '../target';
import { defaultAnnotationKeys } from '../../../shared/domain/annotations/annotations';
import { isObject } from '../../../shared/domain/kubernetes/json-value';
import { MalformedObjectError } from '../../../shared/domain/kubernetes/malformed-object-error';
import { parseMutationQuestion, readMutationAnswer } from '../../../shared/domain/protocol/mutation-question';
import { readWorkload } from '../../../shared/domain/workloads/workload';
import { workloadKind } from '../../../shared/domain/kubernetes/workload-kinds';
import { workloadQuestion } from '../../../shared/domain/protocol/workload-question';
import { readJsonBody } from '../../../reconciler/channel/answers';
import { maxAnswerBytes } from '../../../webhook/channel/channel-https-transport';
import { workloadPatch } from '../../../webhook/plugins/workload-patch';
import { applyJsonPatch } from '../../apiserver/json-patch';
import type { JsonValue } from '../../apiserver/json';
import { json, sampleDeployment } from '../samples';

const answer = {
  v: 1,
  annotations: { 'reroll.dev/baseline': '{}' },
  template: { annotations: { 'a/b': 'c' }, env: [{ container: 'main', name: 'STAKATER_DB_SECRET', value: 'x' }] },
};

/** The webhook's question about what a write must record, its answer, and the patch made from it. */
export const target: Target = {
  seeds: [json(workloadQuestion({ group: 'apps', kind: 'Deployment' }, 'shop', sampleDeployment)), json(answer)],
  maxBytes: 256 * 1024,
  run: (input) => {
    const body = readJsonBody(input, parseMutationQuestion);
    if ('error' in body) requireFitToShow(body.error);
    else {
      const { kind, object } = body.value;
      const policy = { autoReloadAll: false, ignoredWorkloadKinds: [] };
      attempt(() => readWorkload(workloadKind(kind), object, defaultAnnotationKeys, policy), MalformedObjectError);
    }
    const marks = input.length > maxAnswerBytes ? undefined : readMutationAnswer(jsonOf(input));
    if (!marks) return;
    const patch = workloadPatch(workloadKind('Deployment'), sampleDeployment, marks);
    // The simulated server copies the object for each operation; that cost is not the product's.
    if (patch.length > 100) return;
    const patched = applyJsonPatch(sampleDeployment, patch as unknown as JsonValue);
    promise(isObject(patched), 'a patch applies to its object');
  },
};
