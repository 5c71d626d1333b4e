/** How a restart is carried out: see reconciler/apply. */
export type ApplyMethod = 'patch' | 'merge' | 'rollout' | 'create-job' | 'recreate';

export type WorkloadKindName =
  'Deployment' | 'StatefulSet' | 'DaemonSet' | 'CronJob' | 'Job' | 'Rollout' | 'DeploymentConfig';

export interface WorkloadKind {
  readonly kind: WorkloadKindName;
  readonly resource: { readonly group: string; readonly version: string; readonly plural: string };
  /** Where the pod template is within the object. */
  readonly templatePath: readonly string[];
  readonly apply: ApplyMethod;
  /** The patch type for its annotations: custom resources reject a strategic merge patch with 415. */
  readonly patchType: 'strategic' | 'merge';
  /** An add-on serves its API: it may be missing, be installed later, and be removed. */
  readonly optional: boolean;
}

/** The path of the pod template in most kinds. */
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
    // Annotations on the Job template in between are not read, as in Reloader.
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
    // Either its template is changed, or its pods are replaced with the same template.
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

/** Every kind that Reroll restarts; add a row to support another. */
export const workloadKinds: readonly WorkloadKind[] = Object.values(table);

export function workloadKind(name: WorkloadKindName): WorkloadKind {
  return table[name];
}

/** The kind of an object named in a request; undefined for a kind that Reroll does not restart. */
export function findWorkloadKind(group: string, kind: string): WorkloadKind | undefined {
  return workloadKinds.find((known) => known.kind === kind && known.resource.group === group);
}
