import type { Comparison } from '../baseline/comparison';
import type { DecisionReason } from '../policy/policy';
import type { LocalSourceRef, SourceId } from '../sources/source';
import type { NearestFilter } from './nearest-filter';

/** The conclusion about one source, and the reason. */
export interface Verdict extends LocalSourceRef {
  readonly id: SourceId;
  /** The container that gets the source's marker. */
  readonly container: string | undefined;
  /** Digest of its whole content; undefined if it does not exist or was not read. */
  readonly whole: string | undefined;
  /** The uid of the source; undefined if it does not exist. */
  readonly uid: string | undefined;
  /** The version of the source; undefined if it does not exist. */
  readonly version: string | undefined;
  /** Whether the source exists, as far as the index knows. */
  readonly exists: boolean;
  readonly decision: DecisionReason | 'not-watched';
  /** Undefined if nothing was compared: the decision alone rules out a restart, or a content must be read first. */
  readonly comparison: Comparison | undefined;
  /**
   * The verdict is preliminary: its current or a former content must be read first, or its versions must be asked
   * about.
   */
  readonly needsContent?: true;
  /**
   * Its own annotations kept its deletion from counting. The deletion is recorded, because those annotations are
   * forgotten within minutes, and then it would count.
   */
  readonly deletionIgnored?: true;
  /** The list that says which of its keys count; undefined: all that the workload uses. */
  readonly filtered?: NearestFilter;
  /** It is compared by what its readers see, and not by its bytes. */
  readonly isParsed?: true;
  /** Only some of its keys are to count, but every key does: there are too many to distinguish them. */
  readonly tooManyKeys?: true;
}
