import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as z from 'zod';
import { goBool, listOf, nonEmpty, oneOf, switchRow } from './option-schemas';
import { claimsToBeOption, type OptionTable } from './option-table';
import { UsageError, parseArguments, parseOptions, type Environment } from './options';

const table = {
  dryRun: {
    flag: 'dry-run',
    form: 'switch',
    schema: goBool,
    default: 'false',
    describe: 'Only say what would be done.',
    accepts: 'true or false',
  },
  colour: {
    flag: 'colour',
    form: 'value',
    schema: oneOf({ red: 1, green: 2 }, 'no such colour'),
    default: 'red',
    describe: 'Paint it.',
    accepts: 'red, green',
  },
  podName: {
    flag: 'pod-name',
    form: 'value',
    fallbackEnv: 'POD_NAME',
    schema: nonEmpty.optional(),
    describe: 'Who we are.',
    accepts: 'a name',
  },
  names: {
    flag: 'names',
    short: 'n',
    form: 'list',
    schema: listOf(nonEmpty),
    describe: 'Which.',
    accepts: 'a list of names',
  },
} as const satisfies OptionTable;

function parse(args: readonly string[], env: Environment = {}) {
  return parseOptions(table, args, env);
}

function problems(args: readonly string[], env: Environment = {}): readonly string[] {
  try {
    parse(args, env);
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.problems;
    throw thrown;
  }
  return [];
}

const defaults = { dryRun: false, colour: 1, podName: undefined, names: [] };

describe('parseOptions', () => {
  it('returns the defaults when nothing is set', () => {
    expect(parse([])).toEqual(defaults);
  });

  it.each<[readonly string[], object]>([
    [['--dry-run'], { dryRun: true }],
    [['--dry-run=true'], { dryRun: true }],
    [['--dry-run=F'], { dryRun: false }],
    [['--dry-run', 'true'], { dryRun: true }],
    [['--dry-run', 'false'], { dryRun: false }],
    [['--dry-run', '--colour=green'], { dryRun: true, colour: 2 }],
    [['--colour', 'green'], { colour: 2 }],
    [['--colour=red', '--colour=green'], { colour: 2 }],
    [['-na'], { names: ['a'] }],
    [['-na,b', '-nc', '--dry-run'], { dryRun: true, names: ['a', 'b', 'c'] }],
    [['--pod-name=a=b'], { podName: 'a=b' }],
    [['--pod-name=--odd'], { podName: '--odd' }],
    [['--pod-name', '-'], { podName: '-' }],
    [['--names=a,b', '--names', 'c'], { names: ['a', 'b', 'c'] }],
    [['--names= a , "b,c",a'], { names: ['a', 'b,c'] }],
    [['--names='], { names: [] }],
    [['-n', 'a', '-n=b', '-n', '-', '--names=c'], { names: ['a', 'b', '-', 'c'] }],
  ])('reads %j', (args, values) => {
    expect(parse(args)).toEqual({ ...defaults, ...values });
  });

  it.each<[readonly string[], Environment, object]>([
    [[], { REROLL_COLOUR: 'green' }, { colour: 2 }],
    [[], { REROLL_DRY_RUN: '1' }, { dryRun: true }],
    [[], { REROLL_NAMES: 'a,b' }, { names: ['a', 'b'] }],
    [['--colour=red'], { REROLL_COLOUR: 'green' }, { colour: 1 }],
    [['--names=c'], { REROLL_NAMES: 'a,b' }, { names: ['c'] }],
    [[], { POD_NAME: 'theirs' }, { podName: 'theirs' }],
    [[], { POD_NAME: 'theirs', REROLL_POD_NAME: 'ours' }, { podName: 'ours' }],
    [['--pod-name=flag'], { POD_NAME: 'theirs', REROLL_POD_NAME: 'ours' }, { podName: 'flag' }],
    [[], { REROLL_POD_NAME: '', POD_NAME: 'theirs' }, { podName: 'theirs' }],
    [[], { REROLL_COLOUR: '' }, { colour: 1 }],
    [[], { REROLL_COLOUR: undefined, PATH: '/bin' }, {}],
  ])('reads %j with %j', (args, env, values) => {
    expect(parse(args, env)).toEqual({ ...defaults, ...values });
  });

  it('ignores a bad variable when the flag is set', () => {
    expect(parse(['--colour=green'], { REROLL_COLOUR: 'blue' })).toMatchObject({ colour: 2 });
  });

  it('takes no notice of a variable of another command, and knows its name if it is misspelt', () => {
    expect(parse([], { REROLL_REROLL_NAMESPACE: 'tools', REROLL_SETTLE: 'banana' })).toEqual(defaults);
    expect(problems([], { REROLL_REROLL_NAMSPACE: 'tools' })).toEqual([
      'unknown environment variable REROLL_REROLL_NAMSPACE: did you mean REROLL_REROLL_NAMESPACE?',
    ]);
  });

  it.each<[readonly string[], Environment, string]>([
    [['--colour=blue'], {}, '--colour="blue": no such colour; accepted: red, green'],
    [['--colour='], {}, '--colour="": no such colour; accepted: red, green'],
    [[], { REROLL_COLOUR: 'blue' }, 'REROLL_COLOUR="blue": no such colour; accepted: red, green'],
    [['--dry-run=yes'], {}, '--dry-run="yes": not a boolean; accepted: true or false'],
    [['--colour'], {}, '--colour needs a value; accepted: red, green'],
    [['--colour', '--dry-run'], {}, '--colour needs a value; accepted: red, green'],
    [['-n'], {}, '--names needs a value; accepted: a list of names'],
    [['--n=a'], {}, 'unknown flag "--n": --help lists every flag'],
    [['-names=a'], {}, 'unknown flag "-names": did you mean --names?'],
    [['-names'], {}, 'unknown flag "-names": did you mean --names?'],
    [['-nams'], {}, 'unknown flag "-nams": did you mean --names?'],
    [['-na=b'], {}, 'unknown flag "-na": --help lists every flag'],
    [['-cred'], {}, 'unknown flag "-cred": --help lists every flag'],
    [['-c=red'], {}, 'unknown flag "-c": --help lists every flag'],
    [['--names=a,,b'], {}, '--names="a,,b": element "": must not be empty; accepted: a list of names'],
    [['--names=a"b'], {}, '--names="a\\"b": a quote out of place; accepted: a list of names'],
    [['--color=red'], {}, 'unknown flag "--color": did you mean --colour?'],
    [['--DRY-RUN'], {}, 'unknown flag "--DRY-RUN": did you mean --dry-run?'],
    [['-colour=red'], {}, 'unknown flag "-colour": did you mean --colour?'],
    [['--webhook-url=https://token@host'], {}, 'unknown flag "--webhook-url": --help lists every flag'],
    [['--webhook-url', 'https://token@host'], {}, 'unknown flag "--webhook-url": --help lists every flag'],
    [['stray'], {}, 'unexpected argument "stray": only flags are accepted, each as --flag=value'],
    [['--dry-run', 'yes'], {}, 'unexpected argument "yes": only flags are accepted, each as --flag=value'],
    [['--'], {}, 'unexpected argument "--": only flags are accepted, each as --flag=value'],
    [[], { REROLL_COLOR: 's3cret' }, 'unknown environment variable REROLL_COLOR: did you mean REROLL_COLOUR?'],
    [
      [],
      { REROLL_SOMETHING_ELSE: 's3cret' },
      'unknown environment variable REROLL_SOMETHING_ELSE: --help lists the variable of every flag',
    ],
  ])('rejects %j with %j', (args, env, problem) => {
    expect(problems(args, env)).toEqual([problem]);
  });

  it('names all problems at once', () => {
    expect(problems(['--colour=blue', '--nmes=a', 'stray', '--names'], { REROLL_DRY_RUN: 'x', REROLL_X: '1' })).toEqual(
      [
        'unknown flag "--nmes": did you mean --names?',
        'unexpected argument "stray": only flags are accepted, each as --flag=value',
        '--names needs a value; accepted: a list of names',
        'unknown environment variable REROLL_X: --help lists the variable of every flag',
        'REROLL_DRY_RUN="x": not a boolean; accepted: true or false',
        '--colour="blue": no such colour; accepted: red, green',
      ],
    );
  });

  it('looks for what was meant by the first twenty, and names the rest all the same', () => {
    const args = Array.from({ length: 21 }, () => '--nmes');
    const env = Object.fromEntries(args.map((_, index) => [`REROLL_NAMES${String.fromCharCode(65 + index)}`, 'a']));
    const found = problems(args, env);
    expect(found.filter((problem) => problem.includes('unknown flag'))).toEqual([
      ...args.slice(1).map(() => 'unknown flag "--nmes": did you mean --names?'),
      'unknown flag "--nmes": --help lists every flag',
    ]);
    const ofVariables = found.filter((problem) => problem.includes('unknown environment variable'));
    expect(ofVariables).toHaveLength(21);
    expect(ofVariables.filter((problem) => problem.includes('did you mean'))).toHaveLength(20);
  });

  it('is an error with a stable code and one problem per line', () => {
    expect(() => parse(['--a-flag', '--b-flag'])).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: 'unknown flag "--a-flag": --help lists every flag\nunknown flag "--b-flag": --help lists every flag',
      }),
    );
  });

  it('names a required flag that is missing', () => {
    const required = {
      port: { flag: 'port', form: 'value', schema: z.string('required'), describe: '', accepts: 'a number' },
    } as const satisfies OptionTable;
    expect(() => parseOptions(required, [], {})).toThrow('--port is missing: required; accepted: a number');
  });

  it('shows only the beginning of a long value', () => {
    expect(problems([`--colour=${'x'.repeat(1000)}`])[0]?.length).toBeLessThan(200);
  });

  it('checks across options, beside other problems, with the valid values', () => {
    const check = (values: { readonly colour?: number; readonly dryRun?: boolean }) =>
      values.colour === 2 && values.dryRun === undefined ? ['green alone'] : [];
    expect(() => parseOptions(table, ['--colour=green', '--dry-run=x'], {}, check)).toThrow(
      '--dry-run="x": not a boolean; accepted: true or false\ngreen alone',
    );
    expect(parseOptions(table, ['--colour=green'], {}, check)).toMatchObject({ colour: 2 });
  });

  it('throws only usage errors', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom('--dry-run', '--names', '--colour=red', '--', '-', '--=', '--toString'),
    );
    fc.assert(
      fc.property(fc.array(word), fc.dictionary(fc.string(), fc.string()), (args, env) => {
        problems(args, env);
      }),
    );
  });
});

describe('parseArguments', () => {
  const table = {
    namespace: { flag: 'namespace', short: 'n', schema: z.string().optional(), describe: '', accepts: '' },
    watch: switchRow('watch', ''),
  } satisfies OptionTable;

  it.each<[readonly string[], readonly string[], object]>([
    [['deployment/web'], ['deployment/web'], {}],
    [['-n', 'shop', 'deployment', 'web'], ['deployment', 'web'], { namespace: 'shop' }],
    [['deployment/web', '--watch', '--namespace=shop'], ['deployment/web'], { namespace: 'shop', watch: true }],
    [['--watch', 'deployment/web'], ['deployment/web'], { watch: true }],
    [['-'], ['-'], {}],
  ])('tells arguments from flags and their values: %j', (args, positional, options) => {
    const parsed = parseArguments(table, args, {});
    expect(parsed).toEqual({ positional, options: { namespace: undefined, watch: false, ...options } });
  });

  it('names all problems of flags', () => {
    expect(() => parseArguments(table, ['web', '--watc', '-x'], {})).toThrow(
      /did you mean --watch\?\nunknown flag "-x"/,
    );
  });
});

describe('the variable of a flag that Kubernetes sets for a Service', () => {
  const port = { flag: 'port', schema: z.string().regex(/^\d+$/), default: '0', describe: '', accepts: 'a port' };

  it.each(['tcp://10.0.0.1:80', 'udp://[fd00::1]:53', 'sctp://10.0.0.1:80'])('does not count: %s', (text) => {
    expect(parseOptions({ port }, [], { REROLL_PORT: text })).toEqual({ port: '0' });
  });

  it('counts if it is a value of the flag, and is refused if it is something else', () => {
    expect(parseOptions({ port }, [], { REROLL_PORT: '8080' })).toEqual({ port: '8080' });
    expect(() => parseOptions({ port }, [], { REROLL_PORT: 'http://x' })).toThrow('REROLL_PORT=');
  });
});

describe('claimsToBeOption', () => {
  it.each(['REROLL_SETTLE', 'REROLL_X'])('holds for %s', (variable) => {
    expect(claimsToBeOption(variable)).toBe(true);
  });

  it.each([
    'HOME',
    'XREROLL_A',
    'REROLL_SERVICE_HOST',
    'REROLL_SERVICE_PORT',
    'REROLL_SERVICE_PORT_HTTP_METRICS',
    'REROLL_PORT',
    'REROLL_PORT_9090_TCP',
    'REROLL_PORT_9090_TCP_ADDR',
    'REROLL_WEBHOOK_SERVICE_HOST',
    'REROLL_WEBHOOK_PORT_443_TCP_PROTO',
  ])('does not hold for %s, which Kubernetes sets for a Service', (variable) => {
    expect(claimsToBeOption(variable)).toBe(false);
  });
});
