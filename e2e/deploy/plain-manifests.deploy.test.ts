import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import type { ControlPlane } from '../control-plane/cluster';
import { startControlPlane } from '../control-plane/start';
import { projectDir } from '../control-plane/versions';
import { renderedCheck } from '../release/rendered-files';
import { plainManifests, variants } from './plain-manifests';
import type { Manifest } from './rendered-chart';

const deployDir = path.join(projectDir, 'deploy');
let plane: ControlPlane;

beforeAll(async () => (plane = await startControlPlane()));
afterAll(async () => await plane.stop());

const parsed = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

const byName = (manifests: readonly Manifest[]): ReadonlyMap<string, Manifest> =>
  new Map(manifests.map((each) => [`${each.kind} ${each.metadata.namespace ?? ''}/${each.metadata.name}`, each]));

describe('installs without Helm', () => {
  it('are current', async () => {
    expect(await renderedCheck.problems(projectDir)).toEqual([]);
  });

  it('have nothing of Helm in them, and no test', () => {
    const text = readFileSync(path.join(deployDir, 'manifests/install.yaml'), 'utf8');
    expect(text).not.toMatch(/managed-by|helm\.sh\/(chart|hook)/);
    expect(parsed(text).map(({ kind }) => kind)).not.toContain('Pod');
  });

  it.each([['base', {}], ...Object.entries(variants).map(([name, values]) => [`overlays/${name}`, values] as const)])(
    'kustomize makes of %s what the chart comes to',
    async (folder, values) => {
      const built = parsed(await plane.kubectl(['kustomize', path.join(deployDir, 'kustomize', folder)]));
      expect(byName(built)).toEqual(byName(await plainManifests(values)));
    },
  );

  it('are taken by a real API server as a whole', async () => {
    const applied = await plane.kubectl(['apply', '-f', path.join(deployDir, 'manifests/install.yaml')]);
    expect(applied.trim().split('\n').length).toBe(byName(await plainManifests({})).size);
    const again = await plane.kubectl(['apply', '-k', path.join(deployDir, 'kustomize/overlays/high-availability')]);
    expect(again).toContain('poddisruptionbudget.policy/reroll created');
  });
});
