import process from 'node:process';

/** Unit and integration tests: no cluster, no Go, no network beyond loopback. */
export default {
  runtime: '<rootDir>/jest.runtime.mjs',
  testEnvironment: '<rootDir>/jest.environment.mjs',
  roots: [
    '<rootDir>/shared',
    '<rootDir>/reconciler',
    '<rootDir>/webhook',
    '<rootDir>/certs',
    '<rootDir>/cli',
    '<rootDir>/e2e',
  ],
  testMatch: ['**/*.test.ts'],
  maxWorkers: '100%',
  testSequencer: '<rootDir>/jest.sequencer.mjs',
  // A suite of the engine keeps all that was ever written while it runs, up to 500 MB: a worker with much left over begins anew.
  workerIdleMemoryLimit: '450MB',
  // For what hangs. How long a test takes is the machine's affair, and how busy that is.
  testTimeout: 180_000,
  // What proves the demo, the fuzzer and other tools of ours at length is a step of .ci/run.
  testPathIgnorePatterns: [
    '/node_modules/',
    `\\.(e2e|deploy${process.env['LONG_TESTS'] === '1' ? '' : '|long'})\\.test\\.ts$`,
  ],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
  transform: {
    '^.+\\.(ts|m?js)$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  // These ship ES modules only; they are loaded by the kubeconfig reader alone.
  transformIgnorePatterns: [
    '/node_modules/(?!(@kubernetes/client-node|openid-client|oauth4webapi|jose|hpagent|socks-proxy-agent|agent-base|js-yaml)/)',
  ],
  globals: { REROLL_VERSION: '0.0.0-test' },
};
