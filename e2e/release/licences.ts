import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BundledPackage } from './bundled-packages';

/** The licences that may be bundled: they only require that they are passed on. */
const allowed: ReadonlySet<string> = new Set(['Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense']);

/**
 * Whether a licence, or one of several choices, is allowed. An expression with other operators is not: a person must
 * read it.
 */
export function isAllowed(licence: string): boolean {
  return licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => allowed.has(choice));
}

const licenceFile = /^(un)?licen[cs]e|^copying|^notice/i;

/** The licences of all bundled packages with their texts, which the licences require to be passed on. */
export function thirdPartyLicences(root: string, packages: readonly BundledPackage[]): string {
  const header = 'Reroll contains the following packages, each under the licence that is named and quoted.\n';
  const parts = packages.map(({ folder, name, version, licence }) => {
    const files = readdirSync(path.join(root, folder)).filter((file) => licenceFile.test(file));
    const texts = files.toSorted().map((file) => readFileSync(path.join(root, folder, file), 'utf8'));
    const quoted = texts.length > 0 ? texts : ['The package comes without a text of its licence.'];
    return [`${'='.repeat(80)}\n${name} ${version}: ${licence}\n${'='.repeat(80)}`, ...quoted.map(tidy)].join('\n\n');
  });
  return `${[header, ...parts].join('\n')}\n`;
}

/** The text with the line endings and white space of all other files here. */
function tidy(text: string): string {
  return `${text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()}\n`;
}
