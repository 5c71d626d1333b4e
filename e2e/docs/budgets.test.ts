import { describe, expect, it } from '@jest/globals';
import { budgets, type BudgetName } from '../../shared/domain/budgets';
import { textOf } from './pages';

const page = 'docs/multi-tenant.md';
const rows = [...textOf(page).matchAll(/^\| `(\w+)`\s*\| ([^|]+?)\s*\|/gm)].map(
  ([, name = '', most = '']) => [name, most] as const,
);

const kib = 1024;

/** A budget in the form that the page uses: `32 KiB`, `4 MiB`, `2,000`. */
function written(name: BudgetName): string {
  const most = budgets[name];
  if (!name.endsWith('Bytes')) return most.toLocaleString('en');
  return most % (kib * kib) === 0 ? `${String(most / kib / kib)} MiB` : `${String(most / kib)} KiB`;
}

describe(`the budgets in ${page}`, () => {
  it('are all there are, each once', () => {
    expect(rows.map(([name]) => name).toSorted()).toEqual(Object.keys(budgets).toSorted());
  });

  it.each(Object.keys(budgets) as BudgetName[])('%s is what the code has', (name) => {
    const told = rows.find(([row]) => row === name)?.[1].replace(/ (instructions|steps)$/, '');
    expect(told).toBe(written(name));
  });
});
