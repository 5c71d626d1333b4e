import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import type { SourceName } from './contents';
import type { Use } from './usage';

export const ignoreAnnotation = 'reloader.stakater.com/ignore';
export const matchAnnotation = 'reloader.stakater.com/match';

/** What a source says of itself. */
export interface Flags {
  readonly ignored: boolean;
  readonly matches: boolean;
}

const silent: Flags = { ignored: false, matches: false };

/** From a write on, a source says something else than before. */
interface Turn extends Flags {
  readonly revision: number;
  readonly atMs: number;
}

/** What sources said of themselves at each moment, as the server's history tells. */
export class SourceFlags {
  readonly #turns = new Map<SourceName, Turn[]>();

  /** What is gone has said what it said last. */
  add({ kind, key, type, object, revision, atMs }: WriteRecord): void {
    if ((kind.kind !== 'ConfigMap' && kind.kind !== 'Secret') || type === 'DELETED') return;
    const source = `${kind.kind} ${key}`;
    const now = flagsOf(object);
    const before = this.#turns.get(source)?.at(-1) ?? silent;
    if (now.ignored === before.ignored && now.matches === before.matches) return;
    this.#turns.set(source, [...this.turns(source), { ...now, revision, atMs }]);
  }

  /** Oldest first; at first nothing is said. */
  turns(source: SourceName): readonly Turn[] {
    return this.#turns.get(source) ?? [];
  }

  counts(source: SourceName, use: Use | undefined, revision: number): boolean {
    const turn = this.#turns.get(source)?.findLast((each) => each.revision <= revision);
    return countsWith(use, turn ?? silent);
  }

  /** Whether the source may have counted to who was behind by so long. */
  countedSince(source: SourceName, use: Use, sinceMs: number): boolean {
    const turns = this.turns(source);
    return [silent, ...turns].some(
      (flags, index) => (turns[index]?.atMs ?? Infinity) >= sinceMs && countsWith(use, flags),
    );
  }
}

export function flagsOf({ metadata: { annotations = {} } }: KubeObject): Flags {
  return { ignored: annotations[ignoreAnnotation] === 'true', matches: annotations[matchAnnotation] === 'true' };
}

function countsWith(use: Use | undefined, { ignored, matches }: Flags): boolean {
  return use !== undefined && !ignored && (matches || !use.ifMatched);
}
