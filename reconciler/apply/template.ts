import { annotationsOf } from '../../shared/domain/annotations/annotations';
import { fieldAt, listOf, objectOf, textOf, type JsonObject } from '../../shared/domain/kubernetes/json-value';
import type { TemplateMarker } from '../../shared/domain/marks/workload-marks';

/**
 * The marker as a strategic merge patch of a pod template: containers and variables merge by name. The API server puts
 * the containers that a patch names into the order of the patch, so they come in the template's order.
 */
export function templatePatch(
  { annotations, env }: TemplateMarker,
  containerOrder: readonly string[] = [],
): JsonObject {
  const containers = new Map<string, { readonly name: string; readonly value: string; readonly valueFrom: null }[]>();
  for (const { container, name, value } of env) {
    // If the existing variable has a `valueFrom`, setting `value` too would make it invalid.
    const variable = { name, value, valueFrom: null };
    containers.set(container, [...(containers.get(container) ?? []), variable]);
  }
  const ordered = [...containers].sort(
    ([left], [right]) => containerOrder.indexOf(left) - containerOrder.indexOf(right),
  );
  return {
    ...(Object.keys(annotations).length > 0 && { metadata: { annotations } }),
    ...(ordered.length > 0 && {
      spec: { containers: ordered.map(([name, variables]) => ({ name, env: variables })) },
    }),
  };
}

/** The first part of the marker that a pod template lacks, described for people; undefined: it has all of it. */
export function missingOfMarker(template: JsonObject, { annotations, env }: TemplateMarker): string | undefined {
  const held = annotationsOf(template);
  const annotation = Object.entries(annotations).find(([key, value]) => held[key] !== value);
  if (annotation) return `annotation ${annotation[0]} of its pod template`;
  const containers = listOf(fieldAt(template, ['spec', 'containers'])).map(objectOf);
  const variable = env.find(({ container, name, value }) => {
    const variables = listOf(containers.find((each) => each['name'] === container)?.['env']).map(objectOf);
    return !variables.some((each) => each['name'] === name && each['value'] === value);
  });
  return variable && `variable ${variable.name} of its container ${variable.container}`;
}

/** Puts the marker into a complete pod template, for objects that are created rather than patched. */
export function markTemplate(template: JsonObject, { annotations, env }: TemplateMarker): JsonObject {
  const metadata = objectOf(template['metadata']);
  const spec = objectOf(template['spec']);
  const containers = listOf(spec['containers']).map((container) => {
    const variables = env.filter((variable) => variable.container === textOf(objectOf(container)['name']));
    return variables.length === 0 ? container : withVariables(objectOf(container), variables);
  });
  return {
    ...template,
    metadata: { ...metadata, annotations: { ...objectOf(metadata['annotations']), ...annotations } },
    spec: { ...spec, containers },
  };
}

function withVariables(container: JsonObject, variables: TemplateMarker['env']): JsonObject {
  const names = new Set(variables.map(({ name }) => name));
  const others = listOf(container['env']).filter((entry) => !names.has(textOf(objectOf(entry)['name']) ?? ''));
  return { ...container, env: [...others, ...variables.map(({ name, value }) => ({ name, value }))] };
}
