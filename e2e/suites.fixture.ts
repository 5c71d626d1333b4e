import { expect } from '@jest/globals';
import { RerollError } from '../shared/domain/errors';

/** As a fixture sees it: it belongs to its suite, because it uses `expect`. */
export const errorOfFixture = RerollError;

export function expectError(thrown: unknown): void {
  expect(thrown).toBeInstanceOf(RerollError);
}
