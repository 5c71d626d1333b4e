import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { clusterOptionTable } from '../../cli/cluster/cluster-options';
import { completionOf, linesOf, valuesOf } from '../../cli/completion/completion';
import { once } from '../../cli/parts/once';
import { commands as all } from '../../commands';
import { reconcilerOptionTable } from '../../reconciler/options/options';
import type { CliCommand, CompletionRequest } from '../../shared/runtime/options/cli';
import { webhookOptionTable } from '../../webhook/process/options';

/** Each is loaded once, as in a process. */
const commands = all.map((command) => ({ ...command, load: once(async () => await command.load()) }));

/** The words of the real commands, and how the shell goes on. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const completion = await completionOf(commands, words, { KUBECONFIG: '/nowhere/config' });
  return [...completion.candidates.map(({ word }) => word), ...(completion.isFile ? ['(files)'] : [])];
}

describe('what is completed', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['st'], ['status']],
    [['c'], ['certs', 'check', 'completion']],
    [['ver'], ['version']],
    [['--v'], ['--version']],
    [
      ['help', 'w'],
      ['webhook', 'why'],
    ],
    [['help', 'why', ''], []],
    [['nonsense', ''], []],
    [['status', '--all'], ['--all-namespaces']],
    [['status', '--h'], ['--help']],
    [['check', '--str'], ['--strict']],
    [['explain', '--fo'], ['--for']],
    [
      ['status', '-o', ''],
      ['text', 'wide', 'json', 'yaml', 'name'],
    ],
    [
      ['check', '-o', ''],
      ['text', 'json', 'yaml', 'name'],
    ],
    [['status', '-A', '-o', 'y'], ['yaml']],
    [['status', '--output=j'], ['--output=json']],
    [['status', '-o=j'], ['-o=json']],
    [
      ['status', '--all-namespaces='],
      ['--all-namespaces=true', '--all-namespaces=false'],
    ],
    [['lint', '--output', 's'], ['sarif']],
    [
      ['reconciler', '--log-level', 'w'],
      ['warn', 'warning'],
    ],
    [
      ['reconciler', '--ignored-workload-types', ''],
      ['jobs', 'cronjobs'],
    ],
    [
      ['webhook', '--register', ''],
      ['none', 'validating', 'mutating', 'both'],
    ],
    [['status', '--kubeconfig', ''], ['(files)']],
    [['lint', '-f', ''], ['(files)']],
    [
      ['why', 'dep'],
      ['deployment/', 'deploymentconfig/'],
    ],
    [['why', 'deployment/web', ''], []],
    [['why', '-o', 'json', 's'], ['statefulset/']],
    [['why', 'deployment/web', '--for', 'c'], ['configmap/']],
    [
      ['why', 'deployment/web', '--for=se'],
      ['--for=secret/', '--for=secretproviderclass/'],
    ],
    [['history', 'sta'], ['statefulset/']],
    [['preview', 'conf'], ['configmap/']],
    [
      ['users', ''],
      ['configmap/', 'secret/', 'secretproviderclass/'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', 'powershell'],
    ],
    [['completion', 'bash', ''], []],
    // The cluster does not answer: nothing is known, and nothing is said.
    [['why', 'deployment/w'], []],
    [['status', '-n', ''], []],
  ])('%j', async (words, candidates) => {
    expect(await complete(...words)).toEqual(candidates);
  });

  it('is a context of the kubeconfig, for every command of people that takes one', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reroll-contexts-'));
    try {
      const file = join(directory, 'config');
      const contexts = ['prod-eu', 'prod-us', 'test'].map((name) => ({ name, context: { cluster: 'c', user: 'u' } }));
      writeFileSync(file, stringify({ apiVersion: 'v1', kind: 'Config', contexts }));
      for (const command of ['status', 'migrate', 'ui']) {
        expect(await complete(command, '--kubeconfig', file, '--context', 'prod')).toEqual(['prod-eu', 'prod-us']);
      }
      const { candidates } = await completionOf(commands, ['why', '--context=t'], { KUBECONFIG: file });
      expect(candidates).toEqual([{ word: '--context=test' }]);
      expect(await complete('status', '--context', '')).toEqual([]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('is each command and each flag, by the tables that the commands parse', async () => {
    const words = await complete('');
    for (const { name, load } of commands) {
      expect(words).toContain(name);
      const flags = Object.values((await load()).options).map(({ flag }) => `--${flag}`);
      expect(await complete(name, '-')).toEqual([...flags, '--help']);
    }
  });

  it('asks the command for names, with what was typed before', async () => {
    const asked: CompletionRequest[] = [];
    const command: CliCommand = {
      ...{ name: 'why', summary: 'Says why.' },
      load: async () =>
        await Promise.resolve({
          options: clusterOptionTable,
          complete: async (request: CompletionRequest) => {
            asked.push(request);
            return await Promise.resolve(['deployment/web', 'deployment/api']);
          },
          run: async () => await Promise.resolve(0),
        }),
    };
    const env = { HOME: '/home' };
    const { candidates } = await completionOf([command], ['why', '-n', 'shop', 'deployment/w'], env);
    expect(candidates).toEqual([{ word: 'deployment/web' }]);
    await completionOf([command], ['why', '-n', 'sh'], env);
    expect(asked).toEqual([
      { flag: undefined, word: 'deployment/w', args: ['-n', 'shop'], env },
      { flag: 'namespace', word: 'sh', args: [], env },
    ]);
  });
});

describe('the values of a flag', () => {
  it.each([
    [clusterOptionTable.output, ['text', 'wide', 'json', 'yaml', 'name']],
    [clusterOptionTable.namespace, []],
    [clusterOptionTable.inspectionPort, []],
    [clusterOptionTable.timeoutMs, []],
    [reconcilerOptionTable.listen, []],
    [reconcilerOptionTable.strategy, ['env-vars', 'default', 'annotations', 'restarted-at']],
    [reconcilerOptionTable.logFormat, ['text', 'json']],
    [webhookOptionTable.preview, ['true', 'false']],
    [webhookOptionTable.quietNamespaces, []],
  ])('%#', (row, values) => {
    expect(valuesOf(row)).toEqual(values);
  });
});

describe('the lines', () => {
  it.each([
    [{ candidates: [], isFile: false }, ':4\n'],
    [{ candidates: [], isFile: true }, ':0\n'],
    [
      { candidates: [{ word: 'why', describe: 'Says why.' }, { word: 'users' }], isFile: false },
      'why\tSays why.\nusers\n:4\n',
    ],
    [{ candidates: [{ word: 'deployment/' }], isFile: false }, 'deployment/\n:6\n'],
    [{ candidates: [{ word: 'a\nb' }], isFile: false }, 'a\\nb\n:4\n'],
  ])('%#', (completion, lines) => {
    expect(linesOf(completion)).toBe(lines);
  });
});
