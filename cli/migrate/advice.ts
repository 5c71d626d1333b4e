import { annotation } from '../../shared/domain/annotations/annotations';
import type { MigrationSubject } from './migration-subject';

/** A line to write into a manifest, or to remove from it. */
export interface Edit {
  readonly action: 'write' | 'remove';
  /** The fields that lead to the line's parent. */
  readonly under: readonly string[];
  /** One line of YAML. A removal names only the key, so that no value of a hash is shown. */
  readonly line: string;
}

/** What is different for one workload. All texts are whole sentences. */
export interface Advice {
  /** The field that causes it; undefined: the workload as a whole. */
  readonly at: readonly string[] | undefined;
  readonly today: string;
  readonly here: string;
  readonly fix: string;
  readonly edits: readonly Edit[];
}

/** Annotations stand on the workload itself or on its pod template. */
export type Place = 'metadata' | 'template';

const places: readonly Place[] = ['metadata', 'template'];

/** The path of a place's annotations. */
export function annotationsPath({ kind }: Pick<MigrationSubject, 'kind'>, place: Place): readonly string[] {
  return [...(place === 'template' ? kind.templatePath : []), 'metadata', 'annotations'];
}

/** The path of an annotation, on the metadata if it is on both places; undefined if it is on neither. */
export function pathOf(subject: MigrationSubject, key: string): readonly string[] | undefined {
  const place = places.find((each) => annotation(subject[each], key) !== undefined);
  return place && [...annotationsPath(subject, place), key];
}

/** Writes an annotation, or replaces its value. */
export function write(subject: MigrationSubject, key: string, value: string, place: Place = 'metadata'): Edit {
  return { action: 'write', under: annotationsPath(subject, place), line: `${key}: ${JSON.stringify(value)}` };
}

/** Removes annotations from every place on which they are. */
export function remove(
  subject: MigrationSubject,
  keys: readonly string[],
  from: readonly Place[] = places,
): readonly Edit[] {
  return from.flatMap((place) =>
    keys
      .filter((key) => annotation(subject[place], key) !== undefined)
      .map((line): Edit => ({ action: 'remove', under: annotationsPath(subject, place), line })),
  );
}
