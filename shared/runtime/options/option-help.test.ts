import { describe, expect, it } from '@jest/globals';
import { describeOptions } from './option-help';
import { goBool, nonEmpty } from './option-schemas';
import { inGroup, type OptionTable } from './option-table';

const name = { form: 'value', schema: nonEmpty.optional(), accepts: 'a name' } as const;
const table: OptionTable = {
  ...inGroup('Work', {
    dryRun: {
      ...{ flag: 'dry-run', form: 'switch', schema: goBool, default: 'false', accepts: 'true or false' },
      describe: 'Only say what would be done.',
    },
    podName: { ...name, flag: 'pod-name', fallbackEnv: 'POD_NAME', describe: 'Who we are, among all that there are.' },
  }),
  ...inGroup('Names', {
    one: { ...name, flag: 'one', short: 'o', default: 'app', describe: 'The first.' },
    long: { ...name, flag: 'a-flag-that-is-longer-than-most', describe: 'The second.' },
  }),
};

describe('describeOptions', () => {
  it('describes every flag in its group, and prints once what a whole group accepts', () => {
    expect(describeOptions(table, 72)).toBe(`Work:
  --dry-run                   Only say what would be done. (default
                              false)
  --pod-name                  Who we are, among all that there are.
                              Accepts a name. (or variable POD_NAME)

Names (each a name):
  -o, --one                   The first. (default app)
  --a-flag-that-is-longer-than-most
                              The second.

Each flag may also be set as REROLL_<FLAG> in the environment, such as
REROLL_LOG_LEVEL for --log-level. A flag wins.`);
  });
});
