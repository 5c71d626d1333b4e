import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { formatDuration } from '../../shared/domain/text/duration';
import { printable } from '../../shared/domain/text/printable';
import { getMetadata } from '../../shared/kube/client/objects';
import { namespaces } from '../../shared/kube/resource';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import {
  clusterCommandIn,
  exitCodes,
  worldOf,
  type ClusterCommand,
  type ClusterWorld,
  type Session,
} from '../cluster/cluster-command';
import { nameOf, workloadNamed } from '../cluster/object-names';
import { withProgress } from '../cluster/progress';
import { look } from '../evidence/seen';
import { formatted } from '../output/formats';
import { titleOf } from '../output/phrases';
import { historyOptionTable, type HistoryOptions } from './history-options';
import { historyText } from './history-text';
import { readHistory, type HistorySource, type ReadHistory } from './read-history';

type Asked = { readonly kind: WorkloadKindName; readonly name: string } | undefined;

const command: ClusterCommand<typeof historyOptionTable, Asked> = {
  name: 'history',
  takes: '[KIND/NAME]',
  names: ['workload'],
  options: historyOptionTable,
  bad: 'answered: a restart was refused, or its pods did not become well',
  examples: `  reroll history -n shop
  reroll history deployment/web --since 168h -o wide
  kubectl reroll history -A --since 1h`,
  question: (positional) => {
    if (positional.length === 0) return undefined;
    const { kind, name } = workloadNamed(positional);
    return { kind: kind.kind, name };
  },
  answer: async (session, workload) => {
    const { world, cluster, options, paint, width } = session;
    const { allNamespaces, output, rerollNamespace, sinceMs, timeoutMs } = options;
    const namespace = allNamespaces ? undefined : cluster.namespace;
    const { nowMs, history } = await withProgress(world, 'asking the leader', async () => {
      // Any answer tells the API server's time, and `--since` counts back from that.
      await look(getMetadata(cluster.client, namespaces, undefined, rerollNamespace, { timeoutMs }));
      const askedMs = cluster.clock.nowMs();
      const question = { workload, namespace, rerollNamespace, timeoutMs, sinceMs: askedMs - sinceMs };
      return { nowMs: askedMs, history: await readHistory(cluster, question) };
    });
    world.io.err(noticesOf(history, rerollNamespace));
    const { rows, entries, keptSince, answeredBy } = history;
    world.io.out(
      await formatted(output, {
        text: (wide) =>
          historyText(history, { paint, width, wide, nowMs, allNamespaces, asked: askedFor(session, workload) }),
        report: { v: 1, ...(keptSince !== undefined && { keptSince }), entries, answeredBy },
        names: [...new Set(rows.map((row) => nameOf(row)))],
      }),
    );
    return rows.some(({ outcome }) => outcome === 'unhealthy' || outcome === 'failed')
      ? exitCodes.bad
      : exitCodes.answered;
  },
};

function askedFor({ cluster, options }: Session<HistoryOptions>, workload: Asked): string {
  const what = workload === undefined ? '' : `of ${titleOf(workload)} `;
  const where = options.allNamespaces ? 'in any namespace' : `in namespace ${cluster.namespace}`;
  return `${what}${where} in the last ${formatDuration(options.sinceMs)}`;
}

const instead: Readonly<Record<HistorySource, (namespace: string) => string>> = {
  leader: () => '',
  configmaps: (namespace) =>
    `the answer is from the ConfigMaps of namespace ${namespace}, which may be some seconds behind`,
  objects: () => 'the answer is from what the workloads and their Events tell: the last restart of each alone',
};

/** Says on standard error what an answer rests on, and what is missing from it. */
function noticesOf({ silence, answeredBy, notices }: ReadHistory, rerollNamespace: string): string {
  if (!silence) return '';
  const first = `${silence.message}; ${instead[answeredBy](rerollNamespace)}`;
  return [first, ...notices].map((line) => `${printable(line)}\n`).join('');
}

/** `reroll history`: the restarts of late, what for, and how they ended. */
export function historyCommand(process: NodeJS.Process): LoadedCommand {
  return historyCommandIn(worldOf(process));
}

/** The same, with the cluster and the streams passed in. */
export function historyCommandIn(world: ClusterWorld): LoadedCommand {
  return clusterCommandIn(command, world);
}
