import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectDir } from '../control-plane/versions';
import { chartCases } from './cases/all';
import { plainManifests, variants } from './plain-manifests';
import { Rendered } from './rendered';
import { renderChart, type Manifest } from './rendered-chart';
import { excessRights } from './shipped-rights';

/** The ServiceAccount of the Deployment that runs the reconciler. */
function reconcilerOf(manifests: readonly Manifest[]): string {
  const rendered = new Rendered(manifests);
  const deployment = rendered.names('Deployment').find((name) => rendered.args(name)[0] === 'reconciler');
  return rendered.pod(deployment).serviceAccountName;
}

function check(manifests: readonly Manifest[]): void {
  expect(excessRights(manifests, reconcilerOf(manifests))).toEqual([]);
}

describe('nobody but the reconciler may create anything, or has a Secret that is not named', () => {
  it.each(chartCases.map((each) => [each.what, each] as const))('chart: %s', async (_, { values, options }) => {
    check(await renderChart(values, options));
  });

  it.each(Object.entries(variants))('overlay: %s', async (_, values) => check(await plainManifests(values)));

  it('the module of Deckhouse', async () => {
    const chart = path.join(projectDir, 'deploy', 'deckhouse');
    check(await renderChart({ podReloader: {} }, { release: 'pod-reloader', namespace: 'd8-system', chart }));
  });
});
