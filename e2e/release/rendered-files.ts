import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildHelm } from '../control-plane/helm';
import { renderedFiles } from '../deploy/plain-manifests';
import type { ReleaseCheck } from './check-release';

const folders = ['manifests', 'kustomize'];

/** Renders the chart into plain manifests and files for kustomize. Removes what was in their folders before. */
export async function writeRenderedFiles(root: string): Promise<void> {
  const files = await rendered(root);
  for (const folder of folders) rmSync(path.join(root, 'deploy', folder), { recursive: true, force: true });
  for (const [file, text] of files) {
    mkdirSync(path.dirname(path.join(root, 'deploy', file)), { recursive: true });
    writeFileSync(path.join(root, 'deploy', file), text);
  }
}

/** Checks that the rendered files are what the chart renders to now. */
export const renderedCheck: ReleaseCheck = {
  name: 'rendered manifests',
  problems: async (root) =>
    [...(await rendered(root))]
      .filter(([file, text]) => read(path.join(root, 'deploy', file)) !== text)
      .map(([file]) => `deploy/${file} is out of date: npm run release -- --generate`),
};

async function rendered(root: string): Promise<ReadonlyMap<string, string>> {
  await buildHelm({ print: (line) => console.log(line) });
  return await renderedFiles({ chart: path.join(root, 'deploy/chart/reroll') });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
