import { describe, expect, it } from '@jest/globals';
import { configMap, memoryFiles, workload } from '../manifests/manifests.fixture';
import { runLint } from './lint.fixture';
import { lintOptionTable } from './lint-options';
import { lintReportSchema } from './lint-report';

const auto = 'reloader.stakater.com/auto';
const bad = workload({ [auto]: 'yes' });

describe('flags', () => {
  const rollout = workload({ [auto]: 'true' }, { kind: 'Rollout' });
  const ignored = configMap('app', { 'reloader.stakater.com/ignore': 'true' });
  const csiAuto = workload({ 'secretproviderclass.reloader.stakater.com/auto': 'true', [auto]: 'true' });
  const cases: readonly (readonly [
    flag: string,
    manifests: string,
    without: readonly string[],
    with_: readonly string[],
  ])[] = [
    ['--auto-reload-all', workload({ 'reroll.dev/settle': '1s' }), ['nothing-asked'], []],
    ['--enable-csi-integration', csiAuto, ['source-kind-ignored'], []],
    ['--is-Argo-Rollouts=false', rollout, [], ['kind-not-covered']],
    ['--ignored-workload-types=jobs', workload({ [auto]: 'true' }, { kind: 'Job' }), [], ['kind-not-covered']],
    [
      '--namespaces=shop',
      bad + workload({ [auto]: 'true' }),
      ['bad-boolean'],
      ['bad-boolean', 'namespace-not-watched'],
    ],
    ['--namespaces-to-ignore=default', workload({ [auto]: 'true' }), [], ['namespace-not-watched']],
    [
      '--resources-to-ignore=configmaps',
      workload({ 'configmap.reloader.stakater.com/reload': 'app' }),
      [],
      ['source-kind-ignored'],
    ],
    ['--auto-annotation=a.io/x', workload({ 'a.io/x': 'yes' }), [], ['bad-boolean']],
    ['--configmap-auto-annotation=a.io/x', workload({ 'a.io/x': 'yes' }), [], ['bad-boolean']],
    ['--secret-auto-annotation=a.io/x', workload({ 'a.io/x': 'yes' }), [], ['bad-boolean']],
    ['--configmap-annotation=a.io/x', workload({ 'a.io/x': 'a/b' }), [], ['bad-name']],
    ['--secret-annotation=a.io/x', workload({ 'a.io/x': 'a/b' }), [], ['bad-name']],
    ['--auto-search-annotation=a.io/x', configMap('app', {}) + workload({ 'a.io/x': 'true' }), [], ['no-match']],
    ['--search-match-annotation=a.io/x', workload({ [auto]: 'true', 'a.io/x': 'no kind' }), [], ['narrows-nothing']],
    [
      '--ignore-annotation=a.io/x',
      ignored + workload({ 'configmap.reloader.stakater.com/reload': 'app' }),
      ['source-ignored'],
      [],
    ],
    ['--pause-deployment-annotation=a.io/x', workload({ [auto]: 'true', 'a.io/x': 'long' }), [], ['bad-duration']],
    [
      '--pause-deployment-time-annotation=reroll.dev/paused',
      workload({ [auto]: 'true', 'reroll.dev/paused': '' }),
      ['unknown-annotation'],
      [],
    ],
  ];

  it.each(cases)('%s changes what is found', async (flag, manifests, without, expected) => {
    const codes = async (...args: readonly string[]) => {
      const { out } = await runLint(['-f', '-', '-o', 'json', ...args], memoryFiles({ '-': manifests }));
      return lintReportSchema.parse(JSON.parse(out)).findings.map(({ code }) => code);
    };
    expect(await codes()).toEqual(without);
    expect(await codes(flag)).toEqual(expected);
  });

  it('--namespace is that of objects without one', async () => {
    const two = memoryFiles({ '-': bad + workload({ [auto]: 'yes' }, { namespace: 'shop' }) });
    const { out } = await runLint(['-f', '-', '-n', 'ops'], two);
    expect([...out.matchAll(/Deployment (\w+)\/web/g)].map(([, namespace]) => namespace)).toEqual(['ops', 'shop']);
  });

  it('have all a case here', () => {
    const general = ['--filename', '--namespace', '--output'];
    const flags = Object.values(lintOptionTable).map(({ flag }) => `--${flag}`);
    expect([...general, ...cases.map(([flag]) => flag.split('=')[0])].toSorted()).toEqual(flags.toSorted());
  });
});
