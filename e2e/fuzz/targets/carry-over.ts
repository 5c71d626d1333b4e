import { jsonOf, promise, type Target } from '../target';
import { carryOver, changesTemplate } from '../../../shared/domain/marks/carry-over';
import { isObject, objectOf } from '../../../shared/domain/kubernetes/json-value';
import { workloadKind } from '../../../shared/domain/kubernetes/workload-kinds';
import { workloadPatch } from '../../../webhook/plugins/workload-patch';
import { applyJsonPatch } from '../../apiserver/json-patch';
import type { JsonObject, JsonValue } from '../../apiserver/json';
import { json, sampleDeployment } from '../samples';

const kind = workloadKind('Deployment');
const { template } = sampleDeployment.spec;
const [main] = template.spec.containers;
const stripped = {
  ...sampleDeployment,
  metadata: { ...sampleDeployment.metadata, annotations: {} },
  spec: { template: { spec: { ...template.spec, containers: [{ ...main, env: main?.env.slice(1) }] } } },
};

/** An update of a workload that drops what Reroll wrote to it. */
export const target: Target = {
  seeds: [
    json({ oldObject: sampleDeployment, object: stripped }),
    json({ oldObject: sampleDeployment, object: sampleDeployment, isDeliberate: true }),
  ],
  maxBytes: 256 * 1024,
  run: (input) => {
    const { object, oldObject, isDeliberate } = objectOf(jsonOf(input));
    if (!isObject(object)) return;
    const update = { kind, object, oldObject, isDeliberate: isDeliberate === true };
    changesTemplate(update);
    const marks = carryOver(update);
    const patch = workloadPatch(kind, object, marks);
    const patched = applyJsonPatch(object as JsonObject, patch as unknown as JsonValue);
    const again = carryOver({ ...update, object: patched }).annotations;
    promise(Object.keys(again).length === 0, 'what was kept is not lost any more');
  },
};
