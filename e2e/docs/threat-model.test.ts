import { describe, expect, it } from '@jest/globals';
import { problemsOfTests, rowsOf } from './named-tests';
import { textOf } from './pages';

const page = 'docs/threat-model.md';
const rows = rowsOf(page);

/** The threat model of Kubernetes SIG Security lists 18 threats; the page answers each. */
const threats = Array.from({ length: 18 }, (_, index) => String(index + 1));

describe(page, () => {
  it('has a section for each kind of attacker', () => {
    const headings = [...textOf(page).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(
      expect.arrayContaining([
        'A tenant with all rights in one namespace',
        'A tenant who may only create',
        'Any pod',
        "A web page in an administrator's browser",
        "A process in the reconciler's pod, or somebody who forwards its port",
        'An attacker in the webhook',
        'An attacker in `reroll certs`',
        'An attacker in the reconciler',
        'A reader of logs, metrics or backups',
      ]),
    );
    expect(rows.length).toBeGreaterThan(40);
  });

  it.each(threats)("answers threat %s of SIG Security's model in a row", (threat) => {
    expect(rows.filter(([first = '']) => first.startsWith(`${threat}. `))).toHaveLength(1);
  });

  it.each(rows.map((cells) => [cells[0] ?? '', cells.at(-1) ?? '']))('%s', (_line, shownBy) => {
    expect(problemsOfTests(shownBy)).toEqual([]);
  });
});

describe('a row that names what is not there', () => {
  it.each([
    ['no test at all', 'by looking at it', 'names no test: by looking at it'],
    ['a file that is not there', '`e2e/nowhere.test.ts` "anything"', 'is not one file: e2e/nowhere.test.ts'],
    ['a file without a title', '`e2e/docs/docs.test.ts`; nothing else', 'names no title of e2e/docs/docs.test.ts'],
    ['a title that is not in it', '`e2e/docs/docs.test.ts` "no title of mine"', 'is no title there: no title of mine'],
  ])('is told: %s', (_what, cell, problem) => {
    expect(problemsOfTests(cell)).toContain(problem);
  });
});
