import { describeHold, type ReportedHold } from '../../shared/domain/protocol/install-hold';
import { printable } from '../../shared/domain/text/printable';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { UsageError } from '../../shared/runtime/options/options';
import { answeredBy, noticesOf } from '../cluster/ask-leader';
import {
  clusterCommandIn,
  exitCodes,
  worldOf,
  type ClusterCommand,
  type ClusterWorld,
  type Session,
} from '../cluster/cluster-command';
import { nameOf } from '../cluster/object-names';
import { withProgress } from '../cluster/progress';
import { formatted } from '../output/formats';
import { yellow } from '../output/text-style';
import { timeAndWait } from '../output/times';
import { readStatus, type Status, type StatusRow } from './read-status';
import { statusOptionTable, type StatusOptions } from './status-options';
import { statusSummary, statusTable } from './status-table';
import { watchStatus } from './watch-status';

const command: ClusterCommand<typeof statusOptionTable, undefined> = {
  name: 'status',
  options: statusOptionTable,
  bad: 'answered: a workload is blocked or unhealthy',
  examples: `  reroll status -n shop
  reroll status -A -o wide
  kubectl reroll status --watch`,
  question: (_positional, { output, watch }) => {
    if (watch && output !== 'text' && output !== 'wide') throw new UsageError(['--watch needs --output=text or wide']);
  },
  answer: async (session) => {
    const { world, options } = session;
    const read = async (): Promise<Status> => await readSession(session);
    if (options.watch) {
      await watchStatus({
        ...{ world, read },
        whole: (status) => whole(session, status),
        changed: (rows) => (rows.length === 0 ? '' : withoutTitles(table(session, rows))),
      });
      return exitCodes.interrupted;
    }
    const status = await withProgress(world, 'asking the leader', read);
    world.io.err(noticesOf(status));
    world.io.out(
      await formatted(options.output, {
        text: () => whole(session, status),
        report: { v: 1, ...(status.hold && { hold: status.hold }), workloads: status.workloads, ...answeredBy(status) },
        names: status.rows.map((row) => nameOf(row)),
      }),
    );
    return status.rows.some(({ state }) => state === 'blocked' || state === 'unhealthy')
      ? exitCodes.bad
      : exitCodes.answered;
  },
};

type StatusSession = Session<StatusOptions>;

async function readSession({ cluster, options }: StatusSession): Promise<Status> {
  const { allNamespaces, rerollNamespace, timeoutMs } = options;
  const namespace = allNamespaces ? undefined : cluster.namespace;
  return await readStatus(cluster, { namespace, rerollNamespace, timeoutMs });
}

function whole(session: StatusSession, { rows, hold }: Status): string {
  const { options, cluster, paint } = session;
  const where = options.allNamespaces ? 'in any namespace' : `in namespace ${cluster.namespace}`;
  const first = hold ? `${paint(yellow, printable(holdLine(hold, cluster.clock.nowMs())))}\n\n` : '';
  return `${first}${rows.length === 0 ? '' : `${table(session, rows)}\n`}${statusSummary(rows, where)}\n`;
}

/** What everybody must know who waits for a restart. */
function holdLine(hold: ReportedHold, nowMs: number): string {
  return `everything is ${describeHold(hold, (time) => timeAndWait(time, nowMs))} (reroll resume --all ends it)`;
}

function table({ options, cluster, paint, width }: StatusSession, rows: readonly StatusRow[]): string {
  const { allNamespaces, output } = options;
  return statusTable(rows, { nowMs: cluster.clock.nowMs(), allNamespaces }, { paint, width, wide: output === 'wide' });
}

function withoutTitles(text: string): string {
  return text.slice(text.indexOf('\n') + 1);
}

/** `reroll status`: the workloads of a namespace, and what each waits for. */
export function statusCommand(process: NodeJS.Process): LoadedCommand {
  return statusCommandIn(worldOf(process));
}

/** The same, with the cluster and the streams passed in. */
export function statusCommandIn(world: ClusterWorld): LoadedCommand {
  return clusterCommandIn(command, world);
}
