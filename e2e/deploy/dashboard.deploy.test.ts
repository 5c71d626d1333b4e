import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectDir } from '../control-plane/versions';
import { exportedSeries } from './exported-metrics';
import { unknownNames } from './named-metrics';
import { readQuery, withoutVariables } from './promql';

interface Target {
  readonly expr: string;
  readonly instant?: boolean;
  readonly format?: string;
  readonly legendFormat?: string;
}

/** What differs for one series of a panel. */
interface Override {
  readonly matcher: unknown;
  readonly properties: unknown;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly datasource?: unknown;
  readonly targets?: readonly Target[];
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string }; readonly overrides?: readonly Override[] };
}

/** Marks on the time axis of every panel. */
interface Annotation {
  readonly name: string;
  readonly enable: boolean;
  readonly datasource?: unknown;
  readonly expr: string;
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly datasource?: unknown;
  readonly definition?: string;
}

const file = path.join(projectDir, 'deploy', 'chart', 'reroll', 'files', 'dashboard.json');
const text = readFileSync(file, 'utf8');
const dashboard = JSON.parse(text) as {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly Variable[] };
  readonly annotations: { readonly list: readonly Annotation[] };
  readonly panels: readonly Panel[];
};
const { panels } = dashboard;
const variables = dashboard.templating.list;
const charts = panels.filter(({ type }) => type !== 'row');
const annotations = dashboard.annotations.list;
const queries = [
  ...charts.map(({ title, targets = [] }) => [title, targets.map(({ expr }) => expr)] as const),
  ...annotations.map(({ name, expr }) => [`the annotation ${name}`, [expr]] as const),
];
/** Its own label `namespace`, the namespace of the restarts, replaces the target's. */
const namespaceOfRestarts = 'reloader_reload_executed_total_by_namespace';
const installOf =
  'and on (job, instance) last_over_time(reroll_build_info{namespace="$namespace", job=~"$job"}[$__range])';
const chosen = { type: 'prometheus', uid: '${datasource}' };

describe('the dashboard', () => {
  it('has a uid, a title, and panels each with an id and a title of its own', () => {
    expect([dashboard.uid, dashboard.title]).toEqual(['reroll', 'Reroll']);
    for (const own of [panels.map(({ id }) => String(id)), panels.map(({ title }) => title)]) {
      expect(own.filter((one, index) => own.indexOf(one) !== index)).toEqual([]);
    }
  });

  it('lays no panel upon another, nor beside the grid', () => {
    const cells = panels.flatMap(({ title, gridPos: { h, w, x, y } }) => {
      expect([title, x + w <= 24]).toEqual([title, true]);
      return Array.from({ length: h * w }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`);
    });
    expect(cells.length).toBe(new Set(cells).size);
  });

  it('asks for data source, namespace and job, and for nothing else', () => {
    expect(variables.map(({ name }) => name)).toEqual(['datasource', 'namespace', 'job']);
    expect(variables[0]).toMatchObject({ type: 'datasource', query: 'prometheus' });
    const used = [...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!);
    const ofGrafana = ['__rate_interval', '__interval', '__range', '__all'];
    const ofPromQl = ['1'];
    expect(new Set(used.filter((name) => ![...ofGrafana, ...ofPromQl].includes(name)))).toEqual(
      new Set(['datasource', 'namespace', 'job']),
    );
  });

  it('asks the data source that was chosen, everywhere', () => {
    for (const { datasource } of [...variables.slice(1), ...charts, ...annotations]) expect(datasource).toEqual(chosen);
    // A target uses its panel's data source unless it names one.
    expect(charts.flatMap(({ targets = [] }) => targets).filter((target) => 'datasource' in target)).toEqual([]);
  });

  it('takes the values of its variables from a metric of ours', async () => {
    const definitions = variables.flatMap(({ definition = [] }) => definition);
    const metrics = definitions.map((definition) => /^label_values\((.*), \w+\)$/.exec(definition)?.[1] ?? '');
    expect(metrics.length).toBe(2);
    for (const metric of metrics) expect(unknownNames(withoutVariables(metric), await exportedSeries())).toEqual([]);
  });

  it.each(queries)('%s names only what is exported', async (_, given) => {
    const exprs = given.map(withoutVariables);
    expect(exprs).not.toEqual([]);
    for (const expr of exprs) expect([expr, unknownNames(expr, await exportedSeries())]).toEqual([expr, []]);
  });

  it.each(queries)('%s shows what was chosen alone', (_, exprs) => {
    for (const expr of exprs) {
      for (const { metric, matchers } of readQuery(withoutVariables(expr)).selections) {
        const isJoined = metric === namespaceOfRestarts && expr.includes(installOf);
        expect(matchers.map(({ label, operator }) => label + operator)).toEqual(
          expect.arrayContaining([...(isJoined ? [] : ['namespace=']), 'job=~']),
        );
      }
    }
  });

  it('counts restarts, which are too rare for a rate per second', () => {
    const from = panels.findIndex(({ title }) => title === 'Restarts');
    const inRow = panels.slice(
      from + 1,
      panels.findIndex(({ type }, index) => index > from && type === 'row'),
    );
    const exprs = inRow.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(exprs.filter((expr) => expr.includes('rate(') && !expr.startsWith('histogram_quantile('))).toEqual([]);
    expect(inRow.filter(({ fieldConfig }) => fieldConfig?.defaults.unit === 'ops')).toEqual([]);
    for (const title of ['Restarts by kind', 'How restarts ended', 'Not restarted']) {
      const { type, targets = [] } = titled(title);
      expect(type).toBe('bargauge');
      expect(targets).not.toEqual([]);
      for (const { expr, instant } of targets) {
        expect([expr, instant]).toEqual([expect.stringMatching(/increase\(.*\[\$__range\]/), true]);
      }
    }
  });

  it('paints the restarts that did not become healthy red', () => {
    const { targets = [], fieldConfig } = titled('How restarts ended');
    expect(targets.map(({ legendFormat }) => legendFormat)).toEqual(['{{outcome}}']);
    const painted = fieldConfig?.overrides?.map(({ matcher, properties }) => [matcher, properties]);
    expect(painted).toEqual([
      [{ id: 'byName', options: 'unhealthy' }, [{ id: 'color', value: { mode: 'fixed', fixedColor: 'red' } }]],
    ]);
  });

  it.each([
    ['Latest restarts by kind', 'reloader_action_total', 'workload_kind'],
    ['Latest restarts by namespace', namespaceOfRestarts, 'namespace'],
  ])('%s: how many, and the time of the last', (title, metric, label) => {
    const { type, targets = [] } = titled(title);
    expect(type).toBe('table');
    expect(targets.every(({ format, instant }) => format === 'table' && instant === true)).toBe(true);
    const [count = '', last = ''] = targets.map(({ expr }) => expr);
    expect(count).toContain(`increase(${metric}{`);
    expect(last).toMatch(
      new RegExp(`^max by \\(${label}\\) \\(.*max_over_time\\(timestamp\\(${metric}\\{.*\\) \\* 1000$`),
    );
    for (const expr of [count, last]) expect(readQuery(withoutVariables(expr)).grouping).toContain(label);
  });

  it('marks restarts and leader changes on the time axis', () => {
    expect(annotations.map(({ name, enable }) => [name, enable])).toEqual([
      ['Restarts', true],
      ['Leader changes', true],
    ]);
    const asked = annotations.map(({ expr }) =>
      readQuery(withoutVariables(expr)).selections.map(({ metric }) => metric),
    );
    expect(asked.map((metrics) => [...new Set(metrics)])).toEqual([['reloader_action_total'], ['reroll_leader']]);
  });
});

function titled(title: string): Panel {
  return panels.find((panel) => panel.title === title)!;
}
