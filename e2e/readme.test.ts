import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { reconcilerOptionTable } from '../reconciler/options';
import { defaultAnnotationKeys, ownAnnotations } from '../shared/domain/annotations';
import { strategyNames } from '../shared/domain/workload-settings';

const readme = readFileSync(join(__dirname, '..', 'README.md'), 'utf8');

/** First cells of all table rows that are code. */
const firstCells = [...readme.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, cell]) => cell);

/** Written here, read by what comes with the kinds that need them. */
const notYetRead = [
  'rolloutStrategy',
  'pausePeriod',
  'pausedAt',
  'secretProviderClassAuto',
  'secretProviderClassReload',
  'secretProviderClassExclude',
];

describe('README', () => {
  it('has a row for every flag of the reconciler, with its default, and none besides', () => {
    const flags = Object.values(reconcilerOptionTable).map(({ flag }) => `--${flag}`);
    expect(firstCells.filter((cell) => cell?.startsWith('--')).toSorted()).toEqual(flags.toSorted());
    for (const row of Object.values(reconcilerOptionTable)) {
      if ('default' in row)
        expect(readme).toMatch(new RegExp(`\\| \`--${row.flag}\` +\\| \`${row.default.replaceAll('.', '\\.')}\` +\\|`));
    }
  });

  it('has a row for every annotation that is read', () => {
    const read = [
      ...(Object.entries(defaultAnnotationKeys) as [string, string][])
        .filter(([name]) => !notYetRead.includes(name))
        .map(([, key]) => key),
      ...Object.values(ownAnnotations).filter(
        (key) => key !== ownAnnotations.baseline && key !== ownAnnotations.lastRestart,
      ),
    ];
    expect(firstCells.filter((cell) => /^[a-z.]+\//.test(cell ?? '')).toSorted()).toEqual(read.toSorted());
  });

  it('has a row for every strategy', () => {
    expect(firstCells).toEqual(expect.arrayContaining([...strategyNames]));
  });
});
