import { expect, it } from '@jest/globals';
import { observedRevision } from './observed-revision';

const rolledOut = {
  metadata: { generation: 3, annotations: { 'deployment.kubernetes.io/revision': '12' } },
  status: { observedGeneration: 3 },
};

it('is the number of the ReplicaSet that a Deployment rolls out', () => {
  expect(observedRevision('Deployment', rolledOut)).toBe(12);
});

it.each([
  ['the controller has not seen the current spec', { status: { observedGeneration: 2 } }],
  ['there is none', { metadata: { generation: 3 } }],
  ['it is no number', { metadata: { generation: 3, annotations: { 'deployment.kubernetes.io/revision': 'last' } } }],
])('is unknown where %s', (_what, other) => {
  expect(observedRevision('Deployment', { ...rolledOut, ...other })).toBeUndefined();
});

it('is unknown for other kinds, whose templates no such number counts', () => {
  expect(observedRevision('StatefulSet', rolledOut)).toBeUndefined();
});
