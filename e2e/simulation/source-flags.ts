import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import type { SourceName } from './contents';
import type { Use } from './usage';

export const ignoreAnnotation = 'reloader.stakater.com/ignore';
export const matchAnnotation = 'reloader.stakater.com/match';

/** The annotations of a source about itself. */
export interface Flags {
  readonly ignored: boolean;
  readonly matches: boolean;
}

const silent: Flags = { ignored: false, matches: false };

/** A write that changed the flags of a source. */
interface Turn extends Flags {
  readonly revision: number;
  readonly atMs: number;
}

/** The flags of all sources at each revision, from the server's history. */
export class SourceFlags {
  readonly #turns = new Map<SourceName, Turn[]>();

  /** A deleted source keeps its last flags. */
  add({ kind, key, type, object, revision, atMs }: WriteRecord): void {
    if ((kind.kind !== 'ConfigMap' && kind.kind !== 'Secret') || type === 'DELETED') return;
    const source = `${kind.kind} ${key}`;
    const now = flagsOf(object);
    const before = this.#turns.get(source)?.at(-1) ?? silent;
    if (now.ignored === before.ignored && now.matches === before.matches) return;
    this.#turns.set(source, [...this.turns(source), { ...now, revision, atMs }]);
  }

  /** Oldest first. Before the first turn, no flag is set. */
  turns(source: SourceName): readonly Turn[] {
    return this.#turns.get(source) ?? [];
  }

  counts(source: SourceName, use: Use | undefined, revision: number): boolean {
    const turn = this.#turns.get(source)?.findLast((each) => each.revision <= revision);
    return countsWith(use, turn ?? silent);
  }

  /** Whether the source counted at any time since `sinceMs`, and so may count for a process that is that far behind. */
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
