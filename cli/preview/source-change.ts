import { readGateSettings, type GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { sourceFlags, type AnnotationKeys } from '../../shared/domain/annotations/annotations';
import { compare, type Comparison } from '../../shared/domain/baseline/comparison';
import { recordedOf } from '../../shared/domain/baseline/recorded';
import type { Labels } from '../../shared/domain/kubernetes/selector';
import {
  ContentDigester,
  everyKey,
  type CanonicalForms,
  type ContentDigest,
} from '../../shared/domain/sources/content-digest';
import type { CountedKeys } from '../../shared/domain/sources/counted-keys';
import type { SourceFlags, SourceRef } from '../../shared/domain/sources/source';
import type { Random } from '../../shared/runtime/random';
import type { SourceObject } from './source-object';

/** A source before or after the change, without its content. */
export interface SourceSide {
  /** Under a key that ends with this process. */
  readonly content: ContentDigest;
  /** Undefined: they may not be read, and the change leaves them as they are. */
  readonly flags: SourceFlags | undefined;
  /** Undefined likewise. */
  readonly labels: Labels | undefined;
  /** When a change of it may restart workloads; undefined: it does not say, or it may not be read. */
  readonly gates: GateSettings | undefined;
}

/** A change of a source that is not made. */
export interface SourceChange {
  readonly source: SourceRef;
  /** Undefined: there is no such source. */
  readonly before: SourceSide | undefined;
  /** Undefined: it would be deleted. */
  readonly after: SourceSide | undefined;
  /** The right without which the stored content is not known, and all that is touched counts as changed. */
  readonly missingRight: string | undefined;
  /** Why the API server would refuse the change, behind the name of the source; undefined: it would not. */
  readonly refusal: string | undefined;
}

/** A comparison whose inputs are known, so it has a result. */
export type KnownComparison = Pick<Comparison, 'restart' | 'because' | 'changedKeys' | 'tooManyKeys'>;

/** Makes changes of sources out of their contents, and lets go of the contents. */
export class SourceChanges {
  readonly #digester: ContentDigester;
  readonly #keys: AnnotationKeys;

  constructor(random: Random, keys: AnnotationKeys, forms: CanonicalForms) {
    this.#digester = new ContentDigester(random.bytes(32), undefined, forms);
    this.#keys = keys;
  }

  /** The change from one object to another, either of which may be missing. */
  between(source: SourceRef, before: SourceObject | undefined, after: SourceObject | undefined): SourceChange {
    const [then, now] = [before && this.#side(source, before), after && this.#side(source, after)];
    // Nor may it become mutable again.
    const isAltered = now !== undefined && (then?.content.equals(now.content) === false || !after?.isImmutable);
    const isFixed = before?.isImmutable === true && isAltered;
    const refusal = isFixed ? 'is immutable; delete it and create it again' : undefined;
    return { source, before: then, after: now, missingRight: undefined, refusal };
  }

  /** A change of an object that may not be read: all keys that are touched count as changed. */
  assumed(
    source: SourceRef,
    missingRight: string,
    {
      touched,
      manifest,
      isDeletion,
    }: {
      readonly touched: readonly string[] | 'all';
      /** The object after the change, as far as a manifest tells. */
      readonly manifest: SourceObject | undefined;
      readonly isDeletion: boolean;
    },
  ): SourceChange {
    const known = manifest && this.#side(source, manifest);
    const side = (content: string): SourceSide => ({
      content: this.#digester.digest(
        source,
        (touched === 'all' ? [everyKey] : touched).map((key) => [key, Buffer.from(content)] as const),
      ),
      flags: known?.flags,
      labels: known?.labels,
      gates: known?.gates,
    });
    return {
      source,
      before: side('before'),
      after: isDeletion ? undefined : side('after'),
      missingRight,
      refusal: undefined,
    };
  }

  #side(source: SourceRef, { content, annotations, labels }: SourceObject): SourceSide {
    const gates = readGateSettings(annotations, 'source').settings;
    return {
      content: this.#digester.digest(source, content, gates?.compare === 'parsed'),
      flags: sourceFlags(annotations, this.#keys),
      gates,
      labels,
    };
  }
}

/** The keys that the change adds, removes or gives another value; `*` if they cannot be told apart. */
export function changedKeys({ before, after }: Pick<SourceChange, 'before' | 'after'>): readonly string[] {
  if (before && after) return before.content.differingKeys(after.content);
  return (before ?? after)?.content.keyNames ?? [];
}

/** Compares as the leader does: what the pods of an up-to-date workload run with, and the source after the change. */
export function compareKeys(
  { before, after }: Pick<SourceChange, 'before' | 'after'>,
  keys: CountedKeys,
  settings: { readonly reloadOnCreate: boolean; readonly reloadOnDelete: boolean },
): KnownComparison {
  const compared = compare({
    ...settings,
    keys,
    recorded: recordedOf(before?.content, keys),
    current: after?.content,
    inForce: () => ({ content: before?.content }),
    whenCounted: () => ({ content: before?.content }),
    atBirth: () => 'unknown',
    formerContent: () => before?.content,
    firstContent: () => after?.content,
  });
  // All contents are at hand, so none must be read first.
  return compared === 'metadata-only' ? { restart: true, because: 'in-doubt' } : compared;
}
