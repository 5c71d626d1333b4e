import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  changedFields,
  difference,
  type FieldSet,
  fieldsOf,
  intersection,
  isEmptySet,
  mergeApplied,
  pathsOf,
  union,
  withoutFields,
} from './field-set';

const set: fc.Arbitrary<FieldSet> = fc.letrec<{ set: FieldSet; inner: FieldSet }>((tie) => ({
  set: fc.dictionary(fc.constantFrom('f:a', 'f:b', 'f:c'), tie('inner'), {
    noNullPrototype: true,
  }),
  inner: fc.oneof({ depthSize: 'small' }, fc.constant({}), tie('set')),
})).set;
const sortedPaths = (fields: FieldSet): readonly string[] => [...new Set(pathsOf(fields))].sort();

describe('field sets', () => {
  it('are sets of paths', () => {
    fc.assert(
      fc.property(set, set, (left, right) => {
        const [inLeft, inRight] = [sortedPaths(left), sortedPaths(right)];
        expect(sortedPaths(union(left, right))).toEqual([...new Set([...inLeft, ...inRight])].sort());
        expect(sortedPaths(difference(left, right))).toEqual(inLeft.filter((path) => !inRight.includes(path)));
        expect(sortedPaths(intersection(left, right))).toEqual(inLeft.filter((path) => inRight.includes(path)));
        expect(isEmptySet(difference(left, left))).toBe(true);
      }),
    );
  });

  it('write paths as an apply conflict does', () => {
    const fields = {
      'f:metadata': { 'f:finalizers': { 'v:"x"': {} } },
      'f:spec': { 'f:containers': { 'k:{"name":"app"}': { '.': {}, 'f:image': {} } } },
    };
    expect(pathsOf(fields)).toEqual([
      '.metadata.finalizers[="x"]',
      '.spec.containers[name="app"]',
      '.spec.containers[name="app"].image',
    ]);
  });
});

describe('fields of values', () => {
  const pod = {
    spec: {
      containers: [{ name: 'app', ports: [{ containerPort: 80 }], args: ['a'], resources: {} }],
      nodeSelector: { disk: 'ssd' },
    },
    metadata: { finalizers: ['x'], labels: { a: 'b' } },
  };

  it('tell lists with keys, sets, atomic lists and atomic maps apart', () => {
    expect(fieldsOf(pod, '')).toEqual({
      'f:spec': {
        'f:containers': {
          'k:{"name":"app"}': {
            '.': {},
            'f:name': {},
            'f:ports': { '.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
            'f:args': {},
            'f:resources': {},
          },
        },
        'f:nodeSelector': {},
      },
      'f:metadata': { 'f:finalizers': { '.': {}, 'v:"x"': {} }, 'f:labels': { '.': {}, 'f:a': {} } },
    });
  });

  it('change only where they differ', () => {
    const after = { ...pod, metadata: { finalizers: ['x', 'y'], labels: { a: 'c', d: 'e' } } };
    expect(changedFields(pod, after, '')).toEqual({
      'f:metadata': { 'f:finalizers': { 'v:"y"': {} }, 'f:labels': { 'f:a': {}, 'f:d': {} } },
    });
    expect(changedFields(pod, pod, '')).toBeUndefined();
  });

  it('can be taken out', () => {
    expect(withoutFields(pod, fieldsOf(pod, ''), '')).toEqual({ spec: { containers: [] }, metadata: {} });
    expect(withoutFields(pod, { 'f:metadata': { 'f:labels': { 'f:a': {} } } }, '')).toMatchObject({
      metadata: { labels: {} },
    });
  });

  it('take the rest of an item along, which belongs to nobody, but not what somebody owns', () => {
    const item = { 'f:containers': { 'k:{"name":"app"}': { '.': {}, 'f:name': {} } } };
    expect(withoutFields(pod.spec, item, '')).toMatchObject({ containers: [] });
    const owned = { 'f:containers': { 'k:{"name":"app"}': { 'f:args': {} } } };
    expect(withoutFields(pod.spec, item, '', owned)).toMatchObject({ containers: [{ args: ['a'] }] });
  });

  it('merge as server-side apply does', () => {
    const applied = { spec: { containers: [{ name: 'side' }, { name: 'app', args: ['b'] }] } };
    const merged = mergeApplied(pod, applied, '');
    expect(merged).toMatchObject({
      spec: { containers: [{ name: 'app', args: ['b'], ports: [{ containerPort: 80 }] }, { name: 'side' }] },
      metadata: { labels: { a: 'b' } },
    });
  });
});
