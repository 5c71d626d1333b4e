import { describe, expect, it, jest } from '@jest/globals';
import { runCli, type CliCommand, type LoadedCommand } from './cli';
import { parseArguments, parseOptions, UsageError } from './options';
import { processOptionTable } from './process-options';
import { version } from '../version';

function harness(run: LoadedCommand['run'] = () => Promise.resolve(0)) {
  const out: string[] = [];
  const err: string[] = [];
  const calls: (readonly string[])[] = [];
  const command: CliCommand = {
    name: 'reconciler',
    summary: 'Restart workloads.',
    isDefault: true,
    load: () =>
      Promise.resolve({
        options: processOptionTable,
        notes: 'Exit codes:\n  0  all is well',
        run: (args, env) => {
          calls.push(args);
          return run(args, env);
        },
      }),
  };
  const other: CliCommand = {
    name: 'other',
    summary: 'Does something else.',
    load: () => Promise.reject(new Error('loaded without need')),
  };
  const io = { columns: 80, out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
  const cli = (...args: string[]) => runCli(args, { REROLL_SETTLE: '2s' }, io, [command, other]);
  return { cli, calls, out: () => out.join(''), err: () => err.join('') };
}

describe('runCli', () => {
  it('passes a command its unparsed arguments, and the environment', async () => {
    let settle: string | undefined;
    const { cli, calls } = harness((_args, env) => {
      settle = env['REROLL_SETTLE'];
      return Promise.resolve(0);
    });
    const args = ['--namespaces', 'a,b', '--unknown=1', 'stray', '--', '-x', '--version'];
    expect(await cli('reconciler', ...args)).toBe(0);
    expect(calls).toEqual([args]);
    expect(settle).toBe('2s');
  });

  it.each([3, undefined])('returns the exit code of the command: %p', async (code) => {
    expect(await harness(() => Promise.resolve(code)).cli('reconciler')).toBe(code);
  });

  it('shows all problems of bad usage and how to get help, and returns 2', async () => {
    const { cli, err } = harness(async (args, env) => {
      parseOptions(processOptionTable, args, env);
      return 0;
    });
    expect(await cli('reconciler', '--log-level=loud', '--listen=x')).toBe(2);
    expect(err()).toContain('--log-level="loud"');
    expect(err()).toContain('--listen="x"');
    expect(err()).toContain("Run 'reroll reconciler --help'");
  });

  it('knows bad usage of a command that has the class in a file of its own', async () => {
    let another: typeof UsageError = UsageError;
    jest.isolateModules(() => {
      another = jest.requireActual<{ UsageError: typeof UsageError }>('./options').UsageError;
    });
    const thrown = new another(['--pace=banana']);
    expect(thrown).not.toBeInstanceOf(UsageError);

    const { cli, err } = harness(() => Promise.reject(thrown));
    expect(await cli('reconciler')).toBe(2);
    expect(err()).toBe("--pace=banana\n\nRun 'reroll reconciler --help' for all flags.\n");
  });

  it('returns 1 with the message when the command fails', async () => {
    const { cli, err } = harness(() => Promise.reject(new Error('no cluster')));
    expect(await cli('reconciler')).toBe(1);
    expect(err()).toBe('no cluster\n');
  });

  it.each(['--version', '-V', 'version'])('prints the version for %s', async (arg) => {
    const { cli, out } = harness();
    expect(await cli(arg)).toBe(0);
    expect(out()).toBe('0.0.0-test\n');
  });

  it.each([[[]], [['--help']], [['-h']]])('prints the commands for %j', async (args) => {
    const { cli, out, calls } = harness();
    expect(await cli(...args)).toBe(0);
    expect(out()).toContain('Usage: reroll <command> [flags]');
    expect(out()).toMatch(/reconciler .*Restart workloads\./);
    expect(out()).toContain("Flags without a command run 'reroll reconciler'.");
    expect(calls).toEqual([]);
  });

  it.each([
    ['alone', ['--help']],
    ['after flags', ['--settle=3s', '--help']],
    ['after a stray word', ['stray', '--help']],
  ])('prints every flag of a command for --help %s', async (_name, args) => {
    const { cli, out, calls } = harness();
    expect(await cli('reconciler', ...args)).toBe(0);
    for (const { flag } of Object.values(processOptionTable)) expect(out()).toMatch(new RegExp(`^  --${flag}\\s`, 'm'));
    expect(out()).toMatch(/A flag wins\.\n\nExit codes:\n {2}0 {2}all is well\n$/);
    expect(calls).toEqual([]);
  });

  it('rejects an unknown command, suggests a similar one, and returns 2', async () => {
    const { cli, err, calls } = harness();
    expect(await cli('reconcilr')).toBe(2);
    expect(err()).toContain("unknown command 'reconcilr'");
    expect(err()).toContain('Did you mean reconciler?');
    expect(err()).toContain("Run 'reroll --help' for all commands.");
    expect(calls).toEqual([]);
  });

  it.each([[['help', 'reconcilr']], [['--help', 'reconcilr']]])(
    'names an unknown command whose help is wanted: %j',
    async (args) => {
      const { cli, out, err } = harness();
      expect(await cli(...args)).toBe(2);
      expect(err()).toMatch(/^error: unknown command 'reconcilr'\n\(Did you mean reconciler\?\)\n/);
      expect(out()).toBe('');
    },
  );

  it.each([
    [['help', 'help'], 'Usage: reroll <command> [flags]'],
    [['help', 'version'], version],
    [['help'], 'Usage: reroll <command> [flags]'],
    [['help', '--help'], 'Usage: reroll <command> [flags]'],
    [['help', '-h'], 'Usage: reroll <command> [flags]'],
    [['--help', '--help'], 'Usage: reroll <command> [flags]'],
    [['-h', '-h'], 'Usage: reroll <command> [flags]'],
    [['help', 'reconciler'], '  --log-level '],
    [['--help', 'reconciler'], '  --log-level '],
  ])('prints the output of --help for %j', async (args, text) => {
    const { cli, out, calls } = harness();
    expect(await cli(...args)).toBe(0);
    expect(out()).toContain(text);
    expect(calls).toEqual([]);
  });

  it.each([
    [['--log-level=info', 'reconciler'], true],
    [['--log-level', 'reconciler'], true],
    [['reconciler', 'reconciler'], false],
    [['--log-level=loud'], false],
  ])('reports for %j whether the command is in the wrong place: %p', async (args, misplaced) => {
    const { cli, err } = harness(async (args, env) => {
      parseOptions(processOptionTable, args, env);
      return 0;
    });
    expect(await cli(...args)).toBe(2);
    expect(err().includes('A command must come before its flags: reroll reconciler [flags]')).toBe(misplaced);
  });

  it.each([[['--log-level=debug', '--namespaces', 'a,b']], [['-x']], [['--log-format', '--version']]])(
    '§1.1 passes %j, which names no command, to the default one',
    async (args) => {
      const { cli, calls } = harness();
      expect(await cli(...args)).toBe(0);
      expect(calls).toEqual([args]);
    },
  );

  it('§1.1 prints every flag for --help after flags without a command', async () => {
    const { cli, out, calls } = harness();
    expect(await cli('--log-level=info', '--help')).toBe(0);
    expect(out()).toContain('  --log-level ');
    expect(calls).toEqual([]);
  });

  it('§1.1 names the command that flags alone have run when they are bad usage', async () => {
    const { cli, err } = harness(async (args, env) => {
      parseOptions(processOptionTable, args, env);
      return 0;
    });
    expect(await cli('--verion')).toBe(2);
    expect(err()).toContain('unknown flag "--verion": did you mean --version?');
    expect(err()).toContain("Run 'reroll --help' for all commands, and 'reroll reconciler --help' for all flags.");
  });

  describe('as a plugin of kubectl, with a command that has another name and takes arguments', () => {
    async function plugin(
      ...args: readonly string[]
    ): Promise<{ readonly code: number | undefined; readonly text: string }> {
      const texts: string[] = [];
      const take = (text: string): void => void texts.push(text);
      const options = processOptionTable;
      const run: LoadedCommand['run'] = (args, env) =>
        Promise.resolve().then(() => parseArguments(options, args, env).positional.length);
      const load = () => Promise.resolve({ options, takes: 'KIND/NAME', run });
      const commands = [{ name: 'why', alias: 'explain', summary: 'Says why.', load }];
      const code = await runCli(args, {}, { columns: 80, out: take, err: take }, commands, 'kubectl reroll');
      return { code, text: texts.join('') };
    }

    it.each([[['why', '--help']], [['help', 'explain']]])('shows how it is called: %j', async (args) => {
      const { code, text } = await plugin(...args);
      expect(text).toContain('Usage: kubectl reroll why|explain KIND/NAME [flags]');
      expect(code).toBe(0);
    });

    it('names itself in hints', async () => {
      expect((await plugin('--help')).text).toContain('Usage: kubectl reroll <command> [flags]');
      expect((await plugin('why', '--log-level=loud')).text).toContain(
        "Run 'kubectl reroll why --help' for all flags.",
      );
    });

    it.each([['why'], ['explain']])('runs for %s', async (name) => {
      expect((await plugin(name, 'deployment/web')).code).toBe(1);
    });
  });

  it.each(['--version', '-V'])('prints the version for %s after a command, too', async (flag) => {
    const { cli, calls, out } = harness();
    expect(await cli('reconciler', flag)).toBe(0);
    expect(out()).toMatch(/^\d+\.\d+\.\d+/);
    expect(calls).toEqual([]);
  });
});
