import type { AnnotationProblem } from './annotation-problem';
import type { AnnotationKeys, Annotations } from './annotations';
import { annotation, defaultAnnotationKeys, lastReloadedFrom, ownAnnotations, ownPrefix } from './annotations';
import { parseGoBool } from './go-bool';

const reloaderDomain = /^(?:[a-z.-]+\.)?reloader\.stakater\.com\//;
const ownKeys: readonly string[] = Object.values(ownAnnotations);
const reloaderKeys: readonly string[] = Object.values<string>({ ...defaultAnnotationKeys, lastReloadedFrom });

/**
 * Annotations of a workload that do nothing where they stand, though somebody wrote them to do something: unknown
 * keys, keys in the wrong place, values that switch nothing on.
 */
export function reviewAnnotations(
  metadata: Annotations,
  template: Annotations,
  keys: AnnotationKeys,
): readonly AnnotationProblem[] {
  return [...reviewPlace(metadata, template, keys), ...reviewNames(metadata, keys), ...reviewSwitches(metadata, keys)];
}

function* reviewPlace(
  metadata: Annotations,
  template: Annotations,
  keys: AnnotationKeys,
): Generator<AnnotationProblem> {
  // Read from the changed source alone; here it looks as if it switched the workload off.
  const value = annotation(metadata, keys.ignore);
  if (value !== undefined) {
    const fix = `to switch restarts off, remove what switches them on, or list sources in ${keys.configMapExclude} and ${keys.secretExclude}`;
    yield { key: keys.ignore, value, message: 'counts on a source only and has no effect on a workload', fix };
  }
  const metadataOnly = [keys.configMapExclude, keys.secretExclude, keys.secretProviderClassExclude, keys.pausePeriod];
  for (const key of Object.keys(template)) {
    if (!key.startsWith(ownPrefix) && !metadataOnly.includes(key)) continue;
    const value = annotation(template, key) ?? '';
    yield { key, value, message: 'has no effect on a pod template', fix: "move it to the workload's own metadata" };
  }
}

function* reviewNames(metadata: Annotations, keys: AnnotationKeys): Generator<AnnotationProblem> {
  for (const key of Object.keys(metadata)) {
    const known = key.startsWith(ownPrefix) ? ownKeys : reloaderDomain.test(key) ? reloaderKeys : undefined;
    // A default name that a flag has replaced may be meant for another install.
    if (known === undefined || known.includes(key) || Object.values<string>({ ...keys }).includes(key)) continue;
    const meant = known.find((each) => withoutPlural(each) === withoutPlural(key));
    const fix = meant === undefined ? `use one of ${known.join(', ')}` : `write ${meant}`;
    yield { key, value: annotation(metadata, key) ?? '', message: 'is not a known annotation and has no effect', fix };
  }
}

/** Reloader writes `configmap.` in most keys and `configmaps.` in some, which is what people confuse. */
function withoutPlural(key: string): string {
  return key.replace(/^(configmap|secret)s\./, '$1.').replace(/^secretproviderclasses\./, 'secretproviderclass.');
}

function* reviewSwitches(metadata: Annotations, keys: AnnotationKeys): Generator<AnnotationProblem> {
  for (const key of [keys.auto, keys.configMapAuto, keys.secretAuto, keys.secretProviderClassAuto]) {
    const value = annotation(metadata, key);
    if (value === undefined || value === '' || parseGoBool(value) !== undefined) continue;
    yield { key, value, message: 'is not a boolean and counts as "false"', fix: 'write "true" or "false"' };
  }
  const search = annotation(metadata, keys.search);
  if (search !== undefined && search !== 'true' && parseGoBool(search) !== false && search !== '') {
    yield { key: keys.search, value: search, message: 'is not exactly "true" and has no effect', fix: 'write "true"' };
  }
}
