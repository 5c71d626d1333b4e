/** A value of a parsed document, with the place where it stands: what a schema is compared with, whatever the format. */
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
  /** Of the first character, in the text. */
  readonly offset: number;
}

/** Where and why a text does not hold; never what stands there. */
export interface ContentFault {
  /** In UTF-16 code units from the start of the text. */
  readonly offset: number;
  /** One of a fixed vocabulary: parsers like to quote, and what they quote may be a Secret. */
  readonly reason: string;
}

/** What a parser makes of a text. */
export type ParsedContent =
  | { readonly fault: ContentFault }
  | {
      readonly fault?: undefined;
      /** Built when asked for: only a schema needs them. A stream of YAML has any number. */
      readonly documents: () => readonly DocumentNode[];
    };

/** A text of a format: read for its faults. */
export type ContentParser = (text: string) => ParsedContent;
