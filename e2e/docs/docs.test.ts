import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectDir } from '../control-plane/versions';
import { isValue, namedValues, valuesSnippets } from './named-values';
import { anchors, codeBlocks, codeSpans, links, pages, textOf } from './pages';

const isElsewhere = (target: string): boolean => /^[a-z]+:/.test(target);

/** What is wrong with a link; undefined if its target exists. */
function deadEnd(page: string, target: string): string | undefined {
  const [file = '', anchor] = target.split('#');
  const to = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
  if (!existsSync(path.join(projectDir, to))) return `${target}: there is no ${to}`;
  if (anchor === undefined || anchors(textOf(to)).has(anchor)) return undefined;
  return `${target}: ${to} has no heading for it`;
}

/** The source files of one room, without tests and fixtures. */
function sourcesIn(room: string): readonly string[] {
  const files = readdirSync(path.join(projectDir, room), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file))
    .map((file) => textOf(`${room}/${file}`));
}

describe.each(pages())('%s', (page) => {
  const text = textOf(page);

  it('links to what there is', () => {
    const within = links(text).filter((target) => !isElsewhere(target));
    expect(within.flatMap((target) => deadEnd(page, target) ?? [])).toEqual([]);
  });

  // This page names values of Reloader's own chart.
  const isOfReloader = page === 'docs/reloader-compatibility.md';
  it('names files that there are', () => {
    const spans = codeSpans(text).filter((span) =>
      /^(certs|cli|deploy|docs|e2e|reconciler|shared|webhook)\/[\w./-]+\.\w+$/.test(span),
    );
    const commands = codeBlocks(text).filter(({ language }) => language === 'sh');
    const applied = commands.flatMap((block) => [...block.text.matchAll(/ (deploy\/[\w./-]+)/g)]);
    const files = [...spans, ...applied.map(([, file = '']) => file)];
    expect(files.filter((file) => !existsSync(path.join(projectDir, file)))).toEqual([]);
  });

  it('names values that the chart has', () => {
    expect(isOfReloader ? [] : namedValues(text).filter((value) => !isValue(value))).toEqual([]);
  });
});

describe('docs/README.md', () => {
  it('lists every page', () => {
    const listed = new Set(links(textOf('docs/README.md')).map((target) => path.posix.join('docs', target)));
    const single = pages().filter((page) => /^docs\/(reference\/)?[^/]+$/.test(page) && page !== 'docs/README.md');
    expect(single.filter((page) => !listed.has(page))).toEqual([]);
    expect([...listed]).toEqual(expect.arrayContaining(['docs/decisions', 'docs/runbooks/README.md']));
  });
});

describe('docs/troubleshooting.md', () => {
  const text = textOf('docs/troubleshooting.md');
  const code = ['reconciler', 'shared'].flatMap((room) => sourcesIn(room)).join('\n');

  /** The patterns that the page searches the log for, without the names of its example. */
  const asked = [...text.matchAll(/(?:grep|-e) '([^']+)'/g)].map(([, line = '']) =>
    line.replace(/^(Deployment shop\/web|ConfigMap shop\/app):? /, ''),
  );
  /** The reasons in the tables: first cells that are phrases. */
  const reasons = [...text.matchAll(/^\| `([a-z][^`]* [^`]*)`/gm)].map(([, reason = '']) => reason);

  it('looks for log lines that are written, and tells of reasons that are given', () => {
    expect(asked.length).toBeGreaterThan(5);
    expect(reasons.length).toBeGreaterThan(6);
    const phrases = [...asked, ...reasons].flatMap((phrase) => phrase.split(' … '));
    expect(phrases.filter((phrase) => !code.includes(phrase))).toEqual([]);
  });
});

describe('what the checks look at', () => {
  it('is more than nothing', () => {
    const snippets = pages().flatMap((page) => valuesSnippets(textOf(page)));
    expect(snippets.length).toBeGreaterThan(8);
    expect(namedValues(textOf('docs/multi-tenant.md'))).toEqual(
      expect.arrayContaining(['reloader.namespaces', 'webhook.enabled', 'reloader.custom_annotations']),
    );
    expect(isValue('reloader.watchGlobaly')).toBe(false);
    expect(isValue('webhook.validateNamespaces.shop')).toBe(true);
  });
});
