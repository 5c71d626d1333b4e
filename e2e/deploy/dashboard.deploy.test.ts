import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectDir } from '../control-plane/versions';
import { exportedSeries } from './exported-metrics';
import { unknownNames } from './named-metrics';
import { readQuery, withoutVariables } from './promql';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly datasource?: unknown;
  readonly targets?: readonly { readonly expr: string }[];
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
  readonly panels: readonly Panel[];
};
const { panels } = dashboard;
const variables = dashboard.templating.list;
const charts = panels.filter(({ type }) => type !== 'row');
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
    const ofGrafana = ['__rate_interval', '__range', '__all'];
    expect(new Set(used.filter((name) => !ofGrafana.includes(name)))).toEqual(
      new Set(['datasource', 'namespace', 'job']),
    );
  });

  it('asks the data source that was chosen, everywhere', () => {
    for (const { datasource } of [...variables.slice(1), ...charts]) expect(datasource).toEqual(chosen);
    // Each asks that of its panel, unless it names one.
    expect(charts.flatMap(({ targets = [] }) => targets).filter((target) => 'datasource' in target)).toEqual([]);
  });

  it('takes the values of its variables from a metric of ours', async () => {
    const definitions = variables.flatMap(({ definition = [] }) => definition);
    const metrics = definitions.map((definition) => /^label_values\((.*), \w+\)$/.exec(definition)?.[1] ?? '');
    expect(metrics.length).toBe(2);
    for (const metric of metrics) expect(unknownNames(withoutVariables(metric), await exportedSeries())).toEqual([]);
  });

  it.each(charts.map((panel) => [panel.title, panel] as const))('%s names only what is exported', async (_, panel) => {
    const exprs = (panel.targets ?? []).map(({ expr }) => withoutVariables(expr));
    expect(exprs).not.toEqual([]);
    for (const expr of exprs) expect([expr, unknownNames(expr, await exportedSeries())]).toEqual([expr, []]);
  });

  it.each(charts.map((panel) => [panel.title, panel] as const))('%s shows what was chosen alone', (_, panel) => {
    for (const { expr } of panel.targets ?? []) {
      for (const { matchers } of readQuery(withoutVariables(expr)).selections) {
        expect(matchers.map(({ label, operator }) => label + operator)).toEqual(
          expect.arrayContaining(['namespace=', 'job=~']),
        );
      }
    }
  });
});
