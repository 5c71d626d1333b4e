import { expect, it } from '@jest/globals';
import type { GateSettings } from '../gate-settings/gate-settings';
import { trackedWorkload, workloadRecord } from '../plan/records.fixture';
import { predecessorsOf } from './predecessors';

const byDeployment = (name: string) => ({ kind: 'Deployment', name }) as const;

it.each<
  [string, { gates?: GateSettings; controlledBy?: { kind: string; name: string; uid: string } }, readonly object[]]
>([
  ['nobody, unless something says so', {}, []],
  ['those that it names', { gates: { after: [byDeployment('db')] } }, [{ key: 'Deployment/shop/db', by: 'after' }]],
  ['never itself', { gates: { after: [byDeployment('web')] } }, []],
  [
    'the workload that controls it',
    { controlledBy: { ...byDeployment('app'), uid: 'x' } },
    [{ key: 'Deployment/shop/app', by: 'owner' }],
  ],
  ['no controller of another kind', { controlledBy: { kind: 'Operated', name: 'app', uid: 'x' } }, []],
])('before a workload comes %s', (_who, says, predecessors) => {
  expect(predecessorsOf(trackedWorkload({ ...workloadRecord(), ...says }))).toEqual(predecessors);
});
