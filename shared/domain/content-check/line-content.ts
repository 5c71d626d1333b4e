import type { ContentFault, ContentParser } from './document-node';

/** Line-based formats. Almost any key or value is allowed, so few texts are invalid. */

/** Git leaves these in a file with unresolved conflicts; each would be parsed as a key. */
const conflictMarker = /^(<{7} |={7}$|>{7} )/;
const mergeConflict = 'this is left over from a merge conflict';

/** `.properties` as java.util.Properties reads them: only a broken `\u` escape is an error. */
export const parsePropertiesContent: ContentParser = (text) => {
  for (const { offset, line } of linesOf(text)) {
    if (conflictMarker.test(line)) return { fault: { offset, reason: mergeConflict } };
    if (/^\s*[#!]/.test(line)) continue;
    const escape = /(?<!\\)(?:\\\\)*(\\u(?![0-9a-fA-F]{4}))/d.exec(line);
    const start = escape?.indices?.[1]?.[0];
    if (start !== undefined) {
      return { fault: { offset: offset + start, reason: 'a \\u escape needs four hexadecimal digits' } };
    }
  }
  return noDocuments;
};

/** One `KEY=value` or `KEY: value` per line, as dotenv and Docker Compose read it; a quoted value may span several lines. */
export const parseEnvContent: ContentParser = (text) => {
  let closedAt = 0;
  for (const { offset, line } of linesOf(text)) {
    if (offset < closedAt || /^\s*(#|$)/.test(line)) continue;
    if (conflictMarker.test(line)) return { fault: { offset, reason: mergeConflict } };
    const found = assignment(text, offset, line);
    if ('reason' in found) return { fault: found };
    closedAt = found.endOffset;
  }
  return noDocuments;
};

/** Schemas do not apply to these formats. */
const noDocuments = { documents: () => [] };

function assignment(text: string, offset: number, line: string): ContentFault | { readonly endOffset: number } {
  const [start = ''] = /^\s*(export\s+)?/.exec(line) ?? [];
  const keyOffset = offset + start.length;
  const key = /^[A-Za-z_][\w.-]*/.exec(line.slice(start.length))?.[0];
  if (key === undefined) return { offset: keyOffset, reason: 'this is not a variable name' };
  const afterKey = line.slice(start.length + key.length);
  const equals = /^(?:\s*=|:(?=\s|$))\s*/.exec(afterKey);
  if (!equals) {
    const blanks = /^\s*/.exec(afterKey)?.[0].length ?? 0;
    return { offset: keyOffset + key.length + blanks, reason: 'an equals sign is missing' };
  }
  const valueOffset = keyOffset + key.length + equals[0].length;
  const quote = text[valueOffset];
  if (quote !== '"' && quote !== "'" && quote !== '`') return { endOffset: valueOffset };
  const closing = closingQuote(text, valueOffset + 1, quote);
  // To dotenv a backtick is a quote, to Compose a character like others.
  if (closing < 0 && quote === '`') return { endOffset: valueOffset };
  return closing < 0 ? { offset: valueOffset, reason: 'a quote is not closed' } : { endOffset: closing + 1 };
}

/** In double quotes, a backslash escapes the next character. */
function closingQuote(text: string, from: number, quote: '"' | "'" | '`'): number {
  if (quote !== '"') return text.indexOf(quote, from);
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}

function* linesOf(text: string): Generator<{ readonly offset: number; readonly line: string }> {
  let offset = 0;
  while (offset < text.length) {
    const end = text.indexOf('\n', offset);
    const next = end < 0 ? text.length : end + 1;
    yield { offset, line: text.slice(offset, next).replace(/\r?\n$/, '') };
    offset = next;
  }
}
