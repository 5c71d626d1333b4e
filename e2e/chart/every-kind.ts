import { rollout } from '../apiserver/add-ons';
import {
  configMap,
  cronJob,
  daemonSet,
  deployment,
  fromConfigMap,
  fromSecret,
  job,
  secret,
  statefulSet,
} from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { merge, type ContractClient } from '../apiserver/contract/contract-client';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import type { ClusterUnderTest } from '../webhook/cluster-under-test';
import { namespace } from '../webhook/reroll-cluster';

/** Workload kinds; `done` is the text that follows kind and name in the log line of a restart. */
const kinds = {
  Deployment: { path: '/apis/apps/v1', plural: 'deployments', build: deployment, done: 'restarted' },
  StatefulSet: { path: '/apis/apps/v1', plural: 'statefulsets', build: statefulSet, done: 'restarted' },
  DaemonSet: { path: '/apis/apps/v1', plural: 'daemonsets', build: daemonSet, done: 'restarted' },
  CronJob: { path: '/apis/batch/v1', plural: 'cronjobs', build: cronJob, done: 'run as Job' },
  Job: { path: '/apis/batch/v1', plural: 'jobs', build: job, done: 'recreated' },
  Rollout: { path: '/apis/argoproj.io/v1alpha1', plural: 'rollouts', build: rollout, done: 'restarted' },
} as const;

type Kind = keyof typeof kinds;

/** Kinds whose controllers roll out a new template. */
const rolling: readonly Kind[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

/** Creates a workload of each kind that uses a ConfigMap and a Secret, and expects a restart for a change of each. */
export async function restartEach(
  cluster: ClusterUnderTest,
  { user, leader }: { readonly user: ContractClient; readonly leader: RerollProcess },
): Promise<void> {
  const wanted = Object.keys(kinds) as readonly Kind[];
  await cluster.apply(...wanted.flatMap((kind) => objectsOf(kind)));
  for (const kind of wanted) await adopted(cluster, kind);
  for (const kind of rolling) await rolledOut(cluster, kind);
  const sources = wanted.flatMap((kind) => [
    [kind, `configmaps/${nameOf(kind)}`] as const,
    [kind, `secrets/${nameOf(kind)}`] as const,
  ]);
  for (const [kind, source] of sources) {
    const path = `/api/v1/namespaces/${namespace}/${source}`;
    await told(leader, kind, kinds[kind].done, async () => {
      await user.patch(path, merge, { data: { color: Buffer.from(source).toString('base64') } });
    });
  }
}

/** Releases new sources and a new image for each rolling kind: the rollout covers both, so nothing is restarted. */
export async function releaseEach(cluster: ClusterUnderTest, leader: RerollProcess): Promise<void> {
  for (const kind of rolling) {
    await rolledOut(cluster, kind);
    await told(leader, kind, 'not restarted', async () => await cluster.apply(...objectsOf(kind, 'green')));
  }
}

/** Makes a change and waits until the log says that `what` happened to the workload of this kind. */
async function told(leader: RerollProcess, kind: Kind, what: string, change: () => Promise<void>): Promise<void> {
  const seen = leader.lines.length;
  const line = `${kind} ${namespace}/${nameOf(kind)} ${what}`;
  await change();
  const isTold = (): boolean => leader.lines.slice(seen).some(({ message }) => message.startsWith(line));
  await pollUntil(line, () => Promise.resolve(isTold() ? true : undefined));
}

async function rolledOut(cluster: ClusterUnderTest, kind: Kind): Promise<void> {
  const workload = `${kind.toLowerCase()}/${nameOf(kind)}`;
  await cluster.plane.kubectl(['rollout', 'status', workload, '--namespace', namespace, '--timeout=60s']);
}

function nameOf(kind: Kind): string {
  return `each-${kind.toLowerCase()}`;
}

function objectsOf(kind: Kind, color = 'red'): readonly ObjectInput[] {
  const name = nameOf(kind);
  const annotations = { 'reloader.stakater.com/auto': 'true', 'reloader.stakater.com/rollout-strategy': 'restart' };
  return [
    configMap({ name, namespace, data: { color } }),
    secret({ name, namespace, data: { color } }),
    kinds[kind].build({
      name,
      namespace,
      annotations,
      image: `registry.example/app:${color}`,
      envFrom: [fromConfigMap(name), fromSecret(name)],
    }),
  ];
}

async function adopted(cluster: ClusterUnderTest, kind: Kind): Promise<void> {
  const { path, plural } = kinds[kind];
  await pollUntil(`a baseline on the ${kind}`, async () => {
    const { body } = await cluster.admin.get(`${path}/namespaces/${namespace}/${plural}/${nameOf(kind)}`);
    const { annotations = {} } = body['metadata'] as { readonly annotations?: Readonly<Record<string, string>> };
    return annotations['reroll.dev/baseline'] === undefined ? undefined : true;
  });
}
