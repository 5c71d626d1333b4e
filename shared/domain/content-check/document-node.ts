import { RerollError } from '../errors';

/** A value in a parsed document, with its position. Schemas are compared with these, whatever the format. */
export type DocumentNode = ScalarNode | ListNode | MapNode;

export interface ScalarNode extends Placed {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
}

export interface ListNode extends Placed {
  readonly kind: 'list';
  readonly items: readonly DocumentNode[];
}

export interface MapNode extends Placed {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, MapEntry>;
}

export interface MapEntry {
  readonly keyOffset: number;
  readonly value: DocumentNode;
}

interface Placed {
  /** Offset of the first character in the text. */
  readonly offset: number;
}

/** Where and why a text is invalid, without any of the text. */
export interface ContentFault {
  /** In UTF-16 code units from the start of the text. */
  readonly offset: number;
  /** One of a fixed set of texts: parsers quote their input, and the input may be a Secret. */
  readonly reason: string;
}

/** The result of parsing a text. */
export type ParsedContent =
  | { readonly fault: ContentFault }
  | {
      readonly fault?: undefined;
      /** Built on demand, because only schemas need them. A YAML stream has any number of documents. */
      readonly documents: () => readonly DocumentNode[];
    };

/** Parses a text of one format to find its faults. */
export type ContentParser = (text: string) => ParsedContent;

/**
 * The maximum nesting of a text. Parsers recurse for each level. When V8 compiles a regular expression near the end of
 * the stack, it ends the process instead of throwing, and nothing can catch that.
 */
export const maxNesting = 256;

/** A text is nested deeper than {@link maxNesting}. */
export class NestingError extends RerollError {
  /** Where that was noticed, or the start of the text. */
  readonly offset: number;

  constructor(offset = 0) {
    super(`nested more than ${maxNesting} levels deep`, { code: 'CONTENT_TOO_DEEP' });
    this.offset = offset;
  }
}
