import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { isObject } from '../../shared/domain/kubernetes/json-value';
import { helm } from '../control-plane/helm';
import { chartCases } from './cases/all';
import { refusals } from './cases/refusals';
import { chartValues } from './chart-values';
import { Rendered } from './rendered';
import { chartDir, renderChart, renderText } from './rendered-chart';

describe('the chart', () => {
  it('passes helm lint', async () => {
    expect(await helm(['lint', '--strict', chartDir], undefined)).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('is for Kubernetes 1.28 and newer', async () => {
    expect(await renderText({}, { kubeVersion: '1.28.0' })).toBe(await renderText({}));
    expect(await renderText({}, { kubeVersion: 'v1.28.15-gke.1' })).toBe(await renderText({}));
    await expect(renderText({}, { kubeVersion: '1.27.16' })).rejects.toThrow('requires kubeVersion: >=1.28.0');
  });

  it.each(chartCases.map((each) => [each.what, each] as const))('%s', async (_, { values, options, check }) => {
    check(new Rendered(await renderChart(values, options)));
  });

  it.each(refusals.map((each) => [JSON.stringify(each.values), each] as const))('refuses %s', async (_, each) => {
    await expect(renderText(each.values)).rejects.toThrow(each.says);
  });

  it.each([
    [true, 3],
    [false, 0],
  ])('is part of another chart, with the condition reroll.enabled=%s', async (enabled, deployments) => {
    const parent = await mkdtemp(path.join(tmpdir(), 'reroll-parent-'));
    try {
      const dependencies = [{ name: 'reroll', version: '*', condition: 'reroll.enabled' }];
      const chart = { apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies };
      await writeFile(path.join(parent, 'Chart.yaml'), stringify(chart));
      await cp(chartDir, path.join(parent, 'charts', 'reroll'), { recursive: true });
      const rendered = await renderChart({ reroll: { enabled } }, { chart: parent });
      expect(new Rendered(rendered).names('Deployment')).toHaveLength(deployments);
    } finally {
      await rm(parent, { recursive: true });
    }
  });

  it('tells of every value what it does', () => {
    expect(chartValues().filter(({ describe: text }) => !/^[A-Z`].*\.$/.test(text))).toEqual([]);
  });

  it('has a case for every value', () => {
    const reloaders: unknown = parse(readFileSync(path.join(__dirname, 'reloader-values.yaml'), 'utf8'));
    const tried = new Set([reloaders, ...[...chartCases, ...refusals].map(({ values }) => values)].flatMap(pathsOf));
    const untried = chartValues().filter(({ path: each }) => !tried.has(each));
    // The case "no pod may do more than it needs" covers these.
    expect(untried.filter(({ path: each }) => !each.startsWith('webhook.securityContext.'))).toEqual([]);
  });
});

function pathsOf(value: unknown): readonly string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...pathsOf(inner).map((rest) => `${name}.${rest}`)]);
}
