import type { Cluster } from '../../cli/cluster/cluster';
import type { ClusterWorld } from '../../cli/cluster/cluster-command';
import { answerIn } from '../../cli/cluster/leader';
import { LeaderSilentError } from '../../cli/cluster/silence';
import { formatDuration } from '../../shared/domain/text/duration';
import { runCli, type LoadedCommand } from '../../shared/runtime/options/cli';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { deployment } from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { ownNamespace } from '../engine-settings';
import type { Engine, Harness } from './harness';
import { asked } from './inspection.fixture';

/** Who answers a command: the leader, or nobody, so that the objects alone tell. */
export type Answering = 'leader' | 'objects';

/** The cluster of a harness, for a person who may read everything. */
export function clusterOf(harness: Harness, engine: Engine, answering: Answering, namespace = 'default'): Cluster {
  return {
    client: harness.admin,
    namespace,
    clock: harness.clock,
    forward: async () => await Promise.reject(new Error('no port is forwarded here')),
    ask: async (path) => {
      if (answering === 'objects') throw new LeaderSilentError('no-right', 'you may not get pods/portforward');
      const pod = 'reroll-0';
      const reply = asked(engine, path);
      return await Promise.resolve({ pod, body: answerIn(reply, pod), bytes: reply.text.length });
    },
    close: async () => await Promise.resolve(),
  };
}

/** The same, whose leader somebody took over: it says after each page that there is another one. */
export function withEndlessPages(cluster: Cluster): Cluster {
  return {
    ...cluster,
    ask: async (path) => {
      const answer = await cluster.ask(path.replace(/continue=[^&]*/, 'continue='));
      return { ...answer, body: { ...(answer.body as object), continue: 'more' } };
    },
  };
}

export interface Run {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs a command with this cluster. */
export async function runAgainst(
  cluster: Cluster,
  { clock }: Pick<ClusterWorld, 'clock'>,
  command: { readonly name: string; readonly loadIn: (world: ClusterWorld) => LoadedCommand },
  args: readonly string[],
  more: Partial<ClusterWorld> = {},
): Promise<Run> {
  const [out, err]: [string[], string[]] = [[], []];
  const io = { columns: 100, out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
  const world: ClusterWorld = {
    ...{ io, clock, isTerminal: false, isErrorTerminal: false, onInterrupt: () => undefined },
    connect: async (options) =>
      await Promise.resolve({ ...cluster, namespace: options.namespace ?? cluster.namespace }),
    ...more,
  };
  const { name } = command;
  const load = async () => await Promise.resolve(command.loadIn(world));
  const code = await runCli([name, ...args], {}, io, [{ name, summary: '', load }]);
  return { code, out: out.join(''), err: err.join('') };
}

/** Reroll's own Deployment with the flags that make these settings, as the chart writes them. */
export function rerollDeployment({
  namespaceSelector,
  namespaces = [],
  namespacesToIgnore = [],
  policy,
  ignoredSourceKind,
  sourceSelector,
  dryRun = false,
  reloadOnCreate = false,
  reloadOnDelete = false,
  csi = false,
  gates,
}: Partial<EngineSettings> = {}): ObjectInput {
  const args = [
    'reconciler',
    ...(namespaceSelector ? [`--namespace-selector=${namespaceSelector.text}`] : []),
    ...(namespaces.length > 0 ? [`--namespaces=${namespaces.join()}`] : []),
    ...(namespacesToIgnore.length > 0 ? [`--namespaces-to-ignore=${namespacesToIgnore.join()}`] : []),
    ...(policy?.autoReloadAll ? ['--auto-reload-all=true'] : []),
    ...(policy?.ignoredWorkloadKinds.includes('Job') ? ['--ignored-workload-types=jobs'] : []),
    ...(policy?.ignoredWorkloadKinds.includes('Rollout') ? ['--is-Argo-Rollouts=false'] : []),
    ...(ignoredSourceKind ? [`--resources-to-ignore=${ignoredSourceKind.toLowerCase()}s`] : []),
    ...(sourceSelector ? [`--resource-label-selector=${sourceSelector.text}`] : []),
    ...(dryRun ? ['--dry-run=true'] : []),
    ...(reloadOnCreate ? ['--reload-on-create=true'] : []),
    ...(reloadOnDelete ? ['--reload-on-delete=true'] : []),
    ...(csi ? ['--enable-csi-integration=true'] : []),
    ...(gates?.mode === undefined ? [] : [`--restart=${gates.mode}`]),
    ...(typeof gates?.windows === 'object' ? [`--restart-windows=${gates.windows.text}`] : []),
    ...(gates?.minIntervalMs === undefined ? [] : [`--min-interval=${formatDuration(gates.minIntervalMs)}`]),
  ];
  const labels = { 'app.kubernetes.io/component': 'reconciler' };
  const containers = [{ name: 'reroll', image: 'reroll:1', args }];
  return deployment({ name: 'reroll', namespace: ownNamespace, labels, containers });
}
