/** How a restart is brought about: see reconciler/apply. */
export type ApplyMethod = 'patch' | 'merge' | 'rollout' | 'create-job' | 'recreate';

export type WorkloadKindName =
  'Deployment' | 'StatefulSet' | 'DaemonSet' | 'CronJob' | 'Job' | 'Rollout' | 'DeploymentConfig';

export interface WorkloadKind {
  readonly kind: WorkloadKindName;
  readonly resource: { readonly group: string; readonly version: string; readonly plural: string };
  /** Where the pod template is within the object. */
  readonly templatePath: readonly string[];
  readonly apply: ApplyMethod;
  /** How its annotations are patched: custom resources refuse a strategic merge patch with 415. */
  readonly patchType: 'strategic' | 'merge';
  /** Its API comes with an add-on: it may be missing, come later, and go. */
  readonly optional: boolean;
}

/** Where the pod template of most kinds is. */
export const defaultTemplatePath: readonly string[] = ['spec', 'template'];
const builtIn = { patchType: 'strategic', optional: false } as const;
const addOn = { patchType: 'merge', optional: true } as const;

function apps(kind: WorkloadKindName, plural: string): WorkloadKind {
  const resource = { group: 'apps', version: 'v1', plural };
  return { ...builtIn, kind, resource, templatePath: defaultTemplatePath, apply: 'patch' };
}

const table: Readonly<Record<WorkloadKindName, WorkloadKind>> = {
  Deployment: apps('Deployment', 'deployments'),
  StatefulSet: apps('StatefulSet', 'statefulsets'),
  DaemonSet: apps('DaemonSet', 'daemonsets'),
  CronJob: {
    ...builtIn,
    kind: 'CronJob',
    resource: { group: 'batch', version: 'v1', plural: 'cronjobs' },
    // Annotations of the Job template between the two are not consulted, as in Reloader.
    templatePath: ['spec', 'jobTemplate', ...defaultTemplatePath],
    apply: 'create-job',
  },
  Job: {
    ...builtIn,
    kind: 'Job',
    resource: { group: 'batch', version: 'v1', plural: 'jobs' },
    templatePath: defaultTemplatePath,
    // A Job's template is immutable.
    apply: 'recreate',
  },
  Rollout: {
    ...addOn,
    kind: 'Rollout',
    resource: { group: 'argoproj.io', version: 'v1alpha1', plural: 'rollouts' },
    templatePath: defaultTemplatePath,
    // Either its template is changed, or its pods are replaced as they are.
    apply: 'rollout',
  },
  DeploymentConfig: {
    ...addOn,
    kind: 'DeploymentConfig',
    resource: { group: 'apps.openshift.io', version: 'v1', plural: 'deploymentconfigs' },
    templatePath: defaultTemplatePath,
    apply: 'merge',
  },
};

/** Every kind that Reroll restarts; a new kind is a new row. */
export const workloadKinds: readonly WorkloadKind[] = Object.values(table);

export function workloadKind(name: WorkloadKindName): WorkloadKind {
  return table[name];
}

/** The kind of an object as a request names it; undefined for one that is not restarted. */
export function findWorkloadKind(group: string, kind: string): WorkloadKind | undefined {
  return workloadKinds.find((known) => known.kind === kind && known.resource.group === group);
}
