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

/** JSON on several lines. What could control a terminal is escaped as JSON does it. */
export function jsonOutput(value: unknown): string {
  const lines = JSON.stringify(value, undefined, 2).split('\n');
  return `${lines.map((line) => printable(line)).join('\n')}\n`;
}

/** The reader of YAML is large, so it is loaded only when somebody asks for it. */
export async function yamlOutput(value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0 });
}
