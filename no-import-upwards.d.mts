import type { Rule } from 'eslint';

export const noImportUpwards: Rule.RuleModule;
