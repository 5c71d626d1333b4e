import { describe, expect, it } from '@jest/globals';
import { readManifests } from './manifests';

const read = (text: string) => readManifests({ file: 'a.yaml', text }, 'default');
const deployment = 'apiVersion: apps/v1\nkind: Deployment\n';

/** The problems of a text that contains no object. */
function problems(text: string) {
  const { manifests, problems } = read(text);
  expect(manifests).toEqual([]);
  return problems.map(({ file, line, message }) => `${file}:${String(line)}: ${message}`);
}

describe('readManifests', () => {
  it('reads each document with its line, and skips those that are empty', () => {
    const { manifests, problems } = read(
      `# a comment\n---\n---\n# only a comment\n---\n${deployment}metadata: {name: web, namespace: shop}\n---\n\napiVersion: v1\nkind: Secret\n`,
    );
    expect(problems).toEqual([]);
    expect(manifests.map(({ line, group, kind, namespace }) => [line, group, kind, namespace])).toEqual([
      [6, 'apps', 'Deployment', 'shop'],
      [11, '', 'Secret', 'default'],
    ]);
    expect(manifests[0]?.object).toEqual({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      metadata: { name: 'web', namespace: 'shop' },
    });
  });

  it('reads the objects of lists, also in JSON with tabs and of a list within a list', () => {
    const list = (items: readonly object[]) => ({ apiVersion: 'v1', kind: 'List', items });
    const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } };
    const text = JSON.stringify(list([web, list([{ ...web, kind: 'DaemonSet' }])]), undefined, '\t');
    const { manifests, problems } = read(text);
    expect(problems).toEqual([]);
    expect(manifests.map(({ line, kind }) => [line, kind])).toEqual([
      [5, 'Deployment'],
      [16, 'DaemonSet'],
    ]);
  });

  it('knows the lines of fields, of the last one where there are two', () => {
    const [manifest] = read(
      `${deployment}metadata:\n  labels: {}\n  annotations:\n    a: 1\n    b/c: 2\n    a: 3\n`,
    ).manifests;
    const line = (...path: readonly string[]) => manifest?.lineOf(path);
    expect(line('metadata', 'annotations', 'b/c')).toBe(7);
    expect(line('metadata', 'annotations', 'a')).toBe(8);
    expect(line('metadata', 'annotations', 'd')).toBeUndefined();
    expect(line('kind', 'x')).toBeUndefined();
  });

  it('knows what is written without quotes', () => {
    const [manifest] = read(
      `${deployment}metadata:\n  name: yes\n  labels: {a: "1", b: 1_0, c: !!str on, d: &d no, e: *d}\n  annotations:\n    a: |\n      x\n`,
    ).manifests;
    const plain = (...path: readonly string[]) => manifest?.plainAt(['metadata', ...path]);
    expect(plain('name')).toBe('yes');
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map((label) => plain('labels', label))).toEqual([
      ...[undefined, '1_0', undefined, 'no', undefined, undefined],
    ]);
    expect(plain('annotations', 'a')).toBeUndefined();
    expect(plain('labels')).toBeUndefined();
  });

  it('follows anchors and merges, as kubectl does', () => {
    const [manifest] = read(
      `${deployment}metadata:\n  labels: &l {a: "1"}\n  annotations:\n    <<: *l\n    b: "2"\n`,
    ).manifests;
    expect(manifest?.object).toMatchObject({ metadata: { annotations: { a: '1', b: '2' } } });
  });

  it.each<[string, string, readonly string[]]>([
    [
      'a mistake in YAML',
      'kind: "a\nb: c\n',
      ['a.yaml:3: a character is missing here: a quote, a comma, a colon, a space or a bracket'],
    ],
    ['a scalar', 'hello', ['a.yaml:1: this is no Kubernetes object: it needs apiVersion and kind']],
    ['a list', '- a\n', ['a.yaml:1: this is no Kubernetes object: it needs apiVersion and kind']],
    [
      'values of a chart',
      '# values\n\nreplicas: 1\n',
      ['a.yaml:3: this is no Kubernetes object: it needs apiVersion and kind'],
    ],
    [
      'an object without a kind',
      'apiVersion: v1\n',
      ['a.yaml:1: this is no Kubernetes object: it needs apiVersion and kind'],
    ],
    [
      'an alias without an anchor',
      `${deployment}metadata: *m\n`,
      ['a.yaml:1: an alias has no anchor, or there are too many'],
    ],
    [
      'too much nesting',
      `${deployment}metadata: ${'['.repeat(300)}`,
      [
        'a.yaml:3: this is nested more than 256 levels deep, as no Kubernetes object is: a bracket or brace may not be closed',
      ],
    ],
    ['an alias bomb', aliasBomb(), ['a.yaml:1: an alias has no anchor, or there are too many']],
  ])('refuses %s', (_what, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  const hint = "; if this is a template of Helm, render it first, with 'helm template'";
  it.each<[string, string, string]>([
    [
      'does not parse',
      `${deployment}metadata:\n  {{- include "x" . }}\n`,
      'a.yaml:4: a block cannot appear within brackets or braces',
    ],
    ['parses by chance', `${deployment}metadata:\n  name: {{ .Values.name }}\n`, 'a.yaml:1: a key is a map'],
  ])('says to render a template of Helm that %s', (_what, text, start) => {
    const [problem] = problems(text);
    expect(problem).toBe(`${start}${hint}`);
  });

  it('reads the documents beside one that is wrong', () => {
    const { manifests, problems } = read(`a: b\n---\n${deployment}---\nkind: [\n`);
    expect(manifests.map(({ line }) => line)).toEqual([3]);
    expect(problems.map(({ line }) => line)).toEqual([1, 7]);
  });

  it.each([
    'apiVersion: v1\nkind: Secret\nstringData:\n  a: "hunter2\n',
    'apiVersion: v1\nkind: Secret\nstringData:\n  a: *hunter2\n',
    'apiVersion: v1\nkind: Secret\nstringData: {a: b} hunter2\n',
    'apiVersion: v1\nkind: Secret\nstringData:\n  a: !!int hunter2\n  ? {hunter2: 1}\n',
    'hunter2',
    '%hunter2\n---\nhunter2: "\\q"',
  ])('quotes no content: %#', (text) => {
    const found = problems(text);
    expect(found).not.toEqual([]);
    expect(found.join()).not.toContain('hunter2');
  });
});

function aliasBomb(): string {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(', ')}]\n`,
  );
  return `l0: &l0 x\n${levels.join('')}${deployment}`;
}
