import type { Target } from '../target';
import { parseJsonContent } from '../../../shared/domain/content-check/json-content';
import { checkContent, contentMaxMs } from '../content';

/** A user's JSON, checked before it is stored. */
export const target: Target = {
  seeds: ['{"a":[1,2.5e3,true,null,"hunter2hunter2"],"b":{"c":"\\u0041"}}', '[1,]', '{"a":1,}', '// no', '"\\x"'],
  maxMs: contentMaxMs,
  run: (input) => checkContent('config.json', input.toString('utf8'), parseJsonContent),
};
