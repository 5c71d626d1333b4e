import { optedIn, type PolicySettings } from '../policy/policy';
import type { UntrackedReason } from '../protocol/workload-inspection';
import type { WorkloadRecord } from '../workloads/workload';

/**
 * Why nothing may restart a workload; undefined: something may. A Job that a CronJob controls is left to the CronJob,
 * and `never` means never. A Deployment that Reroll holds paused must be resumed, whatever it asks for by now.
 */
export function whyUntracked(
  record: Pick<WorkloadRecord, 'kind' | 'settings' | 'controlledBy' | 'pause' | 'policy'>,
  policy: PolicySettings,
): UntrackedReason | undefined {
  const { kind, settings, controlledBy, pause } = record;
  if (pause?.since !== undefined) return undefined;
  if (policy.ignoredWorkloadKinds.includes(kind)) return 'kind-ignored';
  if (!optedIn(record.policy, policy)) return 'not-opted-in';
  if (kind === 'Job' && controlledBy?.kind === 'CronJob') return 'job-of-a-cronjob';
  if (kind === 'Job' && settings.jobPolicy === 'never') return 'policy-never';
  if (kind === 'CronJob' && settings.cronJobPolicy === 'never') return 'policy-never';
  return undefined;
}

/** The reasons as phrases for people. */
export const untrackedTexts: Readonly<Record<UntrackedReason, string>> = {
  'kind-ignored': 'workloads of this kind are ignored by --ignored-workload-types or --is-Argo-Rollouts',
  'namespace-not-watched': 'its namespace is left out by --namespaces or --namespaces-to-ignore',
  'namespace-not-selected': 'the labels of its namespace do not match --namespace-selector',
  'not-opted-in': 'its annotations ask for no restarts, or switch them off',
  'job-of-a-cronjob': 'a CronJob controls this Job, so it is left to the CronJob',
  'policy-never': 'reroll.dev/job-policy or reroll.dev/cronjob-policy is "never"',
  'not-listed': 'Reroll has not listed its kind yet or is not allowed to, or the API server does not serve it',
  'being-recreated': 'the Job is deleted, and Reroll creates it again',
  'not-found': 'there is no such workload, as far as the watch has shown',
};
