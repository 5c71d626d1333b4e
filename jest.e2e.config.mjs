/** End-to-end tests on a real control plane: one after the other, for they share two cores with it. */
import unit from './jest.config.mjs';

export default {
  ...unit,
  testMatch: ['**/*.e2e.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 180_000,
};
