import type { ClusterUnderTest } from './cluster-under-test';

/** The API server's own counts of webhook calls of one type, since it started. */
export interface AdmissionCounts {
  readonly configmaps: number;
  readonly secrets: number;
  /** Writes for which matchConditions prevented a call. */
  readonly excluded: number;
}

/** The counts for the mutating registration, then for the validating one. */
export async function admissionCounts(cluster: ClusterUnderTest): Promise<readonly [AdmissionCounts, AdmissionCounts]> {
  const metrics = await cluster.apiServerMetrics();
  const calls = (resource: string, type: string): number =>
    metrics.sum('apiserver_admission_webhook_request_total', { name: `${resource}.webhook.reroll.dev`, type });
  // The two metrics have different names for the same type.
  const counts = (type: string, conditionType: string): AdmissionCounts => ({
    configmaps: calls('configmaps', type),
    secrets: calls('secrets', type),
    excluded: metrics.sum('apiserver_admission_match_condition_exclusions_total', { type: conditionType }),
  });
  return [counts('admit', 'admit'), counts('validating', 'validate')];
}

/** Failed webhook calls, as the API server counts them. */
export async function admissionFailures(cluster: ClusterUnderTest): Promise<typeof noFailures> {
  const metrics = await cluster.apiServerMetrics();
  const calls = metrics.sum('apiserver_admission_webhook_request_total');
  return {
    failOpen: metrics.sum('apiserver_admission_webhook_fail_open_count'),
    rejected: metrics.sum('apiserver_admission_webhook_rejection_count'),
    conditionErrors: metrics.sum('apiserver_admission_match_condition_evaluation_errors_total'),
    notAnswered200:
      calls - metrics.sum('apiserver_admission_webhook_request_total', { code: '200', rejected: 'false' }),
  };
}

export const noFailures = { failOpen: 0, rejected: 0, conditionErrors: 0, notAnswered200: 0 };
