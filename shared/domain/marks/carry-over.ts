import { annotation, annotationsOf, lastReloadedFrom, ownAnnotations, restartedAt } from '../annotations/annotations';
import { isWrittenFor, parseBaseline } from '../baseline/baseline';
import { budgets } from '../budgets';
import { digestLength } from '../sources/content-digest';
import { fieldAt, listOf, objectOf, parsedJson, sameJson, textOf, type JsonObject } from '../kubernetes/json-value';
import { sourceKindNames } from '../sources/source';
import type { WorkloadKind } from '../kubernetes/workload-kinds';
import { noMarks, type EnvMark, type TemplateMarker, type WorkloadMarks } from './workload-marks';

/** An update of a workload, as admission sees it. */
export interface WorkloadUpdate {
  readonly kind: WorkloadKind;
  readonly object: unknown;
  readonly oldObject: unknown;
  /** The update changes only fields that a person has named, as `kubectl edit` does, so its removals are intended. */
  readonly isDeliberate: boolean;
}

/**
 * The marks by Reroll that an update would remove and that admission keeps, for a workload that is opted in after the
 * update.
 *
 * | lost                                     | kept                                                            |
 * |------------------------------------------|-----------------------------------------------------------------|
 * | baseline, or replaced by an older one    | yes, with the last restart, unless a person removes only that   |
 * | last restart                             | the same                                                        |
 * | marker in the template                   | if nothing else would replace the pods                          |
 * | marker, replaced by another              | no: the other marker was set on purpose                         |
 */
export function carryOver(update: WorkloadUpdate): WorkloadMarks {
  const template = update.isDeliberate ? noMarks.template : lostMarker(update);
  const annotations = lostAnnotations(update);
  return update.isDeliberate && isAllThatChanges(update, Object.keys(annotations))
    ? noMarks
    : { annotations, template };
}

/** Whether an update changes the pod template, and so replaces the pods. */
export function changesTemplate({ kind, object, oldObject }: Omit<WorkloadUpdate, 'isDeliberate'>): boolean {
  const [before, after] = [oldObject, object].map((state) => without(templateOf(kind, state), noMarks.template));
  return !sameJson(before, after);
}

function lostAnnotations({ object, oldObject }: WorkloadUpdate): WorkloadMarks['annotations'] {
  const [before, after] = [annotationsOf(oldObject), annotationsOf(object)];
  const { baseline, lastRestart } = ownAnnotations;
  const uid = textOf(fieldAt(oldObject, ['metadata', 'uid']));
  const kept = annotation(before, baseline);
  const isBaselineLost = kept !== undefined && sequenceOf(kept, uid) > sequenceOf(annotation(after, baseline), uid);
  const restart = annotation(before, lastRestart);
  const isRestartLost = restart !== undefined && (isBaselineLost || after[lastRestart] === undefined);
  return {
    ...(isBaselineLost && { [baseline]: kept }),
    ...(isRestartLost && restart !== after[lastRestart] && { [lastRestart]: restart }),
  };
}

/** -1 for a missing or unreadable baseline, and for one of another object. */
function sequenceOf(baselineText: string | undefined, uid: string | undefined): number {
  if (baselineText === undefined) return -1;
  try {
    const baseline = parseBaseline(baselineText);
    return isWrittenFor(baseline, uid) ? baseline.sequence : -1;
  } catch {
    return -1;
  }
}

function isAllThatChanges({ object, oldObject }: WorkloadUpdate, removed: readonly string[]): boolean {
  const after = annotationsOf(object);
  if (removed.length === 0 || removed.some((key) => key in after)) return false;
  const kept = Object.entries(annotationsOf(oldObject)).filter(([key]) => !removed.includes(key));
  if (!sameJson(Object.fromEntries(kept), after)) return false;
  return sameJson(objectOf(oldObject)['spec'], objectOf(object)['spec']);
}

function lostMarker({ kind, object, oldObject }: WorkloadUpdate): TemplateMarker {
  const [before, after] = [templateOf(kind, oldObject), templateOf(kind, object)];
  const marker = markerIn(before, lastRestartAt(oldObject));
  // A restart writes one marker for each source, so more markers than the budget allows are not Reroll's.
  if (marker.env.length > budgets.references) return noMarks.template;
  const remaining = annotationsOf(after);
  const variables = new Set(
    variablesOf(after).flatMap(({ container, name }) => (typeof name === 'string' ? `${container}/${name}` : [])),
  );
  const lost = {
    annotations: Object.fromEntries(Object.entries(marker.annotations).filter(([key]) => !(key in remaining))),
    env: marker.env.filter(({ container, name }) => !variables.has(`${container}/${name}`)),
  };
  if (Object.keys(lost.annotations).length + lost.env.length === 0) return noMarks.template;
  return sameJson(without(before, lost), without(after, noMarks.template)) ? lost : noMarks.template;
}

const tokens = Object.values(sourceKindNames).map(({ token }) => token);
const markerName = new RegExp(`^STAKATER_\\w*(?:${tokens.join('|')})$`);
/** Our marker, and the SHA-1 of Reloader. Any other variable was added by a person, who may remove it. */
const markerValue = new RegExp(`^(?:(?:[A-Za-z0-9_-]{${String(digestLength)}}|-)\\.[0-9a-f]+|[0-9a-f]{40})$`);

/** Whether a variable is the marker of a restart. */
export function isMarkerVariable({ name, value }: { readonly name?: unknown; readonly value?: unknown }): boolean {
  return typeof name === 'string' && typeof value === 'string' && markerName.test(name) && markerValue.test(value);
}

function markerIn(template: JsonObject, restartedAtMs: string | undefined): TemplateMarker {
  const annotations = annotationsOf(template);
  // The marker of `kubectl rollout restart` looks the same, and belongs to a person.
  const keys = [lastReloadedFrom, ...(annotations[restartedAt] === restartedAtMs ? [restartedAt] : [])];
  return {
    annotations: Object.fromEntries(
      keys.flatMap((key) => {
        const value = annotation(annotations, key);
        return value === undefined ? [] : [[key, value] as const];
      }),
    ),
    env: variablesOf(template).flatMap(({ container, index, name, value }): EnvMark[] => {
      if (typeof name !== 'string' || typeof value !== 'string') return [];
      return isMarkerVariable({ name, value }) ? [{ container, index, name, value }] : [];
    }),
  };
}

function lastRestartAt(object: unknown): string | undefined {
  const text = annotation(annotationsOf(object), ownAnnotations.lastRestart) ?? '';
  return textOf(objectOf(parsedJson(text))['at']);
}

function variablesOf(template: JsonObject) {
  return containersOf(template).flatMap((container) =>
    listOf(container['env']).map((entry, index) => {
      const { name, value } = objectOf(entry);
      return { container: textOf(container['name']) ?? '', index, name, value };
    }),
  );
}

/** The template without the markers and without empty fields, which may be missing or empty in the same template. */
function without(template: JsonObject, { annotations, env }: TemplateMarker): JsonObject {
  const kept = Object.entries(annotationsOf(template)).filter(([key]) => !(key in annotations));
  const ignored = ['annotations', 'creationTimestamp'];
  const metadata = Object.entries(objectOf(template['metadata'])).filter(([field]) => !ignored.includes(field));
  const goneOf = new Map<unknown, Set<number | undefined>>();
  for (const { container, index } of env) goneOf.set(container, (goneOf.get(container) ?? new Set()).add(index));
  const containers = containersOf(template).map(({ env: variables, ...container }) => {
    const gone = goneOf.get(container['name']);
    const rest = gone ? listOf(variables).filter((_variable, index) => !gone.has(index)) : listOf(variables);
    return { ...container, ...(rest.length > 0 && { env: rest }) };
  });
  return {
    ...template,
    metadata: { ...Object.fromEntries(metadata), ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) },
    spec: { ...objectOf(template['spec']), containers },
  };
}

function templateOf({ templatePath }: WorkloadKind, object: unknown): JsonObject {
  return objectOf(fieldAt(object, templatePath));
}

function containersOf(template: JsonObject): readonly JsonObject[] {
  return listOf(fieldAt(template, ['spec', 'containers'])).map(objectOf);
}
