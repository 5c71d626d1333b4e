import js from '@eslint/js';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
import { noImportUpwards } from './no-import-upwards.mjs';

const sources = ['shared/**/*.ts', 'webhook/**/*.ts', 'reconciler/**/*.ts', 'certs/**/*.ts', 'cli/**/*.{ts,tsx}'];
const tests = ['**/*.test.ts', 'e2e/**/*.ts'];

const worldGlobals = ['setTimeout', 'setInterval', 'setImmediate', 'performance', 'fetch'].map((name) => ({
  name,
  message: 'Time and network are passed in: see shared/runtime/clock.ts and shared/kube/transport.ts.',
}));

const worldProperties = [
  ['Date', 'now', 'Use Clock.nowMs().'],
  ['Math', 'random', 'Use Random.'],
  ['AbortSignal', 'timeout', 'Use Clock.sleep with an AbortController.'],
  ['crypto', 'randomUUID', 'Use Random.'],
  ['crypto', 'randomBytes', 'Use Random.'],
].map(([object, property, message]) => ({ object, property, message }));

export default tseslint.config(
  { ignores: ['dist/', '.cache/', 'coverage/', 'artefacts/', 'node_modules/', 'deploy/'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver()] },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/return-await': ['error', 'always'],
      eqeqeq: 'error',
      'import-x/no-cycle': 'error',
    },
  },
  {
    files: sources,
    ignores: [
      '**/*.test.ts',
      // The browser's own time and network.
      'cli/ui/page/browser.ts',
      'shared/kube/access/kubeconfig-library.ts',
      'shared/runtime/clock.ts',
      'shared/runtime/fake-clock.ts',
      'shared/runtime/random.ts',
    ],
    rules: {
      'no-restricted-globals': ['error', ...worldGlobals],
      'no-restricted-properties': ['error', ...worldProperties],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Use Clock.nowMs().' },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'node:timers', message: 'Use Clock.' },
            { name: 'node:timers/promises', message: 'Use Clock.' },
            { name: 'node:crypto', importNames: ['randomBytes', 'randomUUID', 'randomInt'], message: 'Use Random.' },
            {
              name: '@kubernetes/client-node',
              message: 'Only shared/kube/access/kubeconfig-library.ts loads it; elsewhere use import type.',
              allowTypeImports: true,
            },
          ],
        },
      ],
      'no-console': 'error',
    },
  },
  {
    files: sources,
    plugins: { rooms: { rules: { 'no-import-upwards': noImportUpwards } } },
    rules: { 'rooms/no-import-upwards': 'error' },
  },
  {
    // The domain is a function of its arguments: no process, no file, no socket. So is what the page of `reroll ui` computes.
    files: ['shared/domain/**/*.ts', 'cli/ui/model/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', ...worldGlobals],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^node:(?!crypto$|buffer$)', message: 'The domain does no I/O.' }] },
      ],
    },
  },
  {
    files: tests,
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: { ...tseslint.configs.disableTypeChecked.languageOptions, globals: { URL: 'readonly' } },
  },
);
