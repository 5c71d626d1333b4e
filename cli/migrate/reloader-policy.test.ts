import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { RE2JS } from 're2js';
import { workload } from './difference-rows.fixture';
import { migrate } from './migrate.fixture';

const reload = 'configmap.reloader.stakater.com/reload';
const codes = (list: string) => migrate([workload({ metadata: { [reload]: list } })]).findings.map(({ code }) => code);

describe('a list of patterns', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('costs no more than its budget, whatever a tenant writes', () => {
    const compile = jest.spyOn(RE2JS, 'compile');
    const costly = Array.from({ length: 490 }, (_, index) => `.*a.{40}[bc]${index}`);
    expect(codes(costly.join())).toContain('reloader-limit');
    expect(compile.mock.calls.length).toBeLessThan(50);
  });

  it('is reported for an element that does not compile, and not for one that a comma has cut off', () => {
    expect(codes('a{1,3},app[')).toEqual(['reloader-bad-pattern']);
    expect(codes('a{1,3}')).toEqual([]);
  });
});
