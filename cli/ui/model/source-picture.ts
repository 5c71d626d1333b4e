import type { SourceAnswer, UserLine } from './answers';

/** A box of the picture. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A workload in the picture, and the line from the source to it. */
export interface DrawnUser {
  readonly user: UserLine;
  readonly box: Box;
  /** The `d` of an SVG path. */
  readonly line: string;
}

/** A source, and who uses it, as shapes. */
export interface SourcePicture {
  readonly width: number;
  readonly height: number;
  readonly source: Box;
  readonly users: readonly DrawnUser[];
  /** Users that are in the table alone; empty: none. */
  readonly rest: string;
  /** Where to write that. */
  readonly restAt: { readonly x: number; readonly y: number };
}

/** More would be a wall; the table has all. */
const mostUsers = 14;

const [width, margin, gap] = [560, 12, 8];
const sourceSize = { width: 176, height: 56 };
const userSize = { width: 224, height: 36 };

/** Where the source stands at the left, and its users at the right, those that restart first. */
export function sourcePicture({ users, moreUsers }: Pick<SourceAnswer, 'users' | 'moreUsers'>): SourcePicture {
  const drawn = users.slice(0, mostUsers);
  const left = users.length - drawn.length + moreUsers;
  const rows = drawn.length * (userSize.height + gap) - gap;
  const height = Math.max(rows, sourceSize.height) + 2 * margin + (left > 0 ? 28 : 0);
  const columnHeight = height - (left > 0 ? 28 : 0);
  const source: Box = { ...sourceSize, x: margin, y: (columnHeight - sourceSize.height) / 2 };
  const x = width - margin - userSize.width;
  const top = (columnHeight - Math.max(rows, 0)) / 2;
  return {
    ...{ width, height, source },
    users: drawn.map((user, index) => {
      const box: Box = { ...userSize, x, y: top + index * (userSize.height + gap) };
      return { user, box, line: lineBetween(source, box) };
    }),
    rest: left === 0 ? '' : `and ${left} more, in the table`,
    restAt: { x: x + userSize.width / 2, y: height - margin },
  };
}

/** From the middle of the right side to the middle of the left side, level at both ends. */
function lineBetween(from: Box, to: Box): string {
  const [startX, startY] = [from.x + from.width, from.y + from.height / 2];
  const [endX, endY] = [to.x, to.y + to.height / 2];
  const middleX = (startX + endX) / 2;
  return `M ${startX} ${startY} C ${middleX} ${startY} ${middleX} ${endY} ${endX} ${endY}`;
}

/** A text that fits into a box, cut with an ellipsis. The whole name is in the title of the box, and in the table. */
export function fitting(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
