import { setTimeout as delay } from 'node:timers/promises';
import { configMap } from '../../apiserver/cluster';
import { pollUntil } from '../../control-plane/poll';
import { settleSeconds } from '../cold-start';
import { createEditedConfigMaps, edit } from '../edits';
import { createDeployments } from '../population';
import { processUsage, type ProcessUsage } from '../process-usage';
import { created, createNamespace, type Stage, type StageRequest } from '../stage';
import type { RunningSubject } from '../subject';

const namespaces = Array.from({ length: 10 }, (_, index) => `team-${index}`);
const inEach = 1_000;
const dayMs = 86_400_000;

const looks = 'reloader_reconcile_total';

/** A process renders its metrics at most once a second. */
const lookEveryMs = 2_000;
/** Events are written after everything else, two at a time. */
const silenceMs = 10_000;

/** Deployments of a few ConfigMaps, such as the CA bundle that every namespace has, and the hold of the install. */
export const fleet = {
  size: namespaces.length * inEach,
  inEach,
  deployments: namespaces.flatMap((namespace) =>
    Array.from({ length: inEach }, (_, index) => `${namespace}/app-${index}`),
  ),
  description: `${namespaces.length * inEach} Deployments without pods in ${namespaces.length} namespaces, each of the one ConfigMap there`,
};

/** Each namespace `team-N` gets `config-0`, and Deployments `app-0`, `app-1` … that use it. */
export async function fillFleet(stage: Stage): Promise<void> {
  for (const namespace of namespaces) {
    await createNamespace(stage.api, namespace);
    await createEditedConfigMaps(stage, namespace, 1);
    await createDeployments(stage, namespace, inEach, { sourceOf: () => 0 });
  }
}

/** Changes what every Deployment uses. */
export async function oweAll(stage: Stage): Promise<void> {
  for (const namespace of namespaces) await edit(stage, 'configmaps', namespace, 'config-0');
}

const holds = '/api/v1/namespaces/reroll/configmaps';

/** Holds everything. With an end, each workload also waits in the queue for its time, so this is what costs more. */
export async function hold({ api }: Stage): Promise<void> {
  const until = new Date(Date.now() + dayMs).toISOString();
  const annotations = { 'reroll.dev/hold': `until=${until}, because=bench` };
  await created(api, holds, configMap({ name: 'reroll-hold', namespace: 'reroll', annotations }));
}

export async function release({ api }: Stage): Promise<void> {
  const { status, bytes } = await api.delete(`${holds}/reroll-hold`);
  if (status !== 200) throw new Error(`DELETE ${holds}/reroll-hold: ${String(status)} ${bytes.toString()}`);
}

/** How often it has looked at a workload so far. */
export async function looksOf({ metrics }: RunningSubject): Promise<number> {
  return (await metrics())?.sum(looks) ?? NaN;
}

/** Resolves once all workloads wait for the end of the hold, and none for its turn. */
export async function allHeld({ metrics }: RunningSubject): Promise<void> {
  let last: number | undefined;
  const isHeld = async (): Promise<true | undefined> => {
    const [samples, before] = [await metrics(), last];
    last = samples?.sum(looks);
    return samples?.sum('reloader_workqueue_depth') === fleet.size && last === before ? true : undefined;
  };
  await pollUntil(`${fleet.size} restarts to be held`, isHeld, { timeoutMs: 300_000, intervalMs: lookEveryMs });
}

/** Resolves with what a process uses that holds everything, some time after it wrote its last Event. */
export async function settledHeld(stage: Stage, running: RunningSubject): Promise<ProcessUsage> {
  await allHeld(running);
  await silence(stage);
  await delay(settleSeconds * 1_000);
  return processUsage(running.pid);
}

/** Resolves once the subject asks for nothing any more. */
export async function silence(stage: Stage): Promise<void> {
  let asked = (await requestsIn(stage)).length;
  for (;;) {
    await delay(silenceMs);
    const now = (await requestsIn(stage)).length;
    if (now === asked) return;
    asked = now;
  }
}

/** The subject's requests besides watches and the renewals of the Lease, from `sinceMs` on, in Unix time. */
export async function requestsIn(stage: Stage, sinceMs = 0): Promise<readonly StageRequest[]> {
  const requests = await stage.requestsOf('subject');
  return requests.filter(({ verb, resource, atMs }) => atMs >= sinceMs && verb !== 'watch' && resource !== 'leases');
}
