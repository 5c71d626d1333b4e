import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectDir } from '../control-plane/versions';

/** A fenced code block of a page. */
export interface CodeBlock {
  /** `sh`, `yaml`; empty if the fence names no language. */
  readonly language: string;
  readonly text: string;
}

const alone = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'certs/README.md',
  'deploy/README.md',
  'webhook/README.md',
];

/** The pages that people read, as paths from the project root. */
export function pages(): readonly string[] {
  const docs = readdirSync(path.join(projectDir, 'docs'), { recursive: true, encoding: 'utf8' });
  const written = docs.filter((file) => file.endsWith('.md')).map((file) => path.posix.join('docs', file));
  return [...alone, 'deploy/chart/reroll/README.md', ...written.toSorted()];
}

export function textOf(page: string): string {
  return readFileSync(path.join(projectDir, page), 'utf8');
}

const fence = /^```(\w*)[^\n]*\n(.*?)^```$/gms;

export function codeBlocks(text: string): readonly CodeBlock[] {
  return [...text.matchAll(fence)].map(([, language = '', block = '']) => ({ language, text: block }));
}

/** The text between single backticks, outside of code blocks. */
export function codeSpans(text: string): readonly string[] {
  return [...text.replace(fence, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
}

/** The targets of the links of a page, outside of code. */
export function links(text: string): readonly string[] {
  const prose = text.replace(fence, '').replaceAll(/`[^`\n]+`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The anchors of the headings of a page, as GitHub generates them. */
export function anchors(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const found = [...text.replace(fence, '').matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => {
    const words = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
  return new Set(found);
}
