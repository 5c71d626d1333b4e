import { isUtf8 } from 'node:buffer';
import { budgets } from '../budgets';
import type { CanonicalForms } from '../sources/content-digest';
import type { CanonicalForm } from './canonical-form';
import { canonicalJson } from './canonical-json';
import { canonicalProperties } from './canonical-properties';

/** The longest time for which the parsers of one source may hold up everything else. Nothing may for more than 50 ms. */
const maxParseMs = 40;

interface Format {
  readonly extension: string;
  readonly form: CanonicalForm;
  /** What a byte takes of the budget, which is one of YAML. */
  readonly cost: number;
}

/** These parsers are more than eight times as fast as that of YAML. */
const fast = 1 / 8;

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
  const formats: readonly Format[] = [
    { extension: '.json', form: canonicalJson, cost: fast },
    { extension: '.yaml', form: canonicalYaml, cost: 1 },
    { extension: '.yml', form: canonicalYaml, cost: 1 },
    { extension: '.toml', form: canonicalToml, cost: fast },
    { extension: '.properties', form: canonicalProperties, cost: fast },
  ];
  return (content) => {
    const forms = new Map<string, Buffer>();
    // In the order of their names, so that every process parses the same ones of those that do not all fit.
    const entries = [...content].sort(([left], [right]) => (left < right ? -1 : 1));
    let bytesLeft: number = budgets.parsedBytes;
    const parseAll = (): void => {
      for (const [key, value] of entries) {
        const format = formats.find(({ extension }) => key.toLowerCase().endsWith(extension));
        const cost = value.length * (format?.cost ?? 0);
        if (!format || cost > bytesLeft || !isUtf8(value)) continue;
        bytesLeft -= cost;
        const canonical = formOf(format.form, value.toString('utf8'));
        if (canonical !== undefined) forms.set(key, Buffer.from(`${format.extension} ${canonical}`));
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
