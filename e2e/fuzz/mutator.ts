import type { Draw } from '../simulation/draw';

/** The tools of a mutation. */
export interface Mutator {
  readonly draw: Draw;
  /** Words that may open a branch. */
  readonly dictionary: readonly string[];
  /** Another input of the corpus, to take a part of. */
  readonly other: () => Buffer;
  readonly maxBytes: number;
}

/** Boundary values of arithmetic, lengths and dates. */
export const edgeNumbers: readonly number[] = [
  ...[0, -0, 1, -1, 2, 7, 8, 15, 16, 63, 64, 100, 127, 128, 255, 256, 1023, 1024, 4095, 4096, 65535, 65536],
  ...[2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 63, 2 ** 64, 1e21, 1e308, 0.1, -1.5],
];

/** Words that tend to break JavaScript code, whatever it reads. */
export const edgeWords: readonly string[] = [
  ...['', ' ', '\n', '\r\n', '\t', '\0', '"', "'", '\\', '/', '//', '..', '.', ',', ',,', ':', '=', '-', '--', '*'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'length', 'then', 'toJSON'],
  ...['null', 'true', 'false', 'undefined', 'NaN', 'Infinity', '-Infinity', '0x10', '1e400', '9'.repeat(40)],
  ...['{}', '[]', '{', '}', '[', ']', '(', ')', '((', '<<', '>>', '&a', '*a', '!!', '%', '${', '$&', '\\u0000'],
  ...['\ud800', '\u2028', '\ufeff', '\u202e', 'é', '😀', '2026-01-02T03:04:05Z', '+275760-09-13T00:00:00.001Z'],
];
