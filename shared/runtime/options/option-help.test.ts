import { describe, expect, it } from '@jest/globals';
import { describeNotes, describeOptions } from './option-help';
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

describe('describeNotes', () => {
  const notes = `Exit codes:
  0    answered
  130  ended by Ctrl-C, or because its reader has gone

Who reads the help of a command has a terminal that is not very wide.

Examples:
  reroll preview secret/db --set-file ca.crt=new-ca.crt`;

  it('wraps what is longer than a line below its text, and splits no example', () => {
    expect(describeNotes(notes, 40)).toBe(`Exit codes:
  0    answered
  130  ended by Ctrl-C, or because its
       reader has gone

Who reads the help of a command has a
terminal that is not very wide.

Examples:
  reroll preview secret/db --set-file ca.crt=new-ca.crt`);
  });

  it('leaves notes that fit as they are', () => {
    expect(describeNotes(notes, 80)).toBe(notes);
    expect(describeNotes('Nothing more.', undefined)).toBe('Nothing more.');
  });
});
