import { annotationsOf, sourceFlags } from '../../shared/domain/annotations/annotations';
import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import type { KnownSources } from '../../shared/domain/lint/known-sources';
import { watchedSourceKinds, type LintSettings, type WorkloadSubject } from '../../shared/domain/lint/lint-subject';
import {
  findSourceKind,
  sourceId,
  sourceKey,
  type SourceKey,
  type SourceKind,
  type SourceRef,
} from '../../shared/domain/sources/source';
import type { Manifest } from './manifests';

type Flags = ReturnType<typeof sourceFlags>;

/**
 * The ConfigMaps, Secrets and SecretProviderClasses among the manifests. The cluster has others, so these prove the
 * effect of their own annotations, but never that a source is missing.
 */
export class ManifestSources {
  readonly #settings: LintSettings;
  /** Undefined for a source that is there twice with different flags, as in two overlays. */
  readonly #sources = new Map<SourceKey, Flags | undefined>();

  constructor(manifests: readonly Manifest[], settings: LintSettings) {
    this.#settings = settings;
    for (const { group, kind: written, namespace, object } of manifests) {
      const kind = findSourceKind(group, written);
      const name = textOf(fieldAt(object, ['metadata', 'name']));
      if (kind === undefined || name === undefined) continue;
      const key = sourceKey({ kind, namespace, name });
      const flags = sourceFlags(annotationsOf(object), settings.keys);
      this.#sources.set(key, this.#sources.has(key) ? same(this.#sources.get(key), flags) : flags);
    }
  }

  /** Whether the source is among the manifests. */
  has(source: SourceRef): boolean {
    return this.#sources.has(sourceKey(source));
  }

  /** Undefined for a source that is not among the manifests, or is there twice with different flags. */
  flagsOf(source: SourceRef): Flags | undefined {
    return this.#sources.get(sourceKey(source));
  }

  /**
   * The sources known for a workload. A kind is known unless the workload searches a source of that kind whose flags
   * are not known.
   */
  knownTo({ spec, write: { namespace } }: WorkloadSubject): KnownSources {
    const kinds = watchedSourceKinds(this.#settings);
    const flagsOf = (kind: SourceKind, name: string): Flags | undefined => this.flagsOf({ kind, namespace, name });
    const searched = spec.references.filter(({ kind }) => spec.policy[kind].search);
    const unknown = searched.filter(({ kind, name }) => flagsOf(kind, name) === undefined).map(({ kind }) => kind);
    const listed = kinds.flatMap((kind) => [...spec.policy[kind].named.literals].map((name) => ({ kind, name })));
    const named = [...listed, ...searched].flatMap(({ kind, name }) => {
      const flags = flagsOf(kind, name);
      return flags ? [[sourceId({ kind, name }), flags] as const] : [];
    });
    return { kinds: new Set(kinds.filter((kind) => !unknown.includes(kind))), named: new Map(named) };
  }
}

function same(one: Flags | undefined, other: Flags): Flags | undefined {
  return one?.ignore === other.ignore && one.match === other.match ? other : undefined;
}
