import { configMap, cronJob, deployment, fromConfigMap, job, statefulSet } from '../apiserver/cluster';
import type { PolicyRule } from '../apiserver/rbac';
import { type Engine, engineUser, Harness } from './harness';

export const auto = { 'reloader.stakater.com/auto': 'true' };
export const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };

export function rule(group: string, resources: string, verbs: string, namespaces?: readonly string[]): PolicyRule {
  const [apiGroups, where] = [[group], namespaces ? { namespaces } : {}];
  return { apiGroups, resources: resources.split(' '), verbs: verbs.split(' '), ...where };
}

/** §18.4, as Reloader's chart renders it by default: no Lease, no Secret of ours, no PATCH of CronJobs and Jobs. */
export const chartRules = [
  rule('', 'secrets configmaps', 'list get watch'),
  rule('apps', 'deployments daemonsets statefulsets', 'list get update patch'),
  rule('batch', 'cronjobs', 'list get'),
  rule('batch', 'jobs', 'create delete list get'),
  rule('', 'events', 'create patch'),
];

/** What an engine warned of. */
export function warnings({ lines }: Engine, about: RegExp): readonly string[] {
  return lines.flatMap(({ level, message }) => (level === 'warn' && about.test(message) ? [message] : []));
}

const allKinds = [
  configMap({ name: 'app', data: { color: 'red' } }),
  deployment({ name: 'web', ...uses }),
  statefulSet({ name: 'db', ...uses }),
  cronJob({ name: 'report', ...uses }),
  job({ name: 'migrate', ...uses }),
];

/** Under these rights, past all waiting for rights that may come. */
export async function under(
  rules: readonly PolicyRule[],
  harness = new Harness(),
  settings = {},
): Promise<[Harness, Engine]> {
  harness.server.rbac.restrict(engineUser, rules);
  const engine = await harness.start(settings);
  await harness.clock.advance(120_000);
  return [harness, engine];
}

/** With a workload of each kind that uses the ConfigMap `app`. */
export function seeded(): Harness {
  const harness = new Harness();
  harness.seed(...allKinds);
  return harness;
}
