import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import type { Keys, SourceName } from './contents';
import { contentKeys } from './places';

export const keysAnnotation = 'reroll.dev/keys';
export const compareAnnotation = 'reroll.dev/compare';

/** The key whose content is JSON. */
export const jsonKey = 'settings.json';
const every: readonly string[] = [...contentKeys, jsonKey];

/** The lists that simulated users write, with the keys that count. Lists that cannot be read let every key count. */
const lists: ReadonlyMap<string, readonly string[] | 'unreadable'> = new Map<string, readonly string[] | 'unreadable'>([
  ['color', ['color']],
  ['color, size', ['color', 'size']],
  ['!token', every.filter((key) => key !== 'token')],
  ['!s*', ['color', 'token']],
  ['c?lor,*.json', ['color', jsonKey]],
  ['*', every],
  ['(color)', 'unreadable'],
]);
export const writtenLists = [...lists.keys()];

/** What counts of the keys that a workload uses. */
export function countedKeys(used: Keys, list: string | undefined): Keys {
  const counted = list === undefined ? undefined : lists.get(list);
  if (counted === undefined || counted === 'unreadable') return used;
  return new Set(used === 'all' ? counted : counted.filter((key) => used.has(key)));
}

export function listOf(object: KubeObject): string | undefined {
  return object.metadata.annotations?.[keysAnnotation];
}

/** A write that changed what counts of a source. */
interface Turn {
  readonly revision: number;
  readonly atMs: number;
  readonly list: string | undefined;
  readonly isParsed: boolean;
}

/** What sources say about their keys, at each revision. */
export class SourceLists {
  readonly #turns = new Map<SourceName, Turn[]>();

  /** A deleted source keeps its last annotations. */
  add({ kind, key, type, object, revision, atMs }: WriteRecord): void {
    if ((kind.kind !== 'ConfigMap' && kind.kind !== 'Secret') || type === 'DELETED') return;
    const source = `${kind.kind} ${key}`;
    const turn = {
      ...{ revision, atMs, list: listOf(object) },
      isParsed: object.metadata.annotations?.[compareAnnotation] === 'parsed',
    };
    const before = this.at(source, revision);
    if (before?.list === turn.list && (before?.isParsed ?? false) === turn.isParsed) return;
    this.#turns.set(source, [...this.turns(source), turn]);
  }

  /** Oldest first. Before the first turn, every key counts by its bytes. */
  turns(source: SourceName): readonly Turn[] {
    return this.#turns.get(source) ?? [];
  }

  at(source: SourceName, revision: number): Turn | undefined {
    return this.turns(source).findLast((turn) => turn.revision <= revision);
  }

  /** Whether the source was compared parsed all the time from one revision to another. */
  isParsedSince(source: SourceName, from: number, to: number): boolean {
    const since = this.turns(source).filter(({ revision }) => revision > from && revision <= to);
    return [this.at(source, from), ...since].every((turn) => turn?.isParsed === true);
  }
}
