import { expect, it } from '@jest/globals';
import { slope } from './slope';

it.each([
  [
    'of points on a line',
    [
      [0, 5],
      [10, 25],
      [100, 205],
    ],
    2,
  ],
  [
    'of points beside it',
    [
      [0, 1],
      [1, 0],
      [2, 3],
      [3, 2],
    ],
    0.6,
  ],
  [
    'of what does not grow',
    [
      [1, 7],
      [2, 7],
    ],
    0,
  ],
] as const)('%s', (_what, points, expected) => expect(slope(points)).toBeCloseTo(expected));

it('of one point is none', () => expect(slope([[1, 1]])).toBeNaN());
