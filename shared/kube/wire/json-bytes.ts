const quote = 0x22;
const backslash = 0x5c;
const [comma, colon] = [0x2c, 0x3a];
const [openBracket, closeBracket] = [0x5b, 0x5d];
const [openBrace, closeBrace] = [0x7b, 0x7d];

/** This many bytes of a string are scanned in JavaScript before native code searches for its end. */
const nearBytes = 32;

/**
 * The offset of the quote that ends the string whose first character is at `start`; the end of the text if there is
 * none.
 */
export function endOfString(json: Buffer, start: number): number {
  let near = start + nearBytes;
  for (let at = start; at < json.length; at++) {
    if (at >= near) {
      const next = json.indexOf(quote, at);
      if (next < 0) return json.length;
      if (backslashesBefore(json, next, at) % 2 === 0) return next;
      at = next;
      near = at + nearBytes;
      continue;
    }
    const byte = json[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  return json.length;
}

/** How many backslashes stand before a quote. If the number is odd, the quote is escaped. */
function backslashesBefore(json: Buffer, end: number, start: number): number {
  let at = end;
  while (at > start && json[at - 1] === backslash) at--;
  return end - at;
}

/** A member of an object in unparsed JSON. */
export interface JsonMember {
  readonly name: string;
  /** The offset of its value. */
  readonly at: number;
}

/**
 * The members of the object that begins at `start`, in their order. It reads only as far as its caller iterates. For
 * text that is not JSON it yields some members or none.
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

/** The string that begins at `start`; undefined if there is no complete one. */
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
      // After a number or a literal: this is the closing bracket of the surrounding object.
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
