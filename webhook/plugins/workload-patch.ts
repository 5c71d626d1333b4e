import { annotationsOf } from '../../shared/domain/annotations/annotations';
import { fieldAt, isObject, listOf, objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import type { WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { EnvMark, WorkloadMarks } from '../../shared/domain/marks/workload-marks';
import type { JsonPatchOperation } from '../admission/admission-plugins';

/** Names and values of all annotations of one object: the API server rejects a write with more. */
const maxAnnotationBytes = 256 * 1024;

/**
 * The JSON patch that applies mutations to the workload in the request, with one operation for each: audit logs show
 * the patch, and it must not show the container's other variables. No patch if the annotations have no room: a marker
 * without its baseline would restart twice.
 */
export function workloadPatch(
  { templatePath }: WorkloadKind,
  object: unknown,
  { annotations, template }: WorkloadMarks,
): readonly JsonPatchOperation[] {
  const owners = [
    [object, annotations],
    [fieldAt(object, templatePath), template.annotations],
  ] as const;
  if (!owners.every(([owner, added]) => haveRoom(owner, added))) return [];
  return [
    ...annotationOperations(object, [], annotations),
    ...annotationOperations(object, templatePath, template.annotations),
    ...containerOperations(object, [...templatePath, 'spec', 'containers'], template.env),
  ];
}

function haveRoom(owner: unknown, added: Readonly<Record<string, string>>): boolean {
  if (Object.keys(added).length === 0) return true;
  const texts = Object.entries({ ...annotationsOf(owner), ...added }).flat();
  return texts.reduce<number>((sum, text) => sum + Buffer.byteLength(textOf(text) ?? ''), 0) <= maxAnnotationBytes;
}

function annotationOperations(
  object: unknown,
  owner: readonly string[],
  annotations: Readonly<Record<string, string>>,
): readonly JsonPatchOperation[] {
  const entries = Object.entries(annotations);
  if (entries.length === 0) return [];
  // A Rollout with a workload ref has no template. If a patch does not apply, the API server rejects the write,
  // whatever the failurePolicy.
  if (!isObject(fieldAt(object, owner))) return [];
  const metadata = [...owner, 'metadata'];
  if (!isObject(fieldAt(object, metadata))) return [add(metadata, { annotations })];
  const path = [...metadata, 'annotations'];
  if (!isObject(fieldAt(object, path))) return [add(path, annotations)];
  return entries.map(([key, value]) => add([...path, key], value));
}

/** Leaves out mutations for a container that does not exist. */
function containerOperations(
  object: unknown,
  path: readonly string[],
  marks: readonly EnvMark[],
): readonly JsonPatchOperation[] {
  return listOf(fieldAt(object, path)).flatMap((container, index) => {
    const { name, env } = objectOf(container);
    const own = marks.filter((mark) => mark.container === name);
    return own.length === 0 ? [] : envOperations(listOf(env), [...path, String(index), 'env'], own);
  });
}

function envOperations(
  env: readonly unknown[],
  path: readonly string[],
  marks: readonly EnvMark[],
): readonly JsonPatchOperation[] {
  if (env.length === 0) return [add(path, marks.map(variable))];
  const places = new Map<unknown, number>();
  for (const [index, entry] of env.entries()) {
    const { name } = objectOf(entry);
    if (!places.has(name)) places.set(name, index);
  }
  // Replaces before it adds: an added variable would move the others.
  const replaced = marks.flatMap((mark): JsonPatchOperation[] => {
    const place = places.get(mark.name);
    return place === undefined ? [] : [{ ...add([...path, String(place)], variable(mark)), op: 'replace' }];
  });
  const missing = new Map(marks.flatMap((mark) => (places.has(mark.name) ? [] : [[mark.name, mark] as const])));
  const added = [...missing.values()].map((mark, count) => {
    const length = env.length + count;
    return add([...path, String(Math.min(mark.index ?? length, length))], variable(mark));
  });
  return [...replaced, ...added];
}

function variable({ name, value }: EnvMark) {
  return { name, value };
}

function add(path: readonly string[], value: unknown): JsonPatchOperation {
  const escaped = path.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'));
  return { op: 'add', path: `/${escaped.join('/')}`, value };
}
