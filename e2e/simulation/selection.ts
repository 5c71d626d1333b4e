import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import type { Features } from './features';

/** What selected sources and namespaces of simulated installs carry. */
export const sourceLabel = ['reload', 'yes'] as const;
export const namespaceLabel = ['env', 'prod'] as const;

/** What sources and namespaces carry that installs leave out, and how they are told to. */
export const leavingOut = { source: ['tier', 'dev'], namespace: ['frozen', 'true'] } as const;
const sourcesToKeep = 'tier notin (dev)';
const namespacesToKeep = '!frozen';

/** On the command line; undefined where nothing is selected. */
export function sourceSelectorOf({ selectsSources, leavesOutSources }: Features): string | undefined {
  return joined([...(selectsSources ? [sourceLabel.join('=')] : []), ...(leavesOutSources ? [sourcesToKeep] : [])]);
}

export function namespaceSelectorOf({ selectsNamespaces, leavesOutNamespaces }: Features): string | undefined {
  const selecting = selectsNamespaces ? [namespaceLabel.join('=')] : [];
  return joined([...selecting, ...(leavesOutNamespaces ? [namespacesToKeep] : [])]);
}

function joined(terms: readonly string[]): string | undefined {
  return terms.length === 0 ? undefined : terms.join(',');
}

function carries({ metadata: { labels = {} } }: KubeObject, [key, value]: readonly [string, string]): boolean {
  return labels[key] === value;
}

/** Whether a source is, to an install with these features, there at all. */
export function isSelectedSource(object: KubeObject, { selectsSources, leavesOutSources }: Features): boolean {
  return (!selectsSources || carries(object, sourceLabel)) && !(leavesOutSources && carries(object, leavingOut.source));
}

function isSelectedNamespace(object: KubeObject, { selectsNamespaces, leavesOutNamespaces }: Features): boolean {
  const isFrozen = object.metadata.labels?.[leavingOut.namespace[0]] !== undefined;
  return (!selectsNamespaces || carries(object, namespaceLabel)) && !(leavesOutNamespaces && isFrozen);
}

/** From a write on, a namespace is looked after or left out. */
export interface Turn {
  readonly selected: boolean;
  readonly revision: number;
  readonly atMs: number;
  /** By a label that was taken away: the server keeps no time of that. */
  readonly isRemoval: boolean;
}

/** Which namespaces an install looks after, and since when, as the server's history tells. */
export class SelectedNamespaces {
  readonly #features: Features;
  /** Oldest first; each is the other way than the one before. */
  readonly #turns = new Map<string, Turn[]>();

  constructor(features: Features) {
    this.#features = features;
  }

  add({ kind, object, previous, type, revision, atMs }: WriteRecord): void {
    if (kind.kind !== 'Namespace' || !this.#isAsked) return;
    const turns = this.#turns.get(object.metadata.name) ?? [];
    this.#turns.set(object.metadata.name, turns);
    const selected = type !== 'DELETED' && isSelectedNamespace(object, this.#features);
    if (selected === (turns.at(-1)?.selected ?? false)) return;
    const before = previous?.metadata.labels ?? {};
    const isRemoval = Object.entries(object.metadata.labels ?? {}).every(([key, value]) => before[key] === value);
    turns.push({ selected, revision, atMs, isRemoval });
  }

  isSelected(name: string): boolean {
    if (this.#features.namespacesToIgnore.includes(name)) return false;
    return !this.#isAsked || this.#turns.get(name)?.at(-1)?.selected === true;
  }

  /** Since when it is left out; undefined: it is not. */
  leftOutSinceMs(name: string): number | undefined {
    if (this.isSelected(name)) return undefined;
    return this.#features.namespacesToIgnore.includes(name) ? 0 : (this.#turns.get(name)?.at(-1)?.atMs ?? 0);
  }

  /** Since when it is looked after, if it is by its label. */
  gained(name: string): Turn | undefined {
    const newest = this.#turns.get(name)?.at(-1);
    return newest?.selected === true ? newest : undefined;
  }

  /** When it came into the selection, each time. */
  gains(name: string): readonly Turn[] {
    return (this.#turns.get(name) ?? []).filter(({ selected }) => selected);
  }

  get #isAsked(): boolean {
    return this.#features.selectsNamespaces || this.#features.leavesOutNamespaces;
  }
}
