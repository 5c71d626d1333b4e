import { describe, expect, it } from '@jest/globals';
import { rewriteLegacySelector } from './legacy-selector';
import { parseSelector } from './selector';

describe('rewriteLegacySelector', () => {
  it.each([
    [['env:prod'], 'env=prod'],
    [['env:*'], 'env'],
    [['env=*'], 'env'],
    [['env:'], 'env='],
    [['a:b:c'], 'a=b'],
    [['env==prod'], 'env==prod'],
    [['env!=prod'], 'env!=prod'],
    [['env in (a,b)'], 'env in (a,b)'],
    [[' env = prod '], ' env = prod '],
    [[''], ''],
    [[], ''],
    [['a:b', 'c:d'], 'a=b,c=d'],
    [['k in (a', 'b)'], 'k in (a,b)'],
    [['app.kubernetes.io/name:web'], 'app.kubernetes.io/name=web'],
  ])('§10.3 %j becomes %j, as in Reloader', (elements, selector) => {
    expect(rewriteLegacySelector(elements)).toBe(selector);
    expect(() => parseSelector(selector)).not.toThrow();
  });

  // Reloader rewrites each element as a whole, so it misreads or rejects an element with several terms.
  it.each([
    [['a=*,b=c'], 'a,b=c'],
    [['a:b,c:d'], 'a=b,c=d'],
    [['a:*,k in (x,y),b:c'], 'a,k in (x,y),b=c'],
    [['k in (x,y)', 'a:b'], 'k in (x,y),a=b'],
    [[' a : * , b : c '], 'a,b=c'],
  ])('§10.3 %j becomes %j, term by term', (elements, selector) =>
    expect(rewriteLegacySelector(elements)).toBe(selector),
  );

  it.each([[['env!=*']], [['env==*']], [['app=foo:bar']], [['a=b', '']], [['a:b=c']], [['a=*:x']]])(
    '§10.3 leaves %j to be refused with its own text',
    (elements) => {
      expect(rewriteLegacySelector(elements)).toBe(elements.join(','));
      expect(() => parseSelector(rewriteLegacySelector(elements))).toThrow(JSON.stringify(elements.join(',')));
    },
  );
});
