import { canonicalMap, NoCanonicalFormError, type CanonicalForm } from './canonical-form';
import { parsePropertiesContent } from './line-content';

/** The key up to the first separator that is not escaped, the separator with the white space around it, and the value. */
const entry = /^((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)$/s;

/** `.properties` as java.util.Properties reads them. White space at the end of a value is a part of it. */
export const canonicalProperties: CanonicalForm = (text) => {
  if (parsePropertiesContent(text).fault) throw new NoCanonicalFormError('it is not a file of properties');
  return canonicalMap(
    logicalLines(text).map((line) => {
      const [, key = '', value = ''] = entry.exec(line) ?? [];
      return [JSON.stringify(unescaped(key)), JSON.stringify(unescaped(value))];
    }),
  );
};

/** Without comments and blank lines, and with continued lines put together. */
function logicalLines(text: string): readonly string[] {
  const lines: string[] = [];
  let continued: string | undefined;
  for (const natural of text.split(/\r\n|\r|\n/)) {
    const line = natural.replace(/^[ \t\f]+/, '');
    if (continued === undefined && (line === '' || /^[#!]/.test(line))) continue;
    const isContinued = (/\\*$/.exec(line)?.[0].length ?? 0) % 2 === 1;
    const all = (continued ?? '') + (isContinued ? line.slice(0, -1) : line);
    continued = isContinued ? all : undefined;
    if (!isContinued) lines.push(all);
  }
  return continued === undefined ? lines : [...lines, continued];
}

const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_all, code: string | undefined, letter = '') =>
    code === undefined ? (controls[letter as string] ?? (letter as string)) : String.fromCharCode(parseInt(code, 16)),
  );
}
