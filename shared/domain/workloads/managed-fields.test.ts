import { describe, expect, it } from '@jest/globals';
import { managedFieldsOf, possibleRemovers } from './managed-fields';

const entry = (manager: string, time: string, rest: object = {}) => ({ manager, operation: 'Update', time, ...rest });
const objectWith = (...managedFields: readonly unknown[]) => ({ metadata: { managedFields } });
const [earlier, later] = ['2026-11-22T10:00:00Z', '2026-11-22T10:00:10Z'];

it('is read with what is missing or of another type left out', () => {
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

describe('who may have removed an annotation of ours', () => {
  it.each<[string, readonly unknown[], readonly string[]]>([
    ['is nobody that is known', [], []],
    ['is the only one who updates it', [entry('web-operator', earlier)], ['web-operator']],
    ['is never Reroll', [entry('web-operator', earlier), entry('reroll', later)], ['web-operator']],
    [
      'is not who writes its status or scale',
      [
        entry('web-operator', earlier),
        entry('kube-controller-manager', later, { subresource: 'status' }),
        entry('autoscaler', later, { subresource: 'scale' }),
      ],
      ['web-operator'],
    ],
    [
      'is not who applies, nor who created it',
      [
        entry('gitops', later, { operation: 'Apply' }),
        entry('kubectl-client-side-apply', later),
        entry('kubectl-create', later),
        entry('web-operator', earlier),
      ],
      ['web-operator'],
    ],
    [
      'is one of several, who wrote last first',
      [entry('kubectl-edit', earlier), entry('web-operator', later), entry('old', 'no time')],
      ['web-operator', 'kubectl-edit', 'old'],
    ],
    [
      'is named once, whatever versions it writes',
      [entry('web-operator', earlier, { apiVersion: 'apps/v1' }), entry('web-operator', later)],
      ['web-operator'],
    ],
  ])('%s', (_what, managedFields, expected) => {
    expect(possibleRemovers(objectWith(...managedFields))).toEqual(expected);
  });
});
