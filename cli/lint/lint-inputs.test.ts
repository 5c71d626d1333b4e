import { describe, expect, it } from '@jest/globals';
import { configMap, workload } from '../manifests/manifests.fixture';
import { lintInputs } from './lint-inputs';
import { parseLintOptions } from './lint-options';

const options = parseLintOptions(['-f', '-'], {});
const auto = 'reloader.stakater.com/auto';
const search = 'reloader.stakater.com/search';
const match = 'reloader.stakater.com/match';
const ignore = 'reloader.stakater.com/ignore';
const list = 'configmap.reloader.stakater.com/reload';

const lint = (...texts: readonly string[]) =>
  lintInputs({ inputs: texts.map((text, index) => ({ file: `${index}.yaml`, text })), problems: [] }, options);
const codes = (...texts: readonly string[]) => lint(...texts).findings.map(({ code }) => code);

/** A Deployment that uses ConfigMap `app`, and comes after another one. */
function ordered(name: string, after?: string, wave = '0', namespace?: string, isAuto = 'true'): string {
  const annotations = {
    ...{ [auto]: isAuto, 'reroll.dev/wave': wave },
    ...(after !== undefined && { 'reroll.dev/after': `deployment/${after}` }),
  };
  return workload(annotations, { name, ...(namespace !== undefined && { namespace }) });
}

describe('lintInputs', () => {
  it('finds what admission finds without knowing the cluster', () => {
    expect(lint(workload({ [auto]: 'yes' })).findings).toEqual([
      {
        code: 'bad-boolean',
        message:
          'Deployment default/web: annotation reloader.stakater.com/auto="yes" is not a boolean and counts as "false"; write "true" or "false"',
        annotation: auto,
        object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
        ...{ file: '0.yaml', line: 6 },
      },
    ]);
  });

  it('does not take the manifests for all that exists', () => {
    expect(codes(configMap('other', {}), workload({ [list]: 'app,gone' }))).toEqual([]);
    expect(codes(configMap('app', {}), workload({ 'secret.reloader.stakater.com/reload': 'app' }))).toEqual([]);
    expect(codes(workload({ [search]: 'true' }))).toEqual([]);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'a listed source that is ignored',
      [configMap('app', { [ignore]: 'true' }), workload({ [list]: 'app,gone' })],
      ['source-ignored'],
    ],
    ['one of another namespace', [configMap('app', { [ignore]: 'true' }, 'infra'), workload({ [list]: 'app' })], []],
    [
      'one that is ignored in one overlay only',
      [configMap('app', { [ignore]: 'true' }), configMap('app', {}), workload({ [list]: 'app' })],
      [],
    ],
    [
      'one that is ignored in both',
      [configMap('app', { [ignore]: 'true' }), configMap('app', { [ignore]: 'true' }), workload({ [list]: 'app' })],
      ['source-ignored'],
    ],
    [
      'a search of sources that are all here and do not match',
      [configMap('app', {}), workload({ [search]: 'true' })],
      ['no-match'],
    ],
    ['a search with a match', [configMap('app', { [match]: 'true' }), workload({ [search]: 'true' })], []],
  ])('takes the manifests for what they prove: %s', (_what, texts, expected) => {
    expect(codes(...texts)).toEqual(expected);
    // In any order.
    expect(codes(...texts.toReversed())).toEqual(expected);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['names each other', [ordered('web', 'db'), ordered('db', 'web')], ['bad-order', 'bad-order']],
    ['names one of a higher wave', [ordered('web', 'db'), ordered('db', undefined, '1')], ['bad-order']],
    ['names one of a lower wave', [ordered('web', 'db'), ordered('db', undefined, '-1')], []],
    ['names one of another namespace that names it', [ordered('web', 'db'), ordered('db', 'web', '1', 'bank')], []],
    [
      'names one that names it and asks for no restarts, which is told that alone',
      [ordered('web', 'db'), ordered('db', 'web', '0', undefined, 'false')],
      ['bad-order'],
    ],
    [
      'names one that is there twice, as in two overlays',
      [ordered('web', 'db'), ordered('db', undefined, '1'), ordered('db', undefined, '-1')],
      [],
    ],
  ])('knows the order of the workloads that are here: one %s', (_what, texts, expected) => {
    expect(codes(...texts)).toEqual(expected);
    expect(codes(...texts.toReversed())).toEqual(expected);
  });

  it('finds mistakes on sources and namespaces', () => {
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n  annotations:\n';
    const bad = { 'reroll.dev/windows': '22-05' };
    const csi = JSON.stringify({
      ...{ apiVersion: 'secrets-store.csi.x-k8s.io/v1', kind: 'SecretProviderClass' },
      metadata: { name: 'vault', annotations: bad },
    });
    const { findings } = lint(
      `${namespace}    reroll.dev/hold: until=tomorrow\n    reroll.dev/windws: Sat\n`,
      configMap('app', bad, 'shop') + configMap('fine', { 'reroll.dev/windows': 'Sat', 'reroll.dev/urgent': 'true' }),
      csi,
    );
    expect(findings.map(({ code, file, line, object }) => [code, file, line, object.kind, object.namespace])).toEqual([
      ['bad-hold', '0.yaml', 6, 'Namespace', undefined],
      ['unknown-annotation', '0.yaml', 7, 'Namespace', undefined],
      ['bad-window', '1.yaml', 7, 'ConfigMap', 'shop'],
      ['bad-window', '2.yaml', 1, 'SecretProviderClass', 'default'],
    ]);
    expect(findings[0]?.message).toMatch(/^Namespace shop: annotation reroll\.dev\/hold=/);
  });

  it('takes no object of another group for a source or a namespace', () => {
    const other = { apiVersion: 'example.com/v1', metadata: { annotations: { 'reroll.dev/windows': '22-05' } } };
    expect(codes(...['ConfigMap', 'Namespace'].map((kind) => JSON.stringify({ ...other, kind })))).toEqual([]);
  });

  it('leaves objects alone that switch it off', () => {
    expect(codes(workload({ [auto]: 'yes', 'reroll.dev/lint': 'off' }))).toEqual([]);
    expect(codes(workload({ [auto]: 'yes', 'reroll.dev/lint': 'on' }))).toEqual(['bad-boolean']);
    expect(codes(configMap('app', { 'reroll.dev/hold': '5', 'reroll.dev/lint': 'off' }))).toEqual([]);
  });

  it('finds the line of what is in the wrong place, and not of the same key elsewhere', () => {
    const text = [
      ...['apiVersion: batch/v1', 'kind: CronJob', 'metadata:', '  name: web'],
      `  annotations: {${auto}: "true"}`,
      `  labels: {${auto}: "true"}`,
      'spec:',
      '  jobTemplate:',
      `    metadata: {annotations: {${auto}: "true"}}`,
      '    spec: {template: {spec: {containers: [{envFrom: [{secretRef: {name: db}}]}]}}}',
    ].join('\n');
    const found = lint(text).findings.map(({ code, line }) => [code, line]);
    expect(found).toContainEqual(['wrong-place', 9]);
    expect(found.every(([, line]) => line !== 5)).toBe(true);
  });

  it('names the line of the object if the annotation is behind an anchor', () => {
    const text = `apiVersion: apps/v1\nkind: Deployment\nx: &a {annotations: {${auto}: "yes"}}\nmetadata: *a\n`;
    expect(lint(`# first\n${text}`).findings).toMatchObject([{ line: 2, object: { namespace: 'default' } }]);
  });

  it('escapes what could drive a terminal or forge a line', () => {
    const text =
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: "a\\e[31m\\n::error::b", annotations: {reroll.dev/settel: x}}\n';
    const { findings } = lintInputs(
      { inputs: [{ file: 'a\nb.yaml', text }], problems: [{ file: 'c\nd', message: '' }] },
      options,
    );
    expect(findings[0]?.file).toBe('a\\nb.yaml');
    expect(findings[0]?.message).toContain(
      'Deployment default/a\\u001b[31m\\n::error::b: annotation reroll.dev/settel',
    );
  });

  it('counts files, objects, findings and errors', () => {
    const report = lint(workload({ [auto]: 'yes' }) + configMap('app', {}), 'a: b');
    expect(report.summary).toEqual({ files: 2, objects: 2, findings: 1, errors: 1 });
    expect(report.errors).toEqual([
      { file: '1.yaml', line: 1, message: 'this is no Kubernetes object: it needs apiVersion and kind' },
    ]);
  });

  it('is not content with nothing', () => {
    expect(lint('# nothing\n---\n').errors).toEqual([{ file: '0.yaml', message: 'holds no Kubernetes object' }]);
    expect(lint('', configMap('app', {})).errors).toEqual([]);
  });

  it('says nothing of the content of Secrets, whatever is wrong with their annotations', () => {
    const secret = (annotations: object) =>
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', annotations } },
        ...{ data: { a: 'aHVudGVyMg==' }, stringData: { b: 'hunter2' } },
      });
    const report = lint(secret({ [auto]: 'true' }), secret({ [search]: 'true' }));
    expect(report.findings.map(({ code }) => code)).toEqual(['kind-not-covered', 'kind-not-covered']);
    expect(JSON.stringify(report)).not.toMatch(/hunter2|aHVudGVyMg/);
  });
});
