import { arrayAt, objectAt, stringAt, withValueAt, without, type JsonObject, type JsonValue } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { baselineAnnotation } from './baseline-text';
import { pausedAtAnnotation } from './pause-text';

const ourTemplateAnnotations = ['reloader.stakater.com/last-reloaded-from', 'kubectl.kubernetes.io/restartedAt'];

/** The object as it would be if engines had never touched it. */
export function withoutOurs(object: KubeObject): JsonObject {
  const annotations = objectAt(object, 'metadata', 'annotations');
  const metadata = without(
    objectAt(object, 'metadata'),
    'resourceVersion',
    'generation',
    'managedFields',
    'annotations',
  );
  const own = without(annotations, baselineAnnotation, 'reroll.dev/last-restart', pausedAtAnnotation);
  return {
    ...object,
    metadata: { ...metadata, own },
    // `checkPause` judges pauses.
    spec: { ...without(objectAt(object, 'spec'), 'paused'), template: templateWithoutOurs(object) },
  };
}

/** The pod template as it would be without engines, in a comparable form; `{}` if there is none. */
export function templateWithoutOurs(object: KubeObject | undefined): JsonObject {
  const template = objectAt(object, 'spec', 'template');
  const containers = arrayAt(template, 'spec', 'containers').map(withoutMarkers);
  const marked = objectAt(template, 'metadata', 'annotations');
  return objectAt(
    sorted(
      withValueAt(
        withValueAt(template, ['spec', 'containers'], containers),
        ['metadata', 'annotations'],
        without(marked, ...ourTemplateAnnotations),
      ),
    ),
  );
}

/** Whether the pod template carries a marker of an engine. */
export function hasMarker(object: KubeObject): boolean {
  const template = objectAt(object, 'spec', 'template');
  const annotations = objectAt(template, 'metadata', 'annotations');
  if (ourTemplateAnnotations.some((key) => key in annotations)) return true;
  return arrayAt(template, 'spec', 'containers').some((container) => arrayAt(container, 'env').some(isMarker));
}

export function withoutMarkers(container: JsonValue): JsonValue {
  const env = arrayAt(container, 'env').filter((entry) => !isMarker(entry));
  return { ...objectAt(container), env };
}

function isMarker(entry: JsonValue): boolean {
  return stringAt(entry, 'name')?.startsWith('STAKATER_') === true;
}

/** Sorts the fields, because an added field comes last, and the order makes no difference. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, field === undefined ? field : sorted(field)]));
}
