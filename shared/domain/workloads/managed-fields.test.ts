import { describe, expect, it } from '@jest/globals';
import { managedFieldsOf, managesAnnotation, newestWriteOf, possibleRemovers } from './managed-fields';

const entry = (manager: string, time: string, rest: object = {}) => ({ manager, operation: 'Update', time, ...rest });
const objectWith = (...managedFields: readonly unknown[]) => ({ metadata: { managedFields } });
const [earlier, later] = ['2026-11-22T10:00:00Z', '2026-11-22T10:00:10Z'];

it('is read without fields that are missing or have another type', () => {
  const object = objectWith(
    entry('web-operator', earlier, { subresource: 'status' }),
    { manager: 1, time: 'soon' },
    'x',
  );
  const nothing = { manager: undefined, operation: undefined, subresource: undefined, timeMs: undefined };
  expect(managedFieldsOf(object)).toEqual([
    { manager: 'web-operator', operation: 'Update', subresource: 'status', timeMs: Date.parse(earlier) },
    nothing,
    nothing,
  ]);
});

describe('an annotation', () => {
  const fieldsV1 = { 'f:metadata': { 'f:annotations': { 'f:reroll.dev/baseline': {} } } };

  it.each([
    ['is managed by the manager that set it', [entry('reroll', earlier, { fieldsV1 })], true],
    [
      'is not managed by one that set something else',
      [entry('reroll', earlier, { fieldsV1: { 'f:spec': {} } })],
      false,
    ],
    ['is not managed by one while another set it', [entry('kubectl-edit', earlier, { fieldsV1 })], false],
    ['is managed by nobody if the managers are unknown', [], false],
  ])('%s', (_what, managedFields, expected) => {
    expect(managesAnnotation(objectWith(...managedFields), 'reroll', 'reroll.dev/baseline')).toBe(expected);
  });
});

describe('the possible removers of an annotation', () => {
  it.each<[string, readonly unknown[], readonly string[]]>([
    ['are none if there are no managers', [], []],
    ['include the only manager that updates the object', [entry('web-operator', earlier)], ['web-operator']],
    ['never include Reroll', [entry('web-operator', earlier), entry('reroll', later)], ['web-operator']],
    [
      'exclude managers that write the status or scale',
      [
        entry('web-operator', earlier),
        entry('kube-controller-manager', later, { subresource: 'status' }),
        entry('autoscaler', later, { subresource: 'scale' }),
      ],
      ['web-operator'],
    ],
    [
      'exclude managers that apply or only created the object',
      [
        entry('gitops', later, { operation: 'Apply' }),
        entry('kubectl-client-side-apply', later),
        entry('kubectl-create', later),
        entry('web-operator', earlier),
      ],
      ['web-operator'],
    ],
    [
      'are sorted by their last write, newest first',
      [entry('kubectl-edit', earlier), entry('web-operator', later), entry('old', 'no time')],
      ['web-operator', 'kubectl-edit', 'old'],
    ],
    [
      'include each manager once, even if it writes several API versions',
      [entry('web-operator', earlier, { apiVersion: 'apps/v1' }), entry('web-operator', later)],
      ['web-operator'],
    ],
  ])('%s', (_what, managedFields, expected) => {
    expect(possibleRemovers(objectWith(...managedFields))).toEqual(expected);
  });
});

describe('the newest write of some fields', () => {
  const setting = (...fields: readonly string[]) => ({
    fieldsV1: { 'f:data': { '.': {}, ...Object.fromEntries(fields.map((field) => [`f:${field}`, {}])) } },
  });
  const written = objectWith(
    entry('kubectl', earlier, setting('color', 'size')),
    entry('ci', later, setting('port')),
    entry('labeller', later, { fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } } } }),
  );
  const timeMs = Date.parse(later);

  it('is the last that set one of them, with what the writer owns there', () => {
    expect(newestWriteOf(written, [['binaryData'], ['data']])).toEqual({ manager: 'ci', timeMs, names: ['port'] });
    expect(newestWriteOf(written, [['data']], 'ci')).toMatchObject({ manager: 'kubectl', names: ['color', 'size'] });
    expect(newestWriteOf(written, [['metadata', 'labels']])).toMatchObject({ manager: 'labeller', names: ['a'] });
  });

  it('is unknown where nobody has set them, or no time is known', () => {
    expect(newestWriteOf(written, [['spec']])).toBeUndefined();
    expect(newestWriteOf(objectWith(entry('ci', 'no time', setting('a'))), [['data']])).toBeUndefined();
    expect(newestWriteOf({}, [['data']])).toBeUndefined();
  });
});
