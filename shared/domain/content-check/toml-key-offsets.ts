/** Positions of keys and tables in a TOML text, by path; undefined within an inline table or array. */
export interface TomlKeyOffsets {
  at(path: readonly (string | number)[]): number | undefined;
}

const keyPart = /\s*("(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)\s*(\.?)/y;

/** Expects a valid text: it looks only at lines, and in them only at keys and quotes. */
export function tomlKeyOffsets(text: string): TomlKeyOffsets {
  const offsets = new Map<string, number>();
  /** The number of tables in each array of tables so far. */
  const tables = new Map<string, number>();
  let table: readonly (string | number)[] = [];
  const note = (path: readonly (string | number)[], offset: number): void => {
    for (let length = 1; length <= path.length; length++) {
      const name = nameOf(path.slice(0, length));
      if (!offsets.has(name)) offsets.set(name, offset);
    }
  };
  /** In an array of tables, a path refers to the newest table. */
  const through = (path: readonly string[]): readonly (string | number)[] => {
    const full: (string | number)[] = [];
    for (const part of path) {
      full.push(part);
      const count = tables.get(nameOf(full));
      if (count !== undefined) full.push(count - 1);
    }
    return full;
  };
  for (const { offset, line } of logicalLines(text)) {
    const header = /^\s*(\[\[?)/.exec(line);
    const [path, keyOffset] = keysAt(line, header ? header[0].length : 0);
    if (path.length === 0) continue;
    if (header?.[1] === '[[') {
      const name = nameOf([...through(path.slice(0, -1)), path.at(-1) ?? '']);
      tables.set(name, (tables.get(name) ?? 0) + 1);
    }
    if (header) table = through(path);
    note(header ? table : [...table, ...path], offset + keyOffset);
  }
  return { at: (path) => offsets.get(nameOf(path)) };
}

/** The parts of the dotted key that begins at `start`, and the offset of its first character in the line. */
function keysAt(line: string, start: number): readonly [path: readonly string[], offset: number] {
  const path: string[] = [];
  keyPart.lastIndex = start;
  let match: RegExpExecArray | null;
  while ((match = keyPart.exec(line)) !== null) {
    const [, part = '', dot] = match;
    path.push(part.startsWith('"') ? unquoted(part) : part.startsWith("'") ? part.slice(1, -1) : part);
    if (dot === '') break;
  }
  return [path, start + (/\S/.exec(line.slice(start))?.index ?? 0)];
}

function unquoted(part: string): string {
  try {
    return String(JSON.parse(part));
  } catch {
    // Keys with TOML's own escapes are not found; the position of their table is reported instead.
    return part;
  }
}

/**
 * Lines of the text, each with its offset. A line break within a multi-line string, an array or braces does not end a
 * line.
 */
function* logicalLines(text: string): Generator<{ readonly offset: number; readonly line: string }> {
  /** Tokens that can begin or end a multi-line value; other characters do not matter. */
  const token = /"""|'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]/g;
  let depth = 0;
  let start = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    if (found === '"""' || found === "'''") {
      token.lastIndex = endOfMultiline(text, token.lastIndex, found);
    } else if (found === '[' || found === '{') depth++;
    else if (found === ']' || found === '}') depth--;
    else if (found === '\n' && depth === 0) {
      yield { offset: start, line: text.slice(start, match.index) };
      start = token.lastIndex;
    }
  }
  if (start < text.length) yield { offset: start, line: text.slice(start) };
}

function endOfMultiline(text: string, from: number, quotes: string): number {
  for (let at = text.indexOf(quotes, from); at >= 0; at = text.indexOf(quotes, at + 1)) {
    if (quotes === "'''" || !isEscaped(text, at)) return at + quotes.length;
  }
  return text.length;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

function nameOf(path: readonly (string | number)[]): string {
  return JSON.stringify(path);
}
