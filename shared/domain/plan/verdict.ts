import type { Comparison } from '../baseline/comparison';
import type { DecisionReason } from '../policy/policy';
import type { LocalSourceRef, SourceId } from '../sources/source';

/** What was concluded of one source, and why. */
export interface Verdict extends LocalSourceRef {
  readonly id: SourceId;
  /** Where a marker for it goes. */
  readonly container: string | undefined;
  /** Digest of its whole content; undefined where it does not exist, or is not read. */
  readonly whole: string | undefined;
  /** Whether the source exists, as far as the index knows. */
  readonly exists: boolean;
  readonly decision: DecisionReason | 'not-watched';
  /** Undefined where the decision ends it. */
  readonly comparison: Comparison | undefined;
  /** What it holds, or held, is to be read first. */
  readonly needsContent?: true;
  /** Its own annotations kept its deletion from counting: that is recorded, for soon nobody remembers what they said. */
  readonly deletionIgnored?: true;
  /** The workload uses some of its keys, and all of them count: there are too many to tell them apart. */
  readonly tooManyKeys?: true;
}
