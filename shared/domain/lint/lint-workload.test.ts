import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { annotationProblemCodes } from '../annotations/annotation-problem';
import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import { parseSelector } from '../kubernetes/selector';
import { readWorkloadQuestion, workloadQuestion } from '../protocol/workload-question';
import { cleanRows } from './clean-rows.fixture';
import { noKnownSources, type KnownSources } from './known-sources';
import { readLintSubject } from './lint-subject';
import { isWorthLinting, lintWorkload } from './lint-workload';
import { known, lintSettings, written, type Applied, type LintRow } from './lint.fixture';
import { sourceQuestion } from './listed-sources';
import { nameRows } from './name-rows.fixture';
import { orderedRows, orderRows } from './order-rows.fixture';
import { placeRows } from './place-rows.fixture';
import { precedenceRows } from './precedence-rows.fixture';
import { sourceRows } from './source-rows.fixture';
import { valueRows } from './value-rows.fixture';

const rows = [...nameRows, ...valueRows, ...placeRows, ...precedenceRows, ...sourceRows, ...orderRows];
const withoutFindings = [...cleanRows, ...orderedRows];

function findings({ applied, flags, sources, isNamespaceSelected, others }: LintRow, of?: KnownSources) {
  const subject = readLintSubject(written(applied), lintSettings(flags));
  return lintWorkload(subject, of ?? known(sources, isNamespaceSelected, others));
}

describe('lintWorkload', () => {
  it.each(rows)('$title', (row) => {
    expect(findings(row).map(({ code, message }) => [code, message])).toEqual(row.says);
  });

  it.each(withoutFindings)('finds nothing in $title', (row) => expect(findings(row)).toEqual([]));

  it.each([...rows, ...withoutFindings])('finds the same in what the webhook sends: $title', (row) => {
    const write = written(row.applied);
    const sent = readWorkloadQuestion(
      JSON.parse(JSON.stringify(workloadQuestion(write, write.namespace, write.object))),
    );
    const found = lintWorkload(
      readLintSubject(sent!, lintSettings(row.flags)),
      known(row.sources, row.isNamespaceSelected, row.others),
    );
    expect(found).toEqual(findings(row));
  });

  it('has a row for every code, and no message that an API server would cut', () => {
    const said = rows.flatMap(({ says }) => says);
    expect([...new Set(said.map(([code]) => code))].sort()).toEqual([...annotationProblemCodes].sort());
    for (const [, message] of said) expect(Buffer.byteLength(message)).toBeLessThanOrEqual(256);
  });

  it.each(rows)('shows no value of an unknown key, and cuts long values: $title', (row) => {
    for (const { message } of findings(row)) {
      expect(message).not.toContain('hunter2');
      expect(message).not.toMatch(/(.)\1{105}/);
    }
  });

  it('reports nothing about sources that are not known', () => {
    const dependent = sourceRows.map((row) => findings(row, noKnownSources).map(({ code }) => code));
    expect([...new Set(dependent.flat())].sort()).toEqual(['bad-boolean', 'bad-name', 'nothing-used', 'wrong-place']);
  });
});

describe('any workload', () => {
  it('has at most a hundred findings', () => {
    const metadata = { [keys.configMapExclude]: 'a*,'.repeat(500), [keys.auto]: 'true' };
    expect(lintWorkload(readLintSubject(written({ metadata }), lintSettings()), known())).toHaveLength(100);
  });

  const ours = fc.constantFrom(...Object.values<string>({ ...keys }), 'reroll.dev/settle', 'reroll.dev/x', 'x/auto');
  const texts = fc.dictionary(ours, fc.oneof(fc.string(), fc.constantFrom('true', 'false', 'app', 'app,.*', '1s')));
  const kinds = fc.constantFrom('Deployment', 'CronJob', 'Job', 'Rollout', 'Pod');
  const groups = fc.constantFrom('apps', 'batch', 'argoproj.io', '');

  it('gets messages that fit', () => {
    fc.assert(
      fc.property(kinds, groups, texts, texts, fc.string(), (kind, group, metadata, template, name) => {
        const { object } = written({ kind: 'Deployment', name, metadata, template });
        const subject = readLintSubject({ kind, group, namespace: 'shop', object }, lintSettings({ csi: true }));
        for (const { message } of lintWorkload(subject, known())) {
          expect(Buffer.byteLength(message)).toBeLessThanOrEqual(256);
        }
      }),
    );
  });

  it('never causes an exception: a mutating webhook sees objects that nobody has validated', () => {
    fc.assert(
      fc.property(kinds, groups, fc.jsonValue(), fc.jsonValue(), (kind, group, object, part) => {
        for (const each of [
          object,
          { metadata: part, spec: part },
          { metadata: { annotations: part, labels: part } },
        ]) {
          const write = { kind, group, namespace: 'shop', object: each, oldObject: object };
          const subject = readLintSubject(write, lintSettings());
          isWorthLinting(write, keys);
          lintWorkload(subject, known());
        }
      }),
    );
  });
});

describe('sourceQuestion', () => {
  const question = (applied: Applied, settings = lintSettings()) => {
    const subject = readLintSubject(written(applied), settings);
    return 'spec' in subject ? sourceQuestion(subject) : undefined;
  };

  it('asks for the names that a workload lists', () => {
    const metadata = { [keys.configMapReload]: 'app,web-.*', [keys.secretReload]: 'db,app' };
    expect(question({ metadata })).toEqual({
      namespace: 'shop',
      named: ['cm/app', 'secret/app', 'spc/app', 'cm/db', 'secret/db', 'spc/db'],
    });
  });

  it('asks for those that its template uses if it searches', () => {
    expect(question({ metadata: { [keys.search]: 'true' } })).toEqual({
      namespace: 'shop',
      named: ['cm/app', 'secret/db'],
    });
  });

  it('asks for no names for a pattern', () => {
    const metadata = { [keys.configMapReload]: '.*', [keys.secretReload]: 'a.b' };
    expect(question({ metadata })).toEqual({ namespace: 'shop', named: [] });
  });

  it('asks nothing if nothing depends on it, except for labels that a flag selects by', () => {
    expect(question({ metadata: { [keys.auto]: 'true' } })).toBeUndefined();
    const selection = { namespaceSelector: parseSelector('env=prod') };
    expect(question({ metadata: { [keys.auto]: 'true' } }, lintSettings({ selection }))).toEqual({
      namespace: 'shop',
      named: [],
    });
  });
});

describe('isWorthLinting', () => {
  const worth = (applied: Applied, old?: Applied) =>
    isWorthLinting({ ...written(applied), oldObject: old && written(old).object }, keys);
  const metadata = { [keys.auto]: 'true' };

  it.each<[string, Applied, Applied | undefined, boolean]>([
    ['a new workload', { metadata }, undefined, true],
    ['one with annotations on its pod template', { template: metadata }, undefined, true],
    ['one with a typo', { metadata: { 'reroll.dev/settel': '' } }, undefined, true],
    ['one with a label', { labels: metadata }, undefined, true],
    ['a CronJob with annotations on its jobTemplate', { kind: 'CronJob', jobTemplate: metadata }, undefined, true],
    ['a new one without annotations about restarts', { metadata: { 'helm.sh/chart': 'x' } }, undefined, false],
    ['one that is scaled', { metadata, spec: { replicas: 2 } }, { metadata, spec: { replicas: 1 } }, false],
    ['one whose annotations change', { metadata }, { metadata: { [keys.auto]: 'false' } }, true],
    ['one that uses something else', { metadata }, { metadata, envFrom: [] }, true],
    ['one whose annotations are removed', {}, { metadata }, false],
  ])('%s: %#', (_title, applied, old, expected) => expect(worth(applied, old)).toBe(expected));
});
