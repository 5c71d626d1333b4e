import { expect, it } from '@jest/globals';
import { parseSelector } from '../kubernetes/selector';
import { absent } from '../sources/content-digest';
import type { SourceId } from '../sources/source';
import type { PlanInput } from './plan-input';
import { at, policySettings, sourceRecord, trackedWorkload, workloadRecord } from './records.fixture';
import { stateAtBirth } from './resolve';

const held = { content: sourceRecord().content };

it.each([
  ['a ConfigMap that the selector may have let in since is new', 'ConfigMap', 'cm/app', { content: undefined }],
  ['a SecretProviderClass, which no label selects, is not', 'SecretProviderClass', 'spc/app', held],
] as const)('to a Job with a record from before it, %s', (_what, kind, id, expected) => {
  const source = sourceRecord({ kind, createdAtMs: at(-60), resourceVersion: '11' });
  const notAsked = (): never => {
    throw new Error('not asked');
  };
  const input: PlanInput = {
    workload: trackedWorkload(workloadRecord({ createdAtMs: at(0) }), {
      baseline: { sequence: 1, keyId: 'k', sources: new Map<SourceId, string>([[id, absent]]) },
      referencedSinceVersion: '10',
      shownSince: new Map([[id, '11']]),
    }),
    sources: {
      ...{ get: () => source, heldAtBirth: () => held, lastKnownFlags: () => undefined, admittedSinceMs: () => 0 },
      ...{ keysSinceMs: () => 0, namesIn: () => ['app'], inForceAt: notAsked, formerContent: notAsked },
      ...{ firstContent: notAsked, firstSeen: notAsked },
    },
    settings: {
      ...{ policy: policySettings, sourceSelector: parseSelector('!frozen') },
      ...{ reloadOnCreate: true, reloadOnDelete: false },
    },
    ...{ isComparable: () => true, knownKinds: new Set([kind]), keyId: 'k' },
    term: { inChargeSinceMs: at(-90), watchingSinceMs: at(-90) },
  };
  const candidate = { kind, namespace: 'shop', name: 'app', keys: 'all', container: undefined } as const;
  expect(stateAtBirth(candidate, input)).toEqual(expected);
});
