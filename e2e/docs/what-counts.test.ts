import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { annotationsOf } from '../../shared/domain/annotations/annotations';
import { compare } from '../../shared/domain/baseline/comparison';
import { recordedOf } from '../../shared/domain/baseline/recorded';
import { budgets } from '../../shared/domain/budgets';
import { loadCanonicalForms } from '../../shared/domain/content-check/canonical-forms';
import { readGateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { ContentDigester, type ContentDigest } from '../../shared/domain/sources/content-digest';
import { countedKeys, type CountedKeys } from '../../shared/domain/sources/counted-keys';
import { withinTime } from '../../shared/runtime/time-limit';
import { codeBlocks, textOf } from './pages';
import { tableAfter } from './tables';

const page = textOf('docs/what-counts.md');
const app = { kind: 'ConfigMap', namespace: 'shop', name: 'app' } as const;

let digester: ContentDigester;

beforeAll(async () => {
  digester = new ContentDigester(Buffer.alloc(32), undefined, await loadCanonicalForms(withinTime));
});

function restarts(before: ContentDigest, after: ContentDigest, keys: CountedKeys): boolean {
  const unasked = (): never => {
    throw new Error('both contents are known');
  };
  const comparison = compare({
    ...{ recorded: recordedOf(before, keys), current: after, keys, reloadOnCreate: false, reloadOnDelete: false },
    ...{ inForce: unasked, whenCounted: unasked, firstContent: unasked },
    ...{ atBirth: () => 'unknown', formerContent: () => before },
  });
  return comparison !== 'metadata-only' && comparison.restart;
}

describe('docs/what-counts.md, keys', () => {
  const rows = tableAfter(page.replaceAll('\\|', '\u2223'), 'Keys').map((cells) =>
    cells.map((cell) => cell.replaceAll('\u2223', '|')),
  );

  it('has rows for lists, patterns, exclusions, and what cannot be read', () => {
    expect(rows.length).toBeGreaterThan(5);
  });

  it.each(rows)('%s: of %s, %s', (list = '', names = '', counted = '') => {
    const filter = readGateSettings({ 'reroll.dev/keys': list }, 'source').settings?.keys;
    const keys = countedKeys('all', filter === 'all' ? undefined : filter);
    const all = names.split(', ');
    const content = (changed?: string): ContentDigest =>
      digester.digest(
        app,
        all.map((name) => [name, Buffer.from(name === changed ? 'new' : 'old')] as const),
      );
    const counting = all.filter((name) => restarts(content(), content(name), keys));
    expect(counting.join(', ') || 'none').toBe(counted);
  });

  it('has the budgets of the code', () => {
    expect(page).toContain(`at most ${budgets.keyFilterLength} characters`);
    expect(page).toContain(`at most ${budgets.filteredKeys} keys`);
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      `more than ${budgets.parsedBytes / 1024} KiB of YAML, or 128 KiB of`,
    );
  });
});

describe('docs/what-counts.md, parsed', () => {
  // Cells keep their white space here: it is what the rows are about.
  const [, section = ''] = page.split('\n## Parsed\n');
  const rows = [...section.matchAll(/^\| `([^`]+)` +\| `([^`]+)` +\| `([^`]+)` +\| (yes|no) +\|$/gm)].map(
    ([, key = '', before = '', after = '', told = '']) => [key, before, after, told] as const,
  );

  it('has a row for each format', () => {
    const endings = new Set(rows.map(([key]) => key.replace(/^.*\./, '')));
    expect([...endings]).toEqual(['json', 'yaml', 'toml', 'properties', 'env', 'txt']);
  });

  it.each(rows)('%s: %j to %j: %s', (key, before, after, told) => {
    const content = (text: string): ContentDigest => digester.digest(app, [[key, Buffer.from(text)]], true);
    expect(restarts(content(before), content(after), 'all') ? 'yes' : 'no').toBe(told);
  });
});

describe('docs/what-counts.md, the examples', () => {
  const objects = codeBlocks(page)
    .filter(({ language }) => language === 'yaml')
    .flatMap(({ text }) => parseAllDocuments(text).map((document) => document.toJS() as unknown));

  it.each(objects)('%j has annotations that count', (object) => {
    const kind = (object as { readonly kind: string }).kind;
    const bearer = kind === 'ConfigMap' ? 'source' : 'workload';
    const { settings, problems } = readGateSettings(annotationsOf(object), bearer);
    expect(problems).toEqual([]);
    expect(settings).toBeDefined();
  });
});
