import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { chartHooksText, hookTypes, manifestText } from '../../webhook/registration/manifests';
import { chartReadme } from '../deploy/chart-readme';
import { valuesSchema } from '../deploy/values-schema';
import { schemaFiles } from '../reference/schema-files';
import { annotationsPage } from '../reference/annotations-page';
import { chartFlagsText } from '../reference/chart-flags';
import { flagsPage } from '../reference/flags-page';
import { variablesText } from '../reference/variables-text';
import { type Application, billOfMaterials } from './bill-of-materials';
import { bundledPackages, type BundledPackage, type LockFile } from './bundled-packages';
import { thirdPartyLicences } from './licences';
import { dependenciesPage } from './production-packages';

/** A committed file that a program generates. */
export interface GeneratedFile {
  /** The path from the root of the project. */
  readonly file: string;
  readonly text: string;
}

const readJson = (root: string, file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

/** Reads package-lock.json. */
export function lockFile(root: string): LockFile {
  return readJson(root, 'package-lock.json') as LockFile;
}

/** The packages in the bundle that was built last. */
export function packagesInBundle(root: string): readonly BundledPackage[] {
  return bundledPackages(readJson(root, 'dist/reroll.meta.json') as Metafile, lockFile(root));
}

/** All generated files, with the text that they should have now. */
export function generatedFiles(root: string): readonly GeneratedFile[] {
  const packages = packagesInBundle(root);
  const application = readJson(root, 'package.json') as Application;
  const lock = lockFile(root);
  return [
    { file: 'deploy/sbom.cdx.json', text: billOfMaterials(application, packages, lock) },
    { file: 'deploy/third-party-licences.txt', text: thirdPartyLicences(root, packages) },
    { file: 'deploy/webhook.yaml', text: manifestText() },
    { file: 'deploy/chart/reroll/README.md', text: chartReadme() },
    { file: 'deploy/chart/reroll/values.schema.json', text: `${JSON.stringify(valuesSchema(), undefined, 2)}\n` },
    { file: 'deploy/chart/reroll/files/flags.yaml', text: chartFlagsText() },
    { file: 'docs/reference/annotations.md', text: annotationsPage() },
    { file: 'docs/reference/dependencies.md', text: dependenciesPage(lock, packages) },
    { file: 'docs/reference/flags.md', text: flagsPage() },
    { file: 'shared/runtime/options/variables-of-commands.ts', text: variablesText() },
    ...schemaFiles,
    ...hookTypes.map((type) => ({ file: `deploy/chart/reroll/files/${type}.yaml`, text: chartHooksText(type) })),
  ];
}

/** Writes all generated files. */
export function writeGeneratedFiles(root: string): void {
  for (const { file, text } of generatedFiles(root)) writeFileSync(path.join(root, file), text);
}
