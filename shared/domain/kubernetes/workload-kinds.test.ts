import { expect, it } from '@jest/globals';
import { workloadKind, workloadKinds } from './workload-kinds';

it('has every kind under its own name', () => {
  expect(workloadKinds.map(({ kind }) => kind)).toEqual([
    'Deployment',
    'StatefulSet',
    'DaemonSet',
    'CronJob',
    'Job',
    'Rollout',
    'DeploymentConfig',
  ]);
  for (const row of workloadKinds) expect(workloadKind(row.kind)).toBe(row);
});

it('finds the pod template and the apply method', () => {
  expect(workloadKind('StatefulSet')).toMatchObject({ templatePath: ['spec', 'template'], apply: 'patch' });
  expect(workloadKind('CronJob')).toMatchObject({
    templatePath: ['spec', 'jobTemplate', 'spec', 'template'],
    apply: 'create-job',
  });
  expect(workloadKind('Job')).toMatchObject({
    resource: { group: 'batch', version: 'v1', plural: 'jobs' },
    apply: 'recreate',
  });
});
