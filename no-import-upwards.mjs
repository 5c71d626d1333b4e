import path from 'node:path';
import { whyNot, whyNotInTests } from './rooms.mjs';

/**
 * An ESLint rule: each import goes down in the drawing of the rooms, or stays in its folder. Tests and fixtures are held to
 * their tower alone: what tests a low room may need what stands above it.
 */
export const noImportUpwards = {
  meta: { type: 'problem', schema: [], messages: { upwards: '{{why}}' } },
  create(context) {
    const folder = path.dirname(path.relative(context.cwd, context.filename));
    const whyNotHere = /\.(test|fixture)\.ts$/.test(context.filename) ? whyNotInTests : whyNot;
    const check = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
      const why = whyNotHere(folder, path.dirname(path.join(folder, specifier)));
      if (why !== undefined) context.report({ node, messageId: 'upwards', data: { why } });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    };
  },
};
