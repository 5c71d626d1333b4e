import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { buildPromtool, promtool } from '../control-plane/promtool';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { projectDir } from '../control-plane/versions';
import { exportedRegistries, exportedSeries } from './exported-metrics';
import { type OtherMetrics, unknownNames } from './named-metrics';
import { readQuery } from './promql';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

interface TestFile {
  readonly tests: readonly {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
  }[];
}

const inProject = (file: string): string => readFileSync(path.join(projectDir, file), 'utf8');
const runbookBase = 'https://example.com/runbooks';
const testDir = path.join(projectDir, 'deploy', 'alerts');
const testFiles = readdirSync(testDir);

/** By the file name in the promtool tests: the chart's rules filled in, and Deckhouse's wrapped in `groups`. */
const ruleFiles: Readonly<Record<string, RuleFile>> = {
  'alerts.yaml': parse(
    inProject('deploy/chart/reroll/files/alerts.yaml')
      .replaceAll('@namespace@', 'reroll')
      .replaceAll('@reconciler@', 'reroll')
      .replaceAll('@runbooks@', runbookBase),
  ) as RuleFile,
  'deckhouse.yaml': {
    groups: parse(inProject('deploy/deckhouse/monitoring/prometheus-rules/reloader.yaml')) as RuleFile['groups'],
  },
};
const rulesOf = (file: string): readonly Rule[] => ruleFiles[file]!.groups.flatMap(({ rules }) => rules);
const rules = Object.keys(ruleFiles).flatMap(rulesOf);

/** Metrics of other exporters, for what Reroll cannot know. */
const others: OtherMetrics = {
  // The API server: how often it continued without an answer. The webhook does not see calls that never reach it.
  apiserver_admission_webhook_fail_open_count: ['name', 'type'],
  // kube-state-metrics: Reroll's metrics name no workloads, and count only how its own restarts ended.
  kube_deployment_spec_replicas: ['namespace', 'deployment'],
  kube_deployment_status_condition: ['namespace', 'deployment', 'condition', 'status'],
  kube_deployment_metadata_generation: ['namespace', 'deployment'],
  kube_statefulset_status_replicas_ready: ['namespace', 'statefulset'],
  kube_statefulset_replicas: ['namespace', 'statefulset'],
  kube_statefulset_metadata_generation: ['namespace', 'statefulset'],
  kube_daemonset_status_number_unavailable: ['namespace', 'daemonset'],
  kube_daemonset_status_updated_number_scheduled: ['namespace', 'daemonset'],
  kube_daemonset_metadata_generation: ['namespace', 'daemonset'],
};

const isInstall = (matcher: object): boolean =>
  isDeepStrictEqual(matcher, { label: 'namespace', operator: '=', value: 'reroll' });

/** Its own label `namespace`, the namespace of the restarts, replaces the target's. */
const namespaceOfRestarts = 'reloader_reload_executed_total_by_namespace';
const joinWithInstall = 'and on (job, instance) last_over_time(reroll_build_info{namespace="reroll"}[1h])';

const temporary = createTemporaryDir();
const inTemporaryDir = (file: string): string => path.join(temporary.dir, file);

beforeAll(async () => {
  await buildPromtool({ print: (line) => console.log(line) });
  for (const [file, content] of Object.entries(ruleFiles)) writeFileSync(inTemporaryDir(file), stringify(content));
  for (const file of testFiles) copyFileSync(path.join(testDir, file), inTemporaryDir(file));
}, 1_200_000);

afterAll(() => temporary.dispose());

describe('alert rules', () => {
  it.each(Object.keys(ruleFiles))('%s is what promtool reads without a complaint', async (file) => {
    const told = await promtool(['check', 'rules', '--lint=all', '--lint-fatal', inTemporaryDir(file)]);
    expect(told).toContain(`SUCCESS: ${String(rulesOf(file).length)} rules found`);
  });

  it.each(testFiles)('fire, and do not fire, as %s says', async (file) => {
    expect(await promtool(['test', 'rules', inTemporaryDir(file)])).toContain('SUCCESS');
  });

  it.each(rules.map(({ alert }) => alert))('%s has a test in which it fires, and one in which it does not', (alert) => {
    const expected = testFiles
      .flatMap((file) => (parse(readFileSync(path.join(testDir, file), 'utf8')) as TestFile).tests)
      .flatMap(({ alert_rule_test: evaluations }) => evaluations)
      .filter(({ alertname }) => alertname === alert)
      .map(({ exp_alerts: alerts }) => alerts.length > 0);
    expect(expected.toSorted()).toEqual(expect.arrayContaining([false, true]));
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s names only what is exported', async (_alert, rule) => {
    expect(unknownNames(rule.expr, await exportedSeries(), others)).toEqual([]);
  });

  it.each(rulesOf('alerts.yaml').map((rule) => [rule.alert, rule] as const))(
    '%s is about one install',
    (_alert, rule) => {
      const ours = readQuery(rule.expr).selections.filter(({ metric }) => !(metric in others));
      const ofAny = ours.filter(({ matchers }) => !matchers.some(isInstall));
      expect(ofAny.filter(({ metric }) => metric !== namespaceOfRestarts)).toEqual([]);
      // Each of the two places that read it joins it with a metric of the install.
      if (ofAny.length > 0) expect(rule.expr.split(joinWithInstall)).toHaveLength(3);
    },
  );

  it('asks no other exporter for more than is listed here', () => {
    const asked = rules.map(({ expr }) => expr).join('\n');
    expect(Object.keys(others).filter((metric) => !asked.includes(metric))).toEqual([]);
  });

  it.each(rulesOf('alerts.yaml').map((rule) => [rule.alert, rule] as const))('%s says what to do', (_alert, rule) => {
    expect(['critical', 'warning']).toContain(rule.labels['severity']);
    expect(Object.keys(rule.annotations).toSorted()).toEqual(['description', 'runbook_url', 'summary']);
    const page = rule.alert.replaceAll(/\B[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
    expect(rule.annotations['runbook_url']).toBe(`${runbookBase}/${page}.md`);
  });

  it('all lead to a runbook, which stands in the list of them, and there is none besides', () => {
    const pages = rules.map(({ annotations }) => path.basename(annotations['runbook_url']!));
    expect(pages.filter((page) => !existsSync(path.join(projectDir, 'docs', 'runbooks', page)))).toEqual([]);
    const written = readdirSync(path.join(projectDir, 'docs', 'runbooks')).filter((page) => page !== 'README.md');
    expect(written.toSorted()).toEqual([...new Set(pages)].toSorted());
    const listed = [...inProject('docs/runbooks/README.md').matchAll(/^\| \[(\w+)\]\(([\w-]+\.md)\)/gm)];
    expect(listed.map(([, alert, page]) => [alert, page])).toEqual(
      rulesOf('alerts.yaml').map(({ alert, annotations }) => [alert, path.basename(annotations['runbook_url']!)]),
    );
  });
});

describe('/metrics', () => {
  /** Names that come from other projects, whose dashboards and alerts query them. */
  const misnamed = [
    // From Reloader: a counter that does not end with _total.
    'reloader_reload_executed_total_by_namespace counter metrics should have "_total" suffix',
    // From modules around Reloader: a gauge that does.
    'reloader_watched_resources_total non-counter metrics should not have "_total" suffix',
  ];

  it.each(Object.entries(exportedRegistries()))('of reroll %s is named as Prometheus wants it', async (_, registry) => {
    const text = await registry.text();
    const told = await promtool(['check', 'metrics'], { stdin: text }).then(
      () => '',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
    const complaints = told.replace(/^promtool check metrics: /, '').split('\n');
    const allowed = misnamed.filter((complaint) => text.includes(`# TYPE ${complaint.split(' ')[0]!} `));
    expect(complaints.filter((line) => line !== '').toSorted()).toEqual(allowed.toSorted());
  });
});
