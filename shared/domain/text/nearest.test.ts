import { describe, expect, it } from '@jest/globals';
import { nearest } from './nearest';

const flags = ['lint', 'settle', 'settle-max', 'namespaces', 'is-Argo-Rollouts'];

describe('nearest', () => {
  it.each([
    ['setle', 'settle'],
    ['settle-mx', 'settle-max'],
    ['namespace', 'namespaces'],
    ['SETTLE', 'settle'],
    ['is-argo-rollouts', 'is-Argo-Rollouts'],
    ['lnit', 'lint'],
    ['tnil', undefined],
    ['enable-pprof', undefined],
    ['', undefined],
  ])('the candidate nearest to %p is %p', (word, expected) => {
    expect(nearest(word, flags)).toBe(expected);
  });

  it('prefers the nearer of two', () => {
    expect(nearest('cat', ['cut-', 'car'])).toBe('car');
  });
});
