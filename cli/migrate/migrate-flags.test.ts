import { describe, expect, it } from '@jest/globals';
import { memoryFiles } from '../manifests/manifests.fixture';
import { auto, source, uses, usesConfigMap, workload } from './difference-rows.fixture';
import { runMigrate } from './migrate.fixture';
import { migrateOptionTable } from './migrate-options';
import { migrateReportSchema } from './migrate-report';

const key = 'a.io/x';
const kind = 'reloader.stakater.com/kind';
const job = workload({ kind: 'Job', metadata: auto });
const checksum = { 'checksum/config': 'x' };
const pause = { 'deployment.reloader.stakater.com/pause-period': '0s' };
const waved = { 'wave.pusher.com/update-on-config-change': 'true' };
const csiVolume = {
  volumes: [
    { name: 'first', csi: { volumeAttributes: { secretProviderClass: 'vault' } } },
    { name: 'second', csi: { volumeAttributes: { secretProviderClass: 'vault' } } },
  ],
  containers: [{ name: 'main', volumeMounts: [{ name: 'second' }] }],
};

describe('flags', () => {
  const cases: readonly (readonly [
    flag: string,
    manifests: string,
    without: readonly string[],
    with_: readonly string[],
  ])[] = [
    ['--auto-reload-all', workload({ kind: 'Job' }), [], ['reloader-job']],
    ['--enable-csi-integration', workload({ metadata: auto, pod: csiVolume }), [], ['reloader-second-volume']],
    ['--is-Argo-Rollouts=false', workload({ kind: 'Rollout', metadata: auto }), ['reloader-rollout'], []],
    ['--is-Argo-Rollouts=true', workload({ kind: 'Rollout', metadata: auto }), ['reloader-rollout'], []],
    // Reloader reads only `true` as on, and Reroll these too.
    [
      '--is-Argo-Rollouts=True',
      workload({ kind: 'Rollout', metadata: auto }),
      ['reloader-rollout'],
      ['reloader-rollout'],
    ],
    ['--ignored-workload-types=jobs', job, ['reloader-job'], []],
    ['--namespaces=ops', job, ['reloader-job'], []],
    ['--namespaces-to-ignore=shop', job, ['reloader-job'], []],
    ['--resources-to-ignore=configmaps', workload({ template: checksum }), ['checksum-alone'], []],
    [`--auto-annotation=${key}`, workload({ kind: 'Job', metadata: { [key]: 'true' } }), [], ['reloader-job']],
    [
      `--configmap-auto-annotation=${key}`,
      workload({ kind: 'Job', metadata: { [key]: 'true' } }),
      [],
      ['reloader-job'],
    ],
    [`--secret-auto-annotation=${key}`, workload({ kind: 'Job', metadata: { [key]: 'true' } }), [], ['reloader-job']],
    [`--configmap-annotation=${key}`, workload({ metadata: { [key]: 'app[' } }), [], ['reloader-bad-pattern']],
    [`--secret-annotation=${key}`, workload({ metadata: { [key]: 'db[' } }), [], ['reloader-bad-pattern']],
    [`--auto-search-annotation=${key}`, workload({ kind: 'Job', metadata: { [key]: 'true' } }), [], ['reloader-job']],
    [
      `--search-match-annotation=${key}`,
      workload({ metadata: { ...auto, [key]: 'secret' } }),
      [],
      ['reloader-narrowed'],
    ],
    [
      `--ignore-annotation=${key}`,
      `${source('ConfigMap', 'app', { [key]: 'true' })}---\n${workload({ metadata: auto, template: checksum })}`,
      ['checksum-and-restarts'],
      [],
    ],
    [`--pause-deployment-annotation=${key}`, workload({ metadata: { ...auto, ...pause } }), ['reloader-pause'], []],
    [
      '--pause-deployment-time-annotation=example.com/config-hash',
      workload({ metadata: auto, template: { 'example.com/config-hash': 'x' } }),
      ['checksum-and-restarts'],
      [],
    ],
  ];

  it.each(cases)('%s changes what is found', async (flag, manifests, without, expected) => {
    const codes = async (...args: readonly string[]) => {
      const { out } = await runMigrate(['-f', '-', '-o', 'json', ...args], memoryFiles({ '-': manifests }));
      return migrateReportSchema.parse(JSON.parse(out)).findings.map(({ code }) => code);
    };
    expect(await codes()).toEqual(without);
    expect(await codes(flag)).toEqual(expected);
  });

  it('--auto-annotation is the key to write', async () => {
    const manifest = workload({ metadata: { ...waved, [kind]: 'x' }, pod: uses(usesConfigMap('app')) });
    const { out } = await runMigrate(['-f', '-', `--auto-annotation=${key}`], memoryFiles({ '-': manifest }));
    expect(out).toContain(`    write under metadata.annotations:\n      ${key}: "true"\n`);
  });

  it('--namespace is that of objects without one', async () => {
    const nowhere = workload({ metadata: waved }).replace('  namespace: shop\n', '');
    const { out } = await runMigrate(['-f', '-', '-n', 'ops'], memoryFiles({ '-': nowhere }));
    expect(out).toContain('Deployment ops/web');
  });

  it('have all a case here', () => {
    const general = ['--filename', '--namespace', '--output'];
    const ofClusters = ['--all-namespaces', '--kubeconfig', '--context', '--timeout'];
    const flags = Object.values(migrateOptionTable).map(({ flag }) => `--${flag}`);
    expect([...new Set([...general, ...ofClusters, ...cases.map(([flag]) => flag.split('=')[0])])].toSorted()).toEqual(
      flags.toSorted(),
    );
  });
});
