import type { KubeObject } from '../apiserver/objects';

const prefix = 'reloader.stakater.com/';

/** Kinds of sources, and how annotations call them. */
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

/** What a workload asks for of the sources of one kind. */
export interface Wish {
  readonly kind: string;
  /** Names and patterns: what they match counts, used or not. */
  readonly named: readonly string[];
  readonly excluded: readonly string[];
  /** Of what it uses, whatever says that it matches. */
  readonly searches: boolean;
  /** Everything that it uses. */
  readonly isAuto: boolean;
}

/** The judge's own reading of the annotations that simulated users write. */
export function wishesOf(object: KubeObject, autoReloadAll: boolean): readonly Wish[] {
  // A Job of a CronJob is the business of that one.
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

/** What is not simply a name. */
export function isPattern(entry: string): boolean {
  return !/^[-.\w]+$/.test(entry);
}

/** Whether an annotation takes sources out, and asks for none. */
export function isExclusion(name: string): boolean {
  return name.includes('.exclude.');
}
