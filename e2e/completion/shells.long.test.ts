import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { shellScripts, type Shell } from '../../cli/completion/shell-scripts';
import { createTemporaryDir, type TemporaryDir } from '../control-plane/temporary-dir';
import { bundlePath } from '../reroll-process';

let temporary: TemporaryDir;

beforeEach(() => {
  temporary = createTemporaryDir();
  for (const name of ['reroll', 'kubectl-reroll', 'kubectl_complete-reroll']) {
    symlinkSync(bundlePath, path.join(temporary.dir, name));
  }
});

afterEach(() => temporary.dispose());

function environment(): NodeJS.ProcessEnv {
  return { HOME: temporary.dir, PATH: `${temporary.dir}:${process.env['PATH'] ?? ''}` };
}

/** Tests of one shell, if this machine has it; otherwise they are skipped, and the output says why. */
function inShell(shell: string, tests: () => void): void {
  const isThere = spawnSync(shell, ['--version']).status === 0;
  if (!isThere) console.warn(`${shell} is not installed here: its completion is not tested in it`);
  (isThere ? describe : describe.skip)(`in ${shell}`, tests);
}

inShell('bash', () => {
  /** What bash would offer for a line, with the cursor at its end. */
  function offered(words: readonly string[], more = ''): readonly string[] {
    const script = `
      source <(reroll completion bash)
      ${more}
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
      COMP_CWORD=${words.length - 1}
      compopt() { echo "compopt $*" >&2; }
      _reroll_complete reroll
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const out = execFileSync('bash', ['--norc', '-c', script], { env: environment(), encoding: 'utf8' });
    return out.split('\n').filter((line) => line !== '');
  }

  it.each<[readonly string[], readonly string[]]>([
    [['reroll', 'st'], ['status']],
    [['reroll', 'status', '--all'], ['--all-namespaces']],
    [['reroll', 'status', '-o', 'j'], ['json']],
    // As bash splits --output=j, and --output=.
    [['reroll', 'status', '--output', '=', 'j'], ['json']],
    [
      ['reroll', 'status', '--output', '='],
      ['text', 'wide', 'json', 'yaml', 'name'],
    ],
    [['reroll', 'status', '--output', '=', 'json', '--all-n'], ['--all-namespaces']],
    [
      ['reroll', 'users', ''],
      ['configmap/', 'secret/', 'secretproviderclass/'],
    ],
    [['reroll', 'nonsense', ''], []],
  ])('%j', (words, candidates) => {
    expect(offered(words)).toEqual(candidates);
  });

  it('keeps a flag before its value where = ends no word', () => {
    expect(offered(['reroll', 'status', '--output=j'], 'COMP_WORDBREAKS=${COMP_WORDBREAKS//=}')).toEqual([
      '--output=json',
    ]);
  });

  it('completes the name of a context, which bash splits at : and @', () => {
    const names = ['arn:aws:eks:eu-west-1:123:cluster/shop', 'arn:aws:eks:eu-west-1:123:cluster/team', 'admin@lab'];
    const contexts = names.map((name) => ({ name, context: { cluster: 'lab', user: 'admin' } }));
    const clusters = [{ name: 'lab', cluster: { server: 'https://lab.example' } }];
    const users = [{ name: 'admin', user: {} }];
    mkdirSync(path.join(temporary.dir, '.kube'));
    writeFileSync(path.join(temporary.dir, '.kube', 'config'), JSON.stringify({ clusters, contexts, users }));
    const typed = (...words: readonly string[]) => offered(['reroll', 'status', '--context', ...words]);
    expect(typed('arn')).toEqual(names.slice(0, 2));
    expect(typed('arn', ':', 'aws', ':', 'e')).toEqual([
      'eks:eu-west-1:123:cluster/shop',
      'eks:eu-west-1:123:cluster/team',
    ]);
    expect(typed('=', 'arn', ':', 'aws', ':')).toEqual([
      'eks:eu-west-1:123:cluster/shop',
      'eks:eu-west-1:123:cluster/team',
    ]);
    expect(typed('admin', '@', 'l')).toEqual(['lab']);
  });

  it('is registered for reroll', () => {
    const script = 'source <(reroll completion bash); complete -p reroll';
    const out = execFileSync('bash', ['--norc', '-c', script], { env: environment(), encoding: 'utf8' });
    expect(out).toBe('complete -o default -F _reroll_complete reroll\n');
  });

  it('adds no space behind a kind, and completes files only where a file may stand', () => {
    const options = (...words: readonly string[]): string => {
      const script = `source <(reroll completion bash); compopt() { echo "$*"; }
        COMP_WORDS=(${words.join(' ')} ''); COMP_CWORD=${words.length}; _reroll_complete reroll`;
      return execFileSync('bash', ['--norc', '-c', script], { env: environment(), encoding: 'utf8' });
    };
    expect(options('reroll', 'why')).toBe('-o nospace\n+o default\n');
    expect(options('reroll', 'status', '-o')).toBe('+o default\n');
    expect(options('reroll', 'lint', '-f')).toBe('');
  });
});

inShell('zsh', () => {
  it('is a script that zsh reads, and registers', () => {
    const script = 'autoload -Uz compinit; compinit -u; source <(reroll completion zsh); print ${_comps[reroll]}';
    expect(execFileSync('zsh', ['-f', '-c', script], { env: environment(), encoding: 'utf8' })).toBe('_reroll\n');
  });
});

inShell('fish', () => {
  it('offers what reroll answers', () => {
    const script = "reroll completion fish | source; complete -C 'reroll status -o j'";
    const out = execFileSync('fish', ['--no-config', '-c', script], { env: environment(), encoding: 'utf8' });
    expect(out).toMatch(/^json\b/);
  });
});

inShell('pwsh', () => {
  it('offers what reroll answers', () => {
    const line = 'reroll status -o j';
    const script = `reroll completion powershell | Out-String | Invoke-Expression
      (TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText`;
    const out = execFileSync('pwsh', ['-NoProfile', '-Command', script], { env: environment(), encoding: 'utf8' });
    expect(out.trim()).toBe('json');
  });
});

describe('the bundle', () => {
  function run(name: string, ...args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(path.join(temporary.dir, name), args, {
      env: environment(),
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }

  it.each<Shell>(['bash', 'zsh', 'fish', 'powershell'])('prints the script for %s', (shell) => {
    expect(run('reroll', 'completion', shell)).toEqual({ status: 0, stdout: shellScripts[shell], stderr: '' });
  });

  it('answers scripts, and what they ask is in no help', () => {
    expect(run('reroll', '__complete', 'completion', 'z')).toEqual({ status: 0, stdout: 'zsh\n:4\n', stderr: '' });
    expect(run('reroll', '--help').stdout).not.toContain('__complete');
  });

  it('answers kubectl, as its plugin for completion', () => {
    const answer = { status: 0, stderr: '' };
    expect(run('kubectl_complete-reroll', 'why', '')).toMatchObject({
      ...answer,
      stdout: expect.stringMatching(/^deployment\/\n[^]*:6\n$/),
    });
    expect(run('kubectl_complete-reroll', 'status', '--output', 'w')).toEqual({ ...answer, stdout: 'wide\n:4\n' });
    expect(run('kubectl_complete-reroll', '--help').stdout).toBe('--help\tprint this help\n:4\n');
  });

  it('names the shells if another is asked for', () => {
    expect(run('reroll', 'completion', 'tcsh')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('expected one shell: bash, zsh, fish, powershell, not "tcsh"'),
    });
  });
});
