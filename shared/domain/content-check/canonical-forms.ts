import { isUtf8 } from 'node:buffer';
import { budgets } from '../budgets';
import type { CanonicalForms } from '../sources/content-digest';
import type { CanonicalForm } from './canonical-form';
import { canonicalJson } from './canonical-json';
import { canonicalProperties } from './canonical-properties';

/** The longest time for which the parsers of one source may hold up everything else. Nothing may for more than 50 ms. */
const maxParseMs = 40;

/**
 * The canonical forms of keys, by the extensions of their names. Of a key that is binary, of another format, invalid or
 * over the budget, there is none: it is compared by its bytes. `withinTime` stops work that takes too long.
 *
 * The parsers are large, so they are loaded by whoever needs them.
 */
export async function loadCanonicalForms(
  withinTime: (limitMs: number, work: () => void) => void,
): Promise<CanonicalForms> {
  const [{ canonicalYaml }, { canonicalToml }] = await Promise.all([
    import('./canonical-yaml'),
    import('./canonical-toml'),
  ]);
  const formats: readonly (readonly [extension: string, form: CanonicalForm])[] = [
    ['.json', canonicalJson],
    ['.yaml', canonicalYaml],
    ['.yml', canonicalYaml],
    ['.toml', canonicalToml],
    ['.properties', canonicalProperties],
  ];
  return (content) => {
    const forms = new Map<string, Buffer>();
    // In the order of their names, so that every process parses the same ones of those that do not all fit.
    const entries = [...content].sort(([left], [right]) => (left < right ? -1 : 1));
    let bytesLeft: number = budgets.parsedBytes;
    const parseAll = (): void => {
      for (const [key, value] of entries) {
        const [extension, form] = formats.find(([each]) => key.toLowerCase().endsWith(each)) ?? [];
        if (!form || value.length > bytesLeft || !isUtf8(value)) continue;
        bytesLeft -= value.length;
        const canonical = formOf(form, value.toString('utf8'));
        if (canonical !== undefined) forms.set(key, Buffer.from(`${extension} ${canonical}`));
      }
    };
    try {
      withinTime(maxParseMs, parseAll);
    } catch {
      // Time is up: those that are not parsed yet are compared by their bytes.
    }
    return forms;
  };
}

/** Whatever a parser throws, which may quote the content: the bytes count then. */
function formOf(form: CanonicalForm, text: string): string | undefined {
  try {
    return form(text);
  } catch {
    return undefined;
  }
}
