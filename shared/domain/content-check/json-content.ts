import { parseTree, visit, type Node, type ParseErrorCode } from 'jsonc-parser';
import { parsedJson } from '../kubernetes/json-value';
import type { ContentFault, ContentParser, DocumentNode, MapEntry } from './document-node';

/** Disables what jsonc-parser accepts beyond JSON. */
const strict = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/** Keyed by ParseErrorCode, an enum that no longer exists when types are stripped. */
const reasons: Readonly<Record<ParseErrorCode, string>> = {
  1: 'this is not a JSON value',
  2: 'this is not a number',
  3: 'a property name in double quotes is missing',
  4: 'a value is missing',
  5: 'a colon is missing',
  6: 'a comma is missing',
  7: 'a closing brace is missing',
  8: 'a closing bracket is missing',
  9: 'nothing may follow the value',
  10: 'JSON has no comments',
  11: 'JSON has no comments',
  12: 'a string is not closed',
  13: 'a number is not complete',
  14: 'a \\u escape needs four hexadecimal digits',
  15: 'this is not an escape sequence',
  16: 'a control character in a string must be escaped',
};

/** JSON as in RFC 8259: no comments, no trailing commas. */
export const parseJsonContent: ContentParser = (text) => {
  // V8's parser is fast and decides whether a text is valid, but it does not always report the position.
  if (parsedJson(text) !== undefined) return { documents: () => [jsonTree(text)] };
  return { fault: firstFault(text) };
};

function firstFault(text: string): ContentFault {
  let fault: ContentFault | undefined;
  const onError = (error: ParseErrorCode, offset: number): void => {
    fault ??= { offset, reason: reasons[error] };
  };
  visit(text, { onError }, strict);
  return fault ?? { offset: 0, reason: 'this is not JSON' };
}

function jsonTree(text: string): DocumentNode {
  const root = parseTree(text, undefined, strict);
  if (!root) throw new Error('JSON without a value');
  return documentNode(root);
}

function documentNode(node: Node): DocumentNode {
  const { offset, children = [] } = node;
  switch (node.type) {
    case 'object':
      return { kind: 'map', offset, entries: new Map(children.flatMap(entriesOf)) };
    case 'array':
      return { kind: 'list', offset, items: children.map(documentNode) };
    default:
      return { kind: 'scalar', offset, value: node.value as string | number | boolean | null };
  }
}

/** If a key occurs twice, the last one counts, as for JSON.parse. */
function entriesOf({ children = [] }: Node): readonly (readonly [string, MapEntry])[] {
  const [key, value] = children;
  return key && value ? [[String(key.value), { keyOffset: key.offset, value: documentNode(value) }]] : [];
}
