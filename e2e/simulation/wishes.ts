import type { KubeObject } from '../apiserver/objects';

const prefix = 'reloader.stakater.com/';

/** The kinds of sources, and their names in annotations. */
const kinds = [
  { kind: 'ConfigMap', typed: 'configmap', excluding: 'configmaps' },
  { kind: 'Secret', typed: 'secret', excluding: 'secrets' },
  { kind: 'SecretProviderClass', typed: 'secretproviderclass', excluding: 'secretproviderclasses' },
] as const;

const autoAnnotation = `${prefix}auto`;
const searchAnnotation = `${prefix}search`;

/** Every annotation of a workload that decides which sources restart it. */
export const policyAnnotations: readonly string[] = [
  autoAnnotation,
  searchAnnotation,
  ...kinds.flatMap(({ typed, excluding }) => [
    `${typed}.${prefix}reload`,
    `${typed}.${prefix}auto`,
    `${excluding}.exclude.${prefix}reload`,
  ]),
];

/** What a workload asks for from the sources of one kind. */
export interface Wish {
  readonly kind: string;
  /** Names and patterns. A source that they match counts, whether the workload uses it or not. */
  readonly named: readonly string[];
  readonly excluded: readonly string[];
  /** Counts every source that it uses and that has the `match` annotation. */
  readonly searches: boolean;
  /** Counts every source that it uses. */
  readonly isAuto: boolean;
}

/** The judge's own reading of the annotations that simulated users write. */
export function wishesOf(object: KubeObject, autoReloadAll: boolean): readonly Wish[] {
  // A Job that a CronJob owns is handled by way of the CronJob.
  if (object.kind === 'Job' && object.metadata.ownerReferences !== undefined) return [];
  const { annotations = {} } = object.metadata;
  return kinds.map(({ kind, typed, excluding }) => {
    const switches = [annotations[autoAnnotation], annotations[`${typed}.${prefix}auto`]];
    const isSilent = switches.every((value) => (value ?? '') === '');
    return {
      kind,
      named: listOf(annotations[`${typed}.${prefix}reload`]),
      excluded: listOf(annotations[`${excluding}.exclude.${prefix}reload`]),
      searches: annotations[searchAnnotation] === 'true',
      isAuto: switches.includes('true') || (isSilent && autoReloadAll),
    };
  });
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(',');
}

/** Whether the entry is more than a plain name. */
export function isPattern(entry: string): boolean {
  return !/^[-.\w]+$/.test(entry);
}

/** Whether an annotation excludes sources and asks for none. */
export function isExclusion(name: string): boolean {
  return name.includes('.exclude.');
}
