import { describe, expect, it } from '@jest/globals';
import { addressOf, firstView, viewOf, type View } from './view';

const web = { is: 'workload', kind: 'Deployment', namespace: 'shop', name: 'web' } as const;

describe('the address of a view', () => {
  it.each<[string, Partial<View>, string]>([
    ['the first one', {}, '/'],
    ['the timeline', { tab: 'timeline' }, '/?tab=timeline'],
    ['a search', { search: 'web & db' }, '/?q=web+%26+db'],
    ['filters', { namespace: 'shop', state: 'blocked' }, '/?namespace=shop&state=blocked'],
    ['a workload', { opened: web }, '/?workload=Deployment/shop/web'],
    ['a source', { opened: { ...web, is: 'source', kind: 'Secret', name: 'db' } }, '/?source=Secret/shop/db'],
  ])('leads back to it: %s', (_what, changes, address) => {
    const view = { ...firstView, ...changes };
    expect(addressOf(view)).toBe(address);
    expect(viewOf(address.slice(1))).toEqual(view);
  });

  it.each([
    ['?tab=other&workload=Deployment/shop'],
    ['?workload=Deployment/shop/web/more'],
    ['?source=../../etc'],
    ['?workload=Deployment/shop/<b>'],
  ])('is of the first view where it names nothing: %s', (query) => {
    expect(viewOf(query)).toEqual(firstView);
  });

  it('has a search of at most 200 characters', () => {
    expect(viewOf(`?q=${'a'.repeat(5_000)}`).search).toHaveLength(200);
  });
});
