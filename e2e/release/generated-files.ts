import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { chartHooksText, hookTypes } from '../../webhook/chart-hooks';
import { chartReadme } from '../deploy/chart-readme';
import { valuesSchema } from '../deploy/values-schema';
import { annotationsPage } from '../reference/annotations-page';
import { flagsPage } from '../reference/flags-page';
import { manifestText } from '../../webhook/manifest-text';
import { type Application, billOfMaterials } from './bill-of-materials';
import { bundledPackages, type BundledPackage, type LockFile } from './bundled-packages';
import { thirdPartyLicences } from './licences';

/** A file that is committed and made by a program. */
export interface GeneratedFile {
  /** From the root. */
  readonly file: string;
  readonly text: string;
}

const readJson = (root: string, file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

/** What is in the bundle that was built last. */
export function packagesInBundle(root: string): readonly BundledPackage[] {
  const metafile = readJson(root, 'dist/reroll.meta.json') as Metafile;
  return bundledPackages(metafile, readJson(root, 'package-lock.json') as LockFile);
}

/** All generated files, as they should be now. */
export function generatedFiles(root: string): readonly GeneratedFile[] {
  const packages = packagesInBundle(root);
  const application = readJson(root, 'package.json') as Application;
  const lock = readJson(root, 'package-lock.json') as LockFile;
  return [
    { file: 'deploy/sbom.cdx.json', text: billOfMaterials(application, packages, lock) },
    { file: 'deploy/third-party-licences.txt', text: thirdPartyLicences(root, packages) },
    { file: 'deploy/webhook.yaml', text: manifestText() },
    { file: 'deploy/chart/reroll/README.md', text: chartReadme() },
    { file: 'deploy/chart/reroll/values.schema.json', text: `${JSON.stringify(valuesSchema(), undefined, 2)}\n` },
    { file: 'docs/reference/annotations.md', text: annotationsPage() },
    { file: 'docs/reference/flags.md', text: flagsPage() },
    ...hookTypes.map((type) => ({ file: `deploy/chart/reroll/files/${type}.yaml`, text: chartHooksText(type) })),
  ];
}

/** Writes them. */
export function writeGeneratedFiles(root: string): void {
  for (const { file, text } of generatedFiles(root)) writeFileSync(path.join(root, file), text);
}
