/** How a restart is brought about: see reconciler/apply. */
export type ApplyMethod = 'patch' | 'create-job' | 'recreate';

export type WorkloadKindName = 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'CronJob' | 'Job';

export interface WorkloadKind {
  readonly kind: WorkloadKindName;
  readonly resource: { readonly group: string; readonly version: string; readonly plural: string };
  /** Where the pod template is within the object. */
  readonly templatePath: readonly string[];
  readonly apply: ApplyMethod;
}

const template = ['spec', 'template'];

function apps(kind: WorkloadKindName, plural: string): WorkloadKind {
  return { kind, resource: { group: 'apps', version: 'v1', plural }, templatePath: template, apply: 'patch' };
}

const table: Readonly<Record<WorkloadKindName, WorkloadKind>> = {
  Deployment: apps('Deployment', 'deployments'),
  StatefulSet: apps('StatefulSet', 'statefulsets'),
  DaemonSet: apps('DaemonSet', 'daemonsets'),
  CronJob: {
    kind: 'CronJob',
    resource: { group: 'batch', version: 'v1', plural: 'cronjobs' },
    // Annotations of the Job template between the two are not consulted, as in Reloader.
    templatePath: ['spec', 'jobTemplate', ...template],
    apply: 'create-job',
  },
  Job: {
    kind: 'Job',
    resource: { group: 'batch', version: 'v1', plural: 'jobs' },
    templatePath: template,
    // A Job's template is immutable.
    apply: 'recreate',
  },
};

/** Every kind that Reroll restarts; a new kind is a new row. */
export const workloadKinds: readonly WorkloadKind[] = Object.values(table);

export function workloadKind(name: WorkloadKindName): WorkloadKind {
  return table[name];
}
