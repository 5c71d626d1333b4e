import type { EngineSettings } from '../reconciler/options/engine-settings';
import { defaultAnnotationKeys } from '../shared/domain/annotations/annotations';
import { unlimited } from '../shared/domain/gate-settings/pace-settings';
import { everything } from '../shared/domain/kubernetes/selector';

export const ownNamespace = 'reroll';
export const leaseName = 'reroll';

/** The settings of an empty command line, for engines in tests. */
export const defaultSettings: Omit<EngineSettings, 'identity'> = {
  policy: { autoReloadAll: false, ignoredWorkloadKinds: [] },
  annotationKeys: defaultAnnotationKeys,
  strategy: 'env-vars',
  gates: undefined,
  pace: {
    ...unlimited,
    maxRolling: { count: 100, unit: 'workloads' },
    perNamespace: { count: 50, unit: 'workloads' },
  },
  stages: { fromUsers: 20, healthyForMs: 30_000, deadlineMs: 600_000 },
  rollback: false,
  reloadOnCreate: false,
  reloadOnDelete: false,
  ignoredSourceKind: undefined,
  namespaces: [],
  namespacesToIgnore: [],
  namespaceSelector: everything,
  sourceSelector: everything,
  csi: false,
  settleMs: 1_000,
  settleMaxMs: 10_000,
  foldRollouts: true,
  ownNamespace,
  leaseName,
  dryRun: false,
  history: true,
  replicated: false,
};
