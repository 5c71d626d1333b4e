import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import {
  shortKeys,
  sourceKindOf,
  truthTable,
  type TruthTableRow,
} from '../../shared/domain/policy/policy-truth-table.fixture';
import { lintInputs } from '../lint/lint-inputs';
import { parseLintOptions } from '../lint/lint-options';
import { checksumRows } from './checksum-rows.fixture';
import { differenceCodes } from './difference-codes';
import {
  auto,
  source,
  together,
  uses,
  usesConfigMap,
  usesSecret,
  workload,
  type DifferenceRow,
} from './difference-rows.fixture';
import { edited, migrate } from './migrate.fixture';
import { reloaderKindRows } from './reloader-kind-rows.fixture';
import { reloaderSourceRows } from './reloader-source-rows.fixture';
import { textOutput } from './text-output';
import { waveRows } from './wave-rows.fixture';

const rows = [...reloaderSourceRows, ...reloaderKindRows, ...waveRows, ...checksumRows];

const ofOneKey = { secretKeyRef: { name: 'db', key: 'password' } };

/** The findings with the code of a row. */
function found({ code, flags }: DifferenceRow, manifests: readonly string[]) {
  return migrate(manifests, flags).findings.filter((finding) => finding.code === code);
}

function lintCodes({ flags = [] }: DifferenceRow, manifests: readonly string[]): readonly string[] {
  const inputs = { inputs: [{ file: 'a.yaml', text: together(...manifests) }], problems: [] };
  return lintInputs(inputs, parseLintOptions(['-f', '-', ...flags], {})).findings.map(({ code }) => code);
}

describe('differences', () => {
  it.each(rows)('$code: $title', (row) => {
    const report = migrate(row.manifests, row.flags);
    const text = textOutput({ ...report, findings: found(row, row.manifests) }, { colour: false });
    expect(text.split('\n').slice(0, -2).join('\n').trimEnd()).toBe(row.says);
  });

  it.each(rows)('$code does not apply to what is only alike: $title', (row) => {
    expect(row.not.length).toBeGreaterThan(0);
    for (const manifest of row.not) expect(found(row, [manifest])).toEqual([]);
  });

  it('have a row each', () => {
    expect([...new Set(rows.map(({ code }) => code))]).toEqual(differenceCodes);
  });

  it.each(rows)('$code is gone when its lines are written and removed: $title', (row) => {
    const [finding] = found(row, row.manifests);
    if (finding!.edits.length === 0) return;
    const index = row.manifests.findIndex((manifest) => manifest.includes(`kind: ${finding!.object.kind}`));
    const after = row.manifests.with(index, edited(row.manifests[index]!, finding!));
    expect(found(row, after)).toEqual([]);
  });

  it.each(rows)('$code makes reroll lint find nothing new when its lines are written and removed: $title', (row) => {
    const [finding] = found(row, row.manifests);
    const index = row.manifests.findIndex((manifest) => manifest.includes(`kind: ${finding!.object.kind}`));
    const after = row.manifests.with(index, edited(row.manifests[index]!, finding!));
    const before = lintCodes(row, row.manifests);
    expect(lintCodes(row, after).filter((code) => !before.includes(code))).toEqual([]);
  });

  it.each(rows)('$code names no value of a hash: $title', ({ manifests, flags }) => {
    expect(JSON.stringify(migrate(manifests, flags))).not.toMatch(/[0-9a-f]{16}/);
  });
});

describe('nothing is different', () => {
  it.each([
    ['without annotations', workload({})],
    ['with a switch', workload({ metadata: auto })],
    ['with a switch on the pod template', workload({ template: auto })],
    [
      'with a list beside a switch that is off',
      workload({
        metadata: { 'reloader.stakater.com/auto': 'false', 'configmap.reloader.stakater.com/reload': 'app' },
      }),
    ],
    [
      'with an exclude list',
      workload({ metadata: { ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'app' } }),
    ],
    ['with a value that is no boolean', workload({ metadata: { 'reloader.stakater.com/auto': 'yes' } })],
    ['with a search', workload({ metadata: { 'reloader.stakater.com/search': 'true' } })],
    [
      'with an ignore that has no effect on a workload',
      workload({ metadata: { ...auto, 'reloader.stakater.com/ignore': 'true' } }),
    ],
    [
      'with a pattern that is not anchored',
      workload({ metadata: { 'configmap.reloader.stakater.com/reload': 'app|web' } }),
    ],
    ['with a pause', workload({ metadata: { ...auto, 'deployment.reloader.stakater.com/pause-period': '5m' } })],
  ])('for a workload %s', (_what, manifest) => {
    expect(migrate([manifest])).toMatchObject({ findings: [], summary: { workloads: 1, ready: 1 } });
  });

  it('for names with a hash of a Kustomize generator', () => {
    const pod = uses(usesConfigMap('app-5g2h8k9m4t'), usesSecret('db-7b8c9d2f6g'));
    const sources = [source('ConfigMap', 'app-5g2h8k9m4t'), source('Secret', 'db-7b8c9d2f6g')];
    expect(migrate([...sources, workload({ pod })]).findings).toEqual([]);
    expect(migrate([workload({ pod, template: { 'example.com/build': '5g2h8k9m4t' } })]).findings).toEqual([]);
  });

  it('for sources, whose annotations count as before', () => {
    const ignored = source('Secret', 'db', { 'reloader.stakater.com/ignore': 'true' });
    expect(migrate([ignored]).summary).toMatchObject({ objects: 1, workloads: 0, findings: 0 });
  });

  /** Reroll decides as Reloader in each row of this table, but for these. */
  const exceptions: Readonly<Record<number, readonly string[]>> = {
    ...Object.fromEntries([28, 29, 30].map((row) => [row, ['reloader-bad-pattern']])),
    66: ['reloader-cronjob'],
    67: ['reloader-job'],
  };
  it.each(truthTable.filter(({ n }) => n !== 68 && n !== 74))("for row $n of Reloader's truth table", (row) => {
    const codes = migrate([ofTruthTable(row)], flagsOf(row)).findings.map(({ code }) => code);
    expect(codes).toEqual(exceptions[row.n] ?? []);
  });
});

function ofTruthTable({ changed: [type, name], md = {}, pod = {}, kind = 'Deployment' }: TruthTableRow): string {
  const written = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(texts).map(([short, value]) => {
        const field = Object.entries(shortKeys).find(([, each]) => each === short)![0];
        return [defaultAnnotationKeys[field as keyof typeof defaultAnnotationKeys], value];
      }),
    );
  const used = sourceKindOf[type] === 'Secret' ? usesSecret(name) : usesConfigMap(name);
  return workload({ kind, metadata: written(md), template: written(pod), pod: uses(used) });
}

function flagsOf({ all, ignored = [] }: TruthTableRow): readonly string[] {
  const types = ignored.map((kind) => `--ignored-workload-types=${kind.toLowerCase()}s`);
  return ['--enable-csi-integration', ...(all ? ['--auto-reload-all'] : []), ...types];
}

describe('the flags of the install', () => {
  const manifests = [
    workload({ metadata: { ...auto, 'reloader.stakater.com/match': 'configmap' } }),
    workload({ metadata: { 'configmap.reloader.stakater.com/reload': 'app[' } }),
    workload({ metadata: { 'configmap.reloader.stakater.com/reload': '((a{90}b){90}c){90}' } }),
    workload({ metadata: auto, pod: { containers: [{ name: 'main', env: [{ valueFrom: ofOneKey }] }] } }),
    workload({ kind: 'Job', metadata: auto }),
    workload({ kind: 'CronJob', jobTemplate: auto }),
    workload({ template: { 'checksum/config': 'x' } }),
  ];
  const ofJobs = ['reloader-job', 'reloader-job-template'];
  const ofOthers = ['reloader-narrowed', 'reloader-bad-pattern', 'reloader-limit', 'reloader-keys', 'checksum-alone'];

  it.each<[string, readonly string[], readonly string[]]>([
    ['no more than they say', [], [...ofJobs, ...ofOthers]],
    ['out what is in another namespace', ['--namespaces=ops'], []],
    ['out what is in a namespace that is ignored', ['--namespaces-to-ignore=shop'], []],
    ['out Jobs, and what a CronJob gives them', ['--ignored-workload-types=jobs'], ofOthers],
  ])('leave %s', (_what, flags, expected) => {
    const codes = migrate(manifests, flags).findings.map(({ code }) => code);
    expect(codes.toSorted()).toEqual(expected.toSorted());
  });

  it('let a Deployment be paused whose template a Rollout uses that Reroll does not watch', () => {
    const workloadRef = { kind: 'Deployment', name: 'web' };
    const pair = [
      workload({ metadata: { ...auto, 'deployment.reloader.stakater.com/pause-period': '5m' } }),
      workload({ kind: 'Rollout', name: 'canary', spec: { workloadRef } }),
    ];
    const codes = (...flags: readonly string[]) => migrate(pair, flags).findings.map(({ code }) => code);
    expect(codes()).toEqual(['reloader-pause-borrowed']);
    expect(codes('--is-Argo-Rollouts=false')).toEqual([]);
  });
});

describe('a checksum beside restarts', () => {
  it('is kept for the kind of source that the install does not watch', () => {
    const pod = uses(usesConfigMap('app'), usesSecret('db'));
    const manifest = workload({ metadata: auto, template: { 'checksum/config': 'x' }, pod });
    const [all] = migrate([manifest]).findings;
    expect(all).toMatchObject({ code: 'checksum-and-restarts', fix: expect.stringMatching(/^Keep the restarts/) });
    expect(migrate([manifest], ['--resources-to-ignore=configmaps']).findings).toEqual([
      expect.objectContaining({
        fix: 'Keep both: of the sources that the pods use, only the checksum can cover ConfigMap app.',
        edits: [],
      }),
    ]);
  });
});

describe('a finding with several causes', () => {
  it('names all of them: the variable and the annotation of two strategies', () => {
    const hash = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3';
    const env = [{ name: 'STAKATER_APP_CONFIGMAP', value: hash }];
    const template = { 'reloader.stakater.com/last-reloaded-from': `{"hash":"${hash}"}` };
    const manifest = workload({ metadata: auto, template, pod: { containers: [{ name: 'main', env }] } });
    expect(migrate([manifest]).findings.map(({ fix }) => fix)).toEqual([
      'Remove the variable STAKATER_APP_CONFIGMAP and the annotation from the manifest. This rolls the pods once.',
    ]);
  });
});

describe('several findings', () => {
  it('are in the order of the objects, and of the codes', () => {
    const checksum = { 'checksum/config': 'x' };
    const manifests = [
      workload({ kind: 'Rollout', name: 'b', metadata: auto, template: checksum }),
      workload({ name: 'a', metadata: { 'wave.pusher.com/update-on-config-change': 'true' }, template: checksum }),
    ];
    expect(migrate(manifests).findings.map(({ code, object }) => [object.name, code])).toEqual([
      ['b', 'reloader-rollout'],
      ['b', 'checksum-and-restarts'],
      ['a', 'wave-opt-in'],
      ['a', 'checksum-and-restarts'],
    ]);
  });

  it('show a few names of many', () => {
    const names = Array.from({ length: 9 }, (_, index) => `s${index}`);
    const metadata = { 'wave.pusher.com/update-on-config-change': 'true' };
    const extra = { 'wave.pusher.com/extra-secrets': names.map((name) => `ops/${name}`).join(',') };
    const [, other] = migrate([workload({ metadata: { ...metadata, ...extra } })]).findings;
    expect(other!.today).toBe('Wave restarts it when Secret ops/s0, ops/s1, ops/s2, ops/s3 and 5 more changes.');
  });
});
