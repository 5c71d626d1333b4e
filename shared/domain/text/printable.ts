import { cutToBytes } from './cut-to-bytes';

/**
 * Control characters, line and paragraph separators, lone surrogates, and all characters that Unicode calls ignorable
 * by default: bidi controls, zero-width characters, byte order marks, variation selectors, tags. Interlinear
 * annotations are not ignorable by default and are added.
 */
const unfit = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Makes text from outside fit to be shown. Characters that could forge a line, control a terminal, reverse the
 * direction of reading or hide are escaped in place, and a text of more than `maxBytes` bytes ends in `…`. All other
 * text is unchanged, and so is the output of this function. The escapes are those of JSON, so a JSON text still parses
 * to the same value.
 *
 * @example printable('bob\n\u202e') === String.raw`bob\n\u202e`
 */
export function printable(text: string, maxBytes = Infinity): string {
  // Each code unit becomes at least one byte, so the rest would be cut off anyway and is not escaped.
  const start = text.length > maxBytes ? text.slice(0, maxBytes + 1) : text;
  const escaped = start.replace(unfit, (character) => shortEscapes[character] ?? escapeUnits(character));
  return cutToBytes(escaped, maxBytes);
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}
