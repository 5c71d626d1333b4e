import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { everything } from '../../shared/domain/kubernetes/selector';
import { UsageError, type Environment } from '../../shared/runtime/options/options';
import { parseLintOptions, type LintOptions } from './lint-options';

const defaults: LintOptions = {
  filenames: ['a.yaml'],
  namespace: 'default',
  output: 'text',
  settings: {
    keys: defaultAnnotationKeys,
    policy: { autoReloadAll: false, ignoredWorkloadKinds: [] },
    selection: {
      ...{ namespaces: [], namespacesToIgnore: [], namespaceSelector: everything },
      ...{ sourceSelector: everything, ignoredSourceKinds: [] },
    },
    csi: false,
  },
};

const { settings } = defaults;

function problems(args: readonly string[], env: Environment = {}): readonly string[] {
  try {
    parseLintOptions(args, env);
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.problems;
    throw thrown;
  }
  return [];
}

const selecting = (selection: Partial<LintOptions['settings']['selection']>): Partial<LintOptions> => ({
  settings: { ...settings, selection: { ...settings.selection, ...selection } },
});
const deciding = (policy: Partial<LintOptions['settings']['policy']>): Partial<LintOptions> => ({
  settings: { ...settings, policy: { ...settings.policy, ...policy } },
});

describe('parseLintOptions', () => {
  it('has defaults', () => {
    expect(parseLintOptions(['--filename=a.yaml'], {})).toEqual(defaults);
  });

  it.each<[readonly string[], Partial<LintOptions>]>([
    [['-f', '-', '-f=b.yaml,c.yaml'], { filenames: ['a.yaml', '-', 'b.yaml', 'c.yaml'] }],
    [['-n', 'shop'], { namespace: 'shop' }],
    [['--namespace=shop'], { namespace: 'shop' }],
    [['-o', 'json'], { output: 'json' }],
    [['--output=sarif'], { output: 'sarif' }],
    [['--auto-reload-all'], deciding({ autoReloadAll: true })],
    [['--enable-csi-integration'], { settings: { ...settings, csi: true } }],
    [['--is-Argo-Rollouts=false'], deciding({ ignoredWorkloadKinds: ['Rollout'] })],
    [['--ignored-workload-types=jobs'], deciding({ ignoredWorkloadKinds: ['Job'] })],
    [['--namespaces=shop'], selecting({ namespaces: ['shop'] })],
    [['--namespaces-to-ignore=shop'], selecting({ namespacesToIgnore: ['shop'] })],
    [['--namespaces=shop', '--namespaces-to-ignore=shop'], selecting({ namespaces: ['shop'] })],
    [['--resources-to-ignore=secrets'], selecting({ ignoredSourceKinds: ['Secret'] })],
    [['--auto-annotation=a/b'], { settings: { ...settings, keys: { ...settings.keys, auto: 'a/b' } } }],
  ])('%s', (args, expected) => {
    expect(parseLintOptions(['-f', 'a.yaml', ...args], {})).toEqual({ ...defaults, ...expected });
  });

  it('reads the environment, but not the namespace of a pod in which CI runs', () => {
    const env = { REROLL_FILENAME: 'a.yaml', REROLL_NAMESPACE: 'shop', KUBERNETES_NAMESPACE: 'ci' };
    expect(parseLintOptions([], env)).toEqual({ ...defaults, namespace: 'shop' });
  });

  it('names all problems at once', () => {
    expect(
      problems([
        'a.yaml',
        '-o',
        'xml',
        '-n=A',
        '-x',
        '--search-mtch-annotation=a/b',
        '--auto-annotation=reload.io/x',
        '--ignore-annotation=reload.io/x',
      ]),
    ).toEqual([
      'unexpected argument "a.yaml": only flags are accepted, each as --flag=value',
      'unknown flag "-x": --help lists every flag',
      'unknown flag "--search-mtch-annotation": did you mean --search-match-annotation?',
      '--filename is missing: nothing to read; accepted: a list of paths',
      '--namespace="A": not a namespace: up to 63 lower-case letters, digits and dashes; accepted: a namespace',
      '--output="xml": no such format; accepted: text, json, sarif',
      '--auto-annotation and --ignore-annotation are both reload.io/x: give each a key of its own',
    ]);
  });
});
