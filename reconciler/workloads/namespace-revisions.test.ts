import { expect, it } from '@jest/globals';
import { NamespaceRevisions } from './namespace-revisions';

it('never gives a number again, whatever comes and goes, and changes no other namespace with workloads', () => {
  const revisions = new NamespaceRevisions();
  revisions.came('bank');
  const bank = revisions.of('bank');
  const seen = [revisions.of('shop')];
  for (const step of ['came', 'revise', 'came', 'went', 'went', 'revise', 'came', 'went'] as const) {
    revisions[step]('shop');
    seen.push(revisions.of('shop'));
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(revisions.of('bank')).toBe(bank);
});

it('keeps nothing of a namespace whose workloads are gone', () => {
  const revisions = new NamespaceRevisions();
  for (let n = 0; n < 1_000; n++) {
    revisions.came(`preview-${String(n)}`);
    revisions.went(`preview-${String(n)}`);
    revisions.revise(`preview-${String(n)}`);
  }
  expect(revisions.size).toBe(0);
});
