/** What is deployed: charts, manifests, rules, dashboards, with the tools that read them, and a real API server. */
import unit from './jest.config.mjs';

export default {
  ...unit,
  testMatch: ['**/*.deploy.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 180_000,
};
