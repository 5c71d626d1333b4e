import type { AnnotationProblem } from '../annotations/annotation-problem';
import { annotation } from '../annotations/annotations';
import { parseGoBool } from '../text/go-bool';
import { namesIn } from '../text/pattern';
import type { AutoSwitch } from '../policy/policy';
import { effectiveKey, typedKeysOf } from '../policy/policy-annotations';
import type { SourceKind } from '../sources/source';
import { sourceKinds } from '../sources/source';
import type { WorkloadSubject } from './lint-subject';
import { annotationsFor, requestingAnnotations, plural, watchedSourceKinds } from './lint-subject';

/** Whether a switch is on, for every kind of source or for this one. */
export const isAuto = (value: AutoSwitch): boolean => value === 'auto' || value === 'auto-typed';

/** Switches and lists on the pod template that are ineffective because the metadata has some. */
export function* templateOverridden(subject: WorkloadSubject): Generator<AnnotationProblem> {
  const { keys } = subject.settings;
  const typedKeys = typedKeysOf(keys);
  for (const { key, value } of requestingAnnotations({ ...subject, metadata: {} })) {
    if (annotation(subject.metadata, key) === value) continue;
    const ofKind = sourceKinds.find((kind) => [typedKeys[kind].auto, typedKeys[kind].reload].includes(key));
    const concerned = ofKind === undefined ? watchedSourceKinds(subject.settings) : [ofKind];
    const isList = ofKind !== undefined && key === typedKeys[ofKind].reload;
    // If the metadata switches the kind on, nothing is missed.
    const missed = concerned.filter(
      (kind) =>
        effectiveKey(subject.metadata, keys, typedKeys[kind]) !== undefined &&
        (isList || !isAuto(subject.spec.policy[kind].auto)),
    );
    const [first] = missed;
    if (first === undefined) continue;
    const by = effectiveKey(subject.metadata, keys, typedKeys[first]) ?? '';
    const where = missed.length === concerned.length ? '' : ` for ${missed.map(plural).join(' and ')}`;
    const message = `has no effect on the pod template${where}: the metadata has ${by}, and then it alone counts`;
    yield { code: 'overridden', key, value, message, fix: 'write it there, or remove it' };
  }
}

/** Names that are both listed and excluded, and elements of exclude lists that are not names. */
export function* excluded(subject: WorkloadSubject): Generator<AnnotationProblem> {
  for (const kind of sourceKinds) {
    const { reload, exclude } = typedKeysOf(subject.settings.keys)[kind];
    const { named, excluded: names } = subject.spec.policy[kind];
    for (const value of names) {
      if (!named.literals.has(value)) continue;
      const message = `has no effect: ${exclude} names it too, and takes precedence`;
      yield { code: 'overridden', key: reload, value, message, fix: 'remove it from one of the two' };
    }
    for (const value of namesIn(annotation(subject.metadata, exclude) ?? '')) {
      if (nameOfSource.test(value)) continue;
      const message = 'is compared literally and excludes nothing: only reload lists accept patterns';
      yield { code: 'bad-name', key: exclude, value, message, fix: 'write whole names' };
    }
  }
}

const nameOfSource = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;

/** Switches that other switches or lists make ineffective. */
export function* autoSwitches(subject: WorkloadSubject): Generator<AnnotationProblem> {
  const { keys, policy: settings } = subject.settings;
  for (const kind of sourceKinds) {
    const written = annotationsFor(subject, kind);
    const typed = typedKeysOf(keys)[kind];
    const value = annotation(written, typed.auto);
    if (value === undefined || parseGoBool(value) !== false || subject.spec.policy[kind].auto !== 'auto') continue;
    const message = `has no effect: ${keys.auto} switches every kind on`;
    yield {
      code: 'overridden',
      key: typed.auto,
      value,
      message,
      fix: 'replace that by the switches of the kinds you want',
    };
  }
  const off = settings.autoReloadAll ? undefined : offSwitch(subject);
  // The switch on the metadata makes those on the pod template ineffective, whatever it says.
  const isOwn = annotation(subject.metadata, keys.auto) !== undefined;
  const asking = requestingAnnotations(isOwn ? { ...subject, template: {} } : subject);
  const stillOn = off && asking.find(({ key }) => key !== keys.auto);
  if (off && stillOn) {
    const message = `switches nothing off: ${stillOn.key} still counts`;
    yield {
      code: 'overridden',
      key: keys.auto,
      value: off,
      message,
      fix: 'remove that to switch restarts off, or this',
    };
  }
  const search = annotation(subject.metadata, keys.search) ?? annotation(subject.template, keys.search);
  const everything = sourceKinds.every((kind) => countsAllUsed(subject, kind));
  if (search === 'true' && everything) {
    const message = 'adds nothing: the workload restarts for every source that it uses';
    const fix = settings.autoReloadAll ? 'remove it' : `remove it, or ${keys.auto}`;
    yield { code: 'overridden', key: keys.search, value: search, message, fix };
  }
}

/** The value of the untyped switch, if it is meant to switch restarts off. */
function offSwitch({ settings: { keys }, metadata, template }: WorkloadSubject): string | undefined {
  const value = annotation(metadata, keys.auto) ?? annotation(template, keys.auto);
  return value !== undefined && parseGoBool(value) === false ? value : undefined;
}

/** Whether every source of that kind that the workload uses counts, without a list or a search. */
export function countsAllUsed({ spec, settings }: WorkloadSubject, kind: SourceKind): boolean {
  const { auto } = spec.policy[kind];
  return isAuto(auto) || (auto === 'unset' && settings.policy.autoReloadAll);
}

/** A list of names beside a switch looks as if it limited the switch, but it does not. */
export function* listBesideAuto(subject: WorkloadSubject): Generator<AnnotationProblem> {
  const { keys } = subject.settings;
  for (const kind of sourceKinds) {
    const { named, auto, leftOut, excluded: names } = subject.spec.policy[kind];
    if (leftOut || !isAuto(auto) || named.isEmpty || named.hasPatterns) continue;
    const ofKind = subject.spec.references.filter((reference) => reference.kind === kind);
    const used = new Set(ofKind.map(({ name }) => name));
    const more = [...used].find((name) => !named.matches(name) && !names.has(name));
    // Names that the template does not use are a reason to have both.
    if (more === undefined || ![...named.literals].every((name) => used.has(name))) continue;
    const { reload, auto: typedAuto } = typedKeysOf(keys)[kind];
    const by = auto === 'auto' ? keys.auto : typedAuto;
    const value = annotation(annotationsFor(subject, kind), reload);
    const message = `does not narrow ${by}: other ${plural(kind)} that are used count too`;
    yield { code: 'overridden', key: reload, value, message, fix: 'remove one of the two' };
  }
}
