import * as z from 'zod';
import { annotationsOf } from '../annotations/annotations';
import { budgets } from '../budgets';
import { fieldAt, isObject, listOf, objectOf, type JsonObject } from '../kubernetes/json-value';
import { defaultTemplatePath, findWorkloadKind } from '../kubernetes/workload-kinds';

/** The largest body of a question; no question is sent about a workload that needs more. */
export const maxWorkloadQuestionBytes = budgets.questionBytes;

const questionSchema = z
  .object({
    v: z.literal(1),
    group: z.string().max(253),
    kind: z.string().min(1).max(253),
    namespace: z.string().min(1).max(253),
    /** The object to be stored, without fields that no decision needs: see {@link workloadQuestion}. */
    object: z.record(z.string(), z.unknown()).readonly(),
  })
  .readonly();

/** A workload in a write, which the webhook sends to the reconciler with a question about it. */
export type WorkloadQuestion = z.infer<typeof questionSchema>;

/** Undefined for anything but a question of this version. */
export function readWorkloadQuestion(value: unknown): WorkloadQuestion | undefined {
  return questionSchema.safeParse(value).data;
}

/**
 * The question about an object in a write: its annotations, the sources that its template uses, and in which
 * containers. Values of variables, commands and arguments are not sent, and neither is the copy of them that `kubectl
 * apply` keeps.
 */
export function workloadQuestion(
  { group, kind }: Pick<WorkloadQuestion, 'group' | 'kind'>,
  namespace: string,
  object: unknown,
): WorkloadQuestion {
  const [first = 'spec', ...below] = findWorkloadKind(group, kind)?.templatePath ?? defaultTemplatePath;
  const { metadata, [first]: spec } = objectOf(object);
  return {
    ...{ v: 1, group, kind, namespace },
    object: {
      metadata: { ...pick(metadata, ['name', 'uid', 'ownerReferences']), ...leanMetadata(object) },
      [first]: { ...pick(spec, ['paused', 'workloadRef']), ...leanPath(spec, below) },
    },
  };
}

/** Down to the pod template; objects on the way keep only their metadata. */
function leanPath(owner: unknown, [field, ...below]: readonly string[]): JsonObject {
  if (field === undefined) return {};
  const value = objectOf(owner)[field];
  if (below.length === 0) return { [field]: leanTemplate(value) };
  const metadata = isObject(objectOf(value)['metadata']) ? { metadata: leanMetadata(value) } : {};
  return { [field]: { ...metadata, ...leanPath(value, below) } };
}

function leanMetadata(owner: unknown): JsonObject {
  const copy = 'kubectl.kubernetes.io/last-applied-configuration';
  return {
    annotations: Object.fromEntries(Object.entries(annotationsOf(owner)).filter(([key]) => key !== copy)),
    labels: objectOf(fieldAt(owner, ['metadata', 'labels'])),
  };
}

function leanTemplate(template: unknown): JsonObject {
  const spec = objectOf(objectOf(template)['spec']);
  const containers = (field: string): readonly JsonObject[] => listOf(spec[field]).map(leanContainer);
  return {
    metadata: leanMetadata(template),
    spec: {
      volumes: listOf(spec['volumes']).map((volume) =>
        pick(volume, ['name', 'configMap', 'secret', 'projected', 'csi']),
      ),
      containers: containers('containers'),
      initContainers: containers('initContainers'),
    },
  };
}

function leanContainer(container: unknown): JsonObject {
  const env = listOf(objectOf(container)['env']).map((entry) => pick(entry, ['valueFrom']));
  return { ...pick(container, ['name', 'envFrom', 'volumeMounts']), env };
}

function pick(value: unknown, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(objectOf(value)).filter(([field]) => fields.includes(field)));
}
