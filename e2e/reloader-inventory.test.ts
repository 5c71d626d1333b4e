import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Every flag, variable, annotation and metric of Reloader v1.4.21: a drop-in replacement must answer for each. */

/** §1.2 */
const flags = [
  'auto-reload-all',
  'configmap-annotation',
  'secret-annotation',
  'auto-annotation',
  'ignore-annotation',
  'configmap-auto-annotation',
  'secret-auto-annotation',
  'auto-search-annotation',
  'search-match-annotation',
  'pause-deployment-annotation',
  'pause-deployment-time-annotation',
  'log-format',
  'log-level',
  'webhook-url',
  'resources-to-ignore',
  'ignored-workload-types',
  'namespaces',
  'namespaces-to-ignore',
  'namespace-selector',
  'resource-label-selector',
  'is-Argo-Rollouts',
  'reload-strategy',
  'reload-on-create',
  'reload-on-delete',
  'enable-ha',
  'sync-after-restart',
  'enable-pprof',
  'pprof-addr',
  'enable-csi-integration',
];

/** §1.3 */
const variables = [
  'KUBECONFIG',
  'HOME',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'KUBERNETES_NAMESPACE',
  'RELOADER_NAMESPACE',
  'RELOADER_DEPLOYMENT_NAME',
  'POD_NAME',
  'POD_NAMESPACE',
  'METRICS_COUNT_BY_NAMESPACE',
  'ALERT_ON_RELOAD',
  'ALERT_WEBHOOK_URL',
  'ALERT_SINK',
  'ALERT_WEBHOOK_PROXY',
  'ALERT_ADDITIONAL_INFO',
  'GOREQUEST_DEBUG',
  'GOMAXPROCS',
  'GOMEMLIMIT',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
];

/** §2.1 */
const annotations = [
  'reloader.stakater.com/auto',
  'configmap.reloader.stakater.com/auto',
  'secret.reloader.stakater.com/auto',
  'secretproviderclass.reloader.stakater.com/auto',
  'configmap.reloader.stakater.com/reload',
  'secret.reloader.stakater.com/reload',
  'secretproviderclass.reloader.stakater.com/reload',
  'reloader.stakater.com/search',
  'reloader.stakater.com/match',
  'reloader.stakater.com/ignore',
  'configmaps.exclude.reloader.stakater.com/reload',
  'secrets.exclude.reloader.stakater.com/reload',
  'secretproviderclasses.exclude.reloader.stakater.com/reload',
  'reloader.stakater.com/rollout-strategy',
  'deployment.reloader.stakater.com/pause-period',
  'deployment.reloader.stakater.com/paused-at',
  'reloader.stakater.com/last-reloaded-from',
  'cronjob.kubernetes.io/instantiate',
];

/** §13 */
const metrics = [
  'reloader_reload_executed_total',
  'reloader_reload_executed_total_by_namespace',
  'reloader_reconcile_total',
  'reloader_reconcile_duration_seconds',
  'reloader_action_total',
  'reloader_action_latency_seconds',
  'reloader_skipped_total',
  'reloader_workqueue_depth',
  'reloader_workqueue_adds_total',
  'reloader_workqueue_latency_seconds',
  'reloader_errors_total',
  'reloader_retries_total',
  'reloader_events_received_total',
  'reloader_events_processed_total',
  'reloader_workloads_scanned_total',
  'reloader_workloads_matched_total',
  'rest_client_requests_total',
  'rest_client_request_duration_seconds',
];

const page = readFileSync(join(__dirname, '..', 'docs', 'reloader-compatibility.md'), 'utf8');

/** The first cell of each table row: a behaviour. */
const behaviours = [...page.matchAll(/^\| (.*?) \| /gm)].map(([, cell]) => cell!);

describe('docs/reloader-compatibility.md answers for all that Reloader has', () => {
  it.each([...flags.map((flag) => `--${flag}`), ...variables, ...annotations, ...metrics])('%s', (name) => {
    const whole = new RegExp(`(?<![\\w./-])${name.replaceAll('.', '\\.')}(?![\\w-])`);
    expect(behaviours.filter((cell) => whole.test(cell))).not.toEqual([]);
  });
});
