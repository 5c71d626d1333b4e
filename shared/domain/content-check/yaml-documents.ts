import { Composer, Parser } from 'yaml';
import type { CST, Document, ErrorCode, YAMLError } from 'yaml';
import { maxNesting, NestingError } from './document-node';

const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
  ALIAS_PROPS: 'an alias has no anchor and no tag of its own',
  BAD_ALIAS: 'an alias needs a name, and no colon at its end',
  BAD_COLLECTION_TYPE: 'a tag does not fit its value',
  BAD_DIRECTIVE: 'this is not a directive',
  BAD_DQ_ESCAPE: 'this is not an escape sequence',
  BAD_INDENT: 'the indentation is wrong, or a bracket or brace is not closed',
  BAD_PROP_ORDER: 'an anchor or a tag is in the wrong place',
  BAD_SCALAR_START: 'a value that begins with this character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping cannot begin here: a value with a colon needs quotes',
  BLOCK_IN_FLOW: 'a block cannot appear within brackets or braces',
  DUPLICATE_KEY: 'this key appears twice',
  KEY_OVER_1024_CHARS: 'a key may have up to 1024 characters',
  MISSING_CHAR: 'a character is missing here: a quote, a comma, a colon, a space or a bracket',
  MULTILINE_IMPLICIT_KEY: 'a key and its colon must be on one line',
  MULTIPLE_ANCHORS: 'a value can have one anchor',
  MULTIPLE_TAGS: 'a value can have one tag',
  TAB_AS_INDENT: 'a tab cannot be used for indentation',
  TAG_RESOLVE_FAILED: 'a tag does not fit its value',
  UNEXPECTED_TOKEN: 'this is not allowed here',
};

/**
 * The documents of a text in YAML 1.2, each with its errors. `onLine` receives the offset of each line after the first.
 *
 * @throws NestingError if the text is nested too deeply for the composer
 */
export function composeYaml(
  text: string,
  { merge = false, onLine }: { readonly merge?: boolean; readonly onLine?: (offset: number) => void } = {},
): readonly Document.Parsed[] {
  const tokens = [...new BoundedParser(onLine).parse(text)];
  if (isTooDeep(tokens)) throw new NestingError();
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, logLevel: 'silent', merge });
  return [...composer.compose(tokens)];
}

/**
 * Where a document is invalid, and why. The library's message is not used: it quotes the document, which may be a
 * Secret.
 */
export function yamlFault({ code, pos }: YAMLError): { readonly offset: number; readonly reason: string } {
  return { offset: pos[0], reason: reasons[code] ?? 'this is not YAML' };
}

/** Does not read on where too many levels are open: megabytes of brackets took half a minute to be refused. */
class BoundedParser extends Parser {
  override *next(lexeme: string): Generator<CST.Token, void> {
    yield* super.next(lexeme);
    // The document is not a level.
    if (this.stack.length > maxNesting + 1) throw new NestingError(this.offset);
  }
}

/** The parser does not recurse, but the composer that runs next recurses for each level. */
function isTooDeep(tokens: readonly CST.Token[]): boolean {
  let level = tokens;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxNesting) return true;
    level = level.flatMap(tokensWithin);
  }
  return false;
}

function tokensWithin(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : [];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [...(key ? [key] : []), ...(value ? [value] : [])]);
}
