import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import type { Features } from './features';

/** What selected sources and namespaces of simulated installs carry. */
export const sourceLabel = ['reload', 'yes'] as const;
export const namespaceLabel = ['env', 'prod'] as const;

function carries({ metadata: { labels = {} } }: KubeObject, [key, value]: readonly [string, string]): boolean {
  return labels[key] === value;
}

/** Whether a source is, to an install with these features, there at all. */
export function isSelectedSource(object: KubeObject, { selectsSources }: Features): boolean {
  return !selectsSources || carries(object, sourceLabel);
}

interface Turn {
  readonly selected: boolean;
  readonly revision: number;
  readonly atMs: number;
}

/** Which namespaces an install looks after, and since when, as the server's history tells. */
export class SelectedNamespaces {
  readonly #features: Features;
  /** Oldest first; each is the other way than the one before. */
  readonly #turns = new Map<string, Turn[]>();

  constructor(features: Features) {
    this.#features = features;
  }

  add({ kind, object, type, revision, atMs }: WriteRecord): void {
    if (kind.kind !== 'Namespace' || !this.#features.selectsNamespaces) return;
    const turns = this.#turns.get(object.metadata.name) ?? [];
    this.#turns.set(object.metadata.name, turns);
    const selected = type !== 'DELETED' && carries(object, namespaceLabel);
    if (selected !== (turns.at(-1)?.selected ?? false)) turns.push({ selected, revision, atMs });
  }

  isSelected(name: string): boolean {
    if (this.#features.namespacesToIgnore.includes(name)) return false;
    return !this.#features.selectsNamespaces || this.#turns.get(name)?.at(-1)?.selected === true;
  }

  /** Since when it is left out; undefined: it is not. */
  leftOutSinceMs(name: string): number | undefined {
    if (this.isSelected(name)) return undefined;
    return this.#features.namespacesToIgnore.includes(name) ? 0 : (this.#turns.get(name)?.at(-1)?.atMs ?? 0);
  }

  /** Since when it is looked after, if it is by its label. */
  gainedMs(name: string): number | undefined {
    const newest = this.#turns.get(name)?.at(-1);
    return newest?.selected === true ? newest.atMs : undefined;
  }

  /** When it came into the selection, each time. */
  gains(name: string): readonly number[] {
    return (this.#turns.get(name) ?? []).flatMap(({ selected, revision }) => (selected ? [revision] : []));
  }
}
