import type { Target } from '../target';
import { parseEnvContent, parsePropertiesContent } from '../../../shared/domain/content-check/line-content';
import { checkContent, contentMaxMs } from '../content';

/** A user's properties and variables, checked before they are stored. */
export const target: Target = {
  seeds: ['a=1\nexport B="hunter2hunter2\nmore"\n# c\n', 'a\\u0041=b\n<<<<<<< HEAD\n', "A='x' \n\nB = 2"],
  maxBytes: 256 * 1024,
  maxMs: 2 * contentMaxMs,
  run: (input) => {
    checkContent('app.properties', input.toString('utf8'), parsePropertiesContent);
    checkContent('app.env', input.toString('utf8'), parseEnvContent);
  },
};
