import { describe, expect, it } from '@jest/globals';
import type { UserLine } from './answers';
import { fitting, sourcePicture } from './source-picture';

const user = (name: string, restarts = true): UserLine => ({
  ...{ kind: 'Deployment', name, restarts, keys: 'all', by: '', because: '' },
});
const users = (count: number): readonly UserLine[] => Array.from({ length: count }, (_, index) => user(`web-${index}`));

describe('the picture of a source', () => {
  it.each([1, 2, 7, 14, 500])('has no boxes that touch or leave it, with %d users', (count) => {
    const { users: drawn, source, width, height } = sourcePicture({ users: users(count), moreUsers: 0 });
    const boxes = [source, ...drawn.map(({ box }) => box)];
    for (const box of boxes) {
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
    }
    for (const [index, { box }] of drawn.entries()) {
      const next = drawn[index + 1]?.box;
      if (next) expect(next.y).toBeGreaterThan(box.y + box.height);
      expect(box.x).toBeGreaterThan(source.x + source.width);
    }
  });

  it('leads a line from the source to the middle of each user', () => {
    const { users: drawn, source } = sourcePicture({ users: users(2), moreUsers: 0 });
    const [first] = drawn;
    const start = `M ${source.x + source.width} ${source.y + source.height / 2} `;
    expect(first?.line.startsWith(start)).toBe(true);
    expect(first?.line.endsWith(`${first.box.x} ${first.box.y + first.box.height / 2}`)).toBe(true);
  });

  it.each([
    [14, 0, 14, ''],
    [15, 0, 14, 'and 1 more, in the table'],
    [500, 70, 14, 'and 556 more, in the table'],
    [0, 0, 0, ''],
  ])('of %d users and %d more draws %d', (count, moreUsers, drawn, rest) => {
    const picture = sourcePicture({ users: users(count), moreUsers });
    expect([picture.users.length, picture.rest]).toEqual([drawn, rest]);
  });
});

it('cuts names that do not fit into a box', () => {
  expect([fitting('short', 8), fitting('exactly8', 8), fitting('far too long', 8)]).toEqual([
    'short',
    'exactly8',
    'far too…',
  ]);
});
