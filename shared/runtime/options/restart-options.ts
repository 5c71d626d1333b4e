import type { WorkloadKindName } from '../../domain/kubernetes/workload-kinds';
import { listOf, oneOf, switchRow } from './option-schemas';
import type { OptionTable, OptionValues } from './option-table';

/** What is restarted, and for which sources: rows that the reconciler and lint share. */

const ignorableWorkloadKinds: Readonly<Record<string, WorkloadKindName>> = { jobs: 'Job', cronjobs: 'CronJob' };

export const restartOptionTable = {
  autoReloadAll: switchRow('auto-reload-all', 'Restart every workload that does not opt out.'),
  csi: switchRow('enable-csi-integration', 'Also restart when a CSI driver rotates the secrets of a volume.'),
  rollouts: switchRow('is-Argo-Rollouts', 'Restart Argo Rollouts, where their API is served.', 'true'),
  ignoredWorkloadKinds: {
    flag: 'ignored-workload-types',
    form: 'list',
    schema: listOf(oneOf(ignorableWorkloadKinds, 'not a type that can be ignored')),
    describe: 'Kinds of workload that are never restarted.',
    accepts: 'a list of jobs, cronjobs',
  },
} satisfies OptionTable;

/** Whether sources count that come or go. */
export const appearanceOptionTable = {
  reloadOnCreate: switchRow('reload-on-create', 'Also restart when a source is created.'),
  reloadOnDelete: switchRow('reload-on-delete', 'Also restart when a source is deleted.'),
} satisfies OptionTable;

export const dryRunRow = switchRow(
  'dry-run',
  'Decide, log and count, but write nothing: for a comparison with another install.',
);

/** The kinds of workload that are never restarted, according to `--ignored-workload-types` and `--is-Argo-Rollouts`. */
export function ignoredWorkloadKindsOf({
  ignoredWorkloadKinds,
  rollouts,
}: Pick<OptionValues<typeof restartOptionTable>, 'ignoredWorkloadKinds' | 'rollouts'>): readonly WorkloadKindName[] {
  return [...ignoredWorkloadKinds, ...(rollouts ? [] : (['Rollout'] as const))];
}
