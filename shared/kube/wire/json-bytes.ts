const quote = 0x22;
const backslash = 0x5c;
const [comma, colon] = [0x2c, 0x3a];
const [openBracket, closeBracket] = [0x5b, 0x5d];
const [openBrace, closeBrace] = [0x7b, 0x7d];

/** So many bytes of a string are looked at one by one, before the search for its end is left to native code. */
const nearBytes = 32;

/** Of the quote that ends the string whose first character is at `start`; of the end of the text, where there is none. */
export function endOfString(json: Buffer, start: number): number {
  let near = start + nearBytes;
  for (let at = start; at < json.length; at++) {
    if (at >= near) {
      const next = json.indexOf(quote, at);
      if (next < 0) return json.length;
      at = beforeBackslashes(json, next, at);
      near = at + nearBytes;
    }
    const byte = json[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  return json.length;
}

/** Whether a quote is escaped is told by how many backslashes stand before it, each of which may escape the next. */
function beforeBackslashes(json: Buffer, end: number, start: number): number {
  let at = end;
  while (at > start && json[at - 1] === backslash) at--;
  return at;
}

/** A member of an object in JSON that has not been parsed. */
export interface JsonMember {
  readonly name: string;
  /** Where its value begins. */
  readonly at: number;
}

/**
 * The members of the object that begins at `start`, in their order. What a caller does not ask for is not looked at, so what
 * stands behind the last member that it wants costs nothing. Of text that is not JSON it gives some members or none.
 */
export function* jsonMembers(json: Buffer, start: number): Generator<JsonMember> {
  let at = afterSpace(json, start);
  if (json[at] !== openBrace) return;
  for (;;) {
    at = afterSpace(json, at + 1);
    if (json[at] !== quote) return;
    const end = endOfString(json, at + 1);
    const name = json.toString('utf8', at + 1, end);
    at = afterSpace(json, end + 1);
    if (json[at] !== colon) return;
    at = afterSpace(json, at + 1);
    yield { name, at };
    at = afterSpace(json, afterValue(json, at));
    if (json[at] !== comma) return;
  }
}

/** The text that begins at `start`; undefined where no complete one does. */
export function jsonText(json: Buffer, start: number): string | undefined {
  if (json[start] !== quote) return undefined;
  try {
    return String(JSON.parse(json.toString('utf8', start, endOfString(json, start + 1) + 1)));
  } catch {
    return undefined;
  }
}

function afterValue(json: Buffer, start: number): number {
  if (json[start] === quote) return endOfString(json, start + 1) + 1;
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) at = endOfString(json, at + 1);
    else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      // Behind a number or a literal: the bracket is that of the object around it.
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (byte === comma && depth === 0) return at;
  }
  return json.length;
}

function afterSpace(json: Buffer, start: number): number {
  let at = start;
  while (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09) at++;
  return at;
}
