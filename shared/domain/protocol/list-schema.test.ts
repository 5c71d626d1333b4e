import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { listSchema } from './list-schema';

const names = listSchema(z.string(), 2);

describe('a list', () => {
  it.each([[[]], [['a', 'b']]])('is accepted: %j', (value) => {
    expect(names.parse(value)).toEqual(value);
  });

  it.each([[undefined], [{}], ['a'], [['a', 1]], [[1, 'a']], [['a', 'b', 'c']]])('is rejected: %j', (value) => {
    expect(names.safeParse(value).success).toBe(false);
  });

  it('keeps the fields of its elements that the schema keeps', () => {
    const objects = listSchema(z.object({ name: z.string() }));
    expect(objects.parse([{ name: 'a', other: 1 }])).toEqual([{ name: 'a' }]);
  });

  it('is validated up to its first bad element, and reports only that', () => {
    let seen = 0;
    const element = z.custom<string>(() => ++seen < 3);
    const { error } = listSchema(element).safeParse(Array(80_000).fill(0));
    expect([seen, error?.issues.map(({ path }) => path)]).toEqual([3, [[2]]]);
  });
});
