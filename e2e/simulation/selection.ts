import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import type { Features } from './features';
import { isWatchedKind, isWatchedNamespace } from './scope-world';

/** The labels by which simulated installs select sources and namespaces. */
export const sourceLabel = ['reload', 'yes'] as const;
export const namespaceLabel = ['env', 'prod'] as const;

/** The labels of the sources and namespaces that installs leave out, and the selectors for that. */
export const leavingOut = { source: ['tier', 'dev'], namespace: ['frozen', 'true'] } as const;
const sourcesToKeep = 'tier notin (dev)';
const namespacesToKeep = '!frozen';

/** The selector for the command line; undefined if labels do not matter. */
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

/**
 * Whether the source exists at all for an install with these features. What the CSI driver mounts is not selected by labels:
 * the driver sets those of its statuses.
 */
export function isSelectedSource(object: KubeObject, features: Features): boolean {
  if (object.kind === 'SecretProviderClass') return true;
  if (!isWatchedKind(features, object)) return false;
  const { selectsSources, leavesOutSources } = features;
  return (!selectsSources || carries(object, sourceLabel)) && !(leavesOutSources && carries(object, leavingOut.source));
}

function isSelectedNamespace(object: KubeObject, { selectsNamespaces, leavesOutNamespaces }: Features): boolean {
  const isFrozen = object.metadata.labels?.[leavingOut.namespace[0]] !== undefined;
  return (!selectsNamespaces || carries(object, namespaceLabel)) && !(leavesOutNamespaces && isFrozen);
}

/** A write that selected or deselected a namespace. */
export interface Turn {
  readonly selected: boolean;
  readonly revision: number;
  readonly atMs: number;
  /** No label was set, only removed. The server keeps no time for that. */
  readonly isRemoval: boolean;
}

/** Which namespaces an install selects, and since when, from the server's history. */
export class SelectedNamespaces {
  readonly #features: Features;
  /** Oldest first; `selected` alternates. */
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
    if (this.#isOutside(name)) return false;
    return !this.#isAsked || this.#turns.get(name)?.at(-1)?.selected === true;
  }

  /** Since when the namespace is left out; undefined if it is not. */
  leftOutSinceMs(name: string): number | undefined {
    if (this.isSelected(name)) return undefined;
    return this.#isOutside(name) ? 0 : (this.#turns.get(name)?.at(-1)?.atMs ?? 0);
  }

  /** The turn since which the namespace is selected by its labels; undefined if it is not. */
  gained(name: string): Turn | undefined {
    const newest = this.#turns.get(name)?.at(-1);
    return newest?.selected === true ? newest : undefined;
  }

  /** Every turn that brought the namespace into the selection. */
  gains(name: string): readonly Turn[] {
    return (this.#turns.get(name) ?? []).filter(({ selected }) => selected);
  }

  /**
   * The last gain until `decidedMs` before which a process that has seen all until `shownMs` knew that the namespace was
   * left out. If it has seen neither that nor the gain, the namespace has always been selected to it.
   */
  knownGain(name: string, decidedMs: number, shownMs: number): Turn | undefined {
    const turns = this.#turns.get(name) ?? [];
    const isKnown = (index: number): boolean => (turns[index - 1]?.atMs ?? -Infinity) <= shownMs;
    return turns.findLast(({ selected, atMs }, index) => selected && atMs <= decidedMs && isKnown(index));
  }

  /** Whether it is left out by its name. */
  #isOutside(name: string): boolean {
    return this.#features.namespacesToIgnore.includes(name) || !isWatchedNamespace(this.#features, name);
  }

  get #isAsked(): boolean {
    return this.#features.selectsNamespaces || this.#features.leavesOutNamespaces;
  }
}
