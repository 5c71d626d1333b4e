import type { ClusterUnderTest } from './cluster-under-test';

/** What an API server did about webhooks of one type, as its own metrics tell: counts since it started. */
export interface AdmissionCounts {
  readonly configmaps: number;
  readonly secrets: number;
  /** Writes that matchConditions kept from a webhook. */
  readonly excluded: number;
}

/** Calls of the two webhooks by either registration, mutating first. */
export async function admissionCounts(cluster: ClusterUnderTest): Promise<readonly [AdmissionCounts, AdmissionCounts]> {
  const metrics = await cluster.apiServerMetrics();
  const calls = (resource: string, type: string): number =>
    metrics.sum('apiserver_admission_webhook_request_total', { name: `${resource}.webhook.reroll.dev`, type });
  // The two metrics have different words for the one type.
  const counts = (type: string, conditionType: string): AdmissionCounts => ({
    configmaps: calls('configmaps', type),
    secrets: calls('secrets', type),
    excluded: metrics.sum('apiserver_admission_match_condition_exclusions_total', { type: conditionType }),
  });
  return [counts('admit', 'admit'), counts('validating', 'validate')];
}

/** What can go wrong with calls of webhooks, as the API server counts it. */
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
