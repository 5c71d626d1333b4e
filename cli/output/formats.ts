import { assertNever } from '../../shared/domain/errors';
import { printable } from '../../shared/domain/text/printable';

/** How an answer is written: for people, for programs, or names alone. */
export type OutputFormat = 'text' | 'wide' | 'json' | 'yaml' | 'name';

export const outputFormats: Readonly<Record<OutputFormat, OutputFormat>> = {
  text: 'text',
  wide: 'wide',
  json: 'json',
  yaml: 'yaml',
  name: 'name',
};

/** Those of an answer that has nothing more to show in a wide terminal. */
export type NarrowFormat = Exclude<OutputFormat, 'wide'>;

export const narrowFormats: Readonly<Record<NarrowFormat, NarrowFormat>> = {
  text: 'text',
  json: 'json',
  yaml: 'yaml',
  name: 'name',
};

/** An answer in all formats. */
export interface FormattedAnswer {
  readonly text: (wide: boolean) => string;
  readonly report: object;
  readonly names: readonly string[];
}

export async function formatted(output: OutputFormat, { text, report, names }: FormattedAnswer): Promise<string> {
  switch (output) {
    case 'text':
    case 'wide':
      return text(output === 'wide');
    case 'json':
      return jsonOutput(report);
    case 'yaml':
      return await yamlOutput(report);
    case 'name':
      return names.map((name) => `${printable(name)}\n`).join('');
    default:
      return assertNever(output, 'format');
  }
}

/** JSON on several lines. What could control a terminal is escaped as JSON does it. */
export function jsonOutput(value: unknown): string {
  return printableLines(`${JSON.stringify(value, undefined, 2)}\n`);
}

/**
 * YAML, with the same characters escaped as in JSON: texts that contain them are put into double quotes, so they parse
 * to the same value. The library for YAML is large, so it is loaded only when somebody asks for it.
 */
async function yamlOutput(value: unknown): Promise<string> {
  const { Document, Scalar, visit } = await import('./yaml-library');
  // Helm, Ansible and others read YAML 1.1, in which a namespace `no` is false.
  const document = new Document(value, { compat: 'yaml-1.1' });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && printable(node.value) !== node.value) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return printableLines(withLongEscapes(document.toString({ lineWidth: 0 })));
}

/**
 * JSON escapes a character beyond the first 65,536 as two surrogates. YAML has an escape of its own for it, and parsers in
 * Go, as that of kubectl, refuse the other one.
 */
function withLongEscapes(yaml: string): string {
  return yaml.replaceAll(/[\u{10000}-\u{10ffff}]/gu, (character) =>
    printable(character) === character
      ? character
      : `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`,
  );
}

function printableLines(text: string): string {
  return text
    .split('\n')
    .map((line) => printable(line))
    .join('\n');
}
