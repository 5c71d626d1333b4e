import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { certsOptionTable } from '../certs/options';
import { reconcilerOptionTable } from '../reconciler/options';
import { defaultAnnotationKeys, ownAnnotations } from '../shared/domain/annotations';
import { strategyNames } from '../shared/domain/workload-settings';
import type { OptionTable } from '../shared/runtime/option-table';
import { webhookOptionTable } from '../webhook/options';

const readme = readFileSync(join(__dirname, '..', 'README.md'), 'utf8');

/** First cells of all table rows that are code. */
function codeCells(text: string): readonly string[] {
  return [...text.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, cell]) => cell!);
}

const commands: readonly (readonly [page: string, table: OptionTable])[] = [
  ['README.md', reconcilerOptionTable],
  ['docs/webhook.md', webhookOptionTable],
  ['docs/certificates.md', certsOptionTable],
];

describe('the flags of each command', () => {
  it.each(commands)('stand in %s, each with its default, and none besides', (page, table) => {
    const text = readFileSync(join(__dirname, '..', page), 'utf8');
    const flags = Object.values(table).map(({ flag }) => `--${flag}`);
    expect(
      codeCells(text)
        .filter((cell) => /^--\S+$/.test(cell))
        .toSorted(),
    ).toEqual(flags.toSorted());
    for (const { flag, default: value } of Object.values(table)) {
      if (value === undefined || value === '') continue;
      expect(text).toMatch(new RegExp(`\\| \`--${flag}\` +\\| \`${value.replaceAll('.', '\\.')}\` +\\|`));
    }
  });
});

describe('README', () => {
  it('has a row for every annotation that is read', () => {
    const read = [
      ...Object.values<string>({ ...defaultAnnotationKeys }),
      ...Object.values(ownAnnotations).filter(
        (key) => key !== ownAnnotations.baseline && key !== ownAnnotations.lastRestart,
      ),
    ];
    expect(
      codeCells(readme)
        .filter((cell) => /^[a-z.]+\//.test(cell))
        .toSorted(),
    ).toEqual(read.toSorted());
  });

  it('has a row for every strategy', () => {
    expect(codeCells(readme)).toEqual(expect.arrayContaining([...strategyNames]));
  });
});
