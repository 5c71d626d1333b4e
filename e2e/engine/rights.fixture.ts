import { configMap, cronJob, deployment, fromConfigMap, job, statefulSet } from '../apiserver/cluster';
import type { PolicyRule } from '../apiserver/rbac';
import { type Engine, engineUser, Harness } from './harness';

export const auto = { 'reloader.stakater.com/auto': 'true' };
export const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };

export function rule(group: string, resources: string, verbs: string, namespaces?: readonly string[]): PolicyRule {
  const [apiGroups, where] = [[group], namespaces ? { namespaces } : {}];
  return { apiGroups, resources: resources.split(' '), verbs: verbs.split(' '), ...where };
}

/** §18.4: the default rules of Reloader's chart: no Lease, no Secrets of our own, no PATCH of CronJobs and Jobs. */
export const chartRules = [
  rule('', 'secrets configmaps', 'list get watch'),
  rule('apps', 'deployments daemonsets statefulsets', 'list get update patch'),
  rule('batch', 'cronjobs', 'list get'),
  rule('batch', 'jobs', 'create delete list get'),
  rule('', 'events', 'create patch'),
];

/** What the role `view` of every cluster lets somebody list in some namespaces: no Secrets, and no kinds of add-ons. */
export function viewRules(...namespaces: readonly string[]): readonly PolicyRule[] {
  return [
    rule('', 'configmaps events pods', 'get list watch', namespaces),
    rule('apps', 'deployments statefulsets daemonsets', 'get list watch', namespaces),
    rule('batch', 'cronjobs jobs', 'get list watch', namespaces),
  ];
}

/** The warnings of an engine that match `about`. */
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

/** Starts an engine under these rules and waits until it has stopped waiting for permissions that may come. */
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

/** A cluster with a Deployment, StatefulSet, CronJob and Job that use ConfigMap `app`. */
export function seeded(): Harness {
  const harness = new Harness();
  harness.seed(...allKinds);
  return harness;
}
