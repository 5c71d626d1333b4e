import { FakeClock } from '../../shared/runtime/fake-clock';
import { runCli, type LoadedCommand } from '../../shared/runtime/options/cli';
import type { ClusterWorld } from './cluster-command';

/** What the help of a command that asks a cluster says about the connection, at 80 columns. */
export const connectionHelp = `Cluster:
  --kubeconfig                Reach the cluster with this kubeconfig; otherwise
                              KUBECONFIG, ~/.kube/config, or the pod. Accepts a
                              path.
  --context                   Context of the kubeconfig; otherwise the
                              kubeconfig's current one. Accepts the name of a
                              context.
  --timeout                   How long each request may take. Accepts a Go
                              duration such as 500ms, 10s or 1m. (default 10s)

Where Reroll is:
  --reroll-namespace          Namespace of the install. Accepts a namespace.
                              (default reroll)
  --lease-name                Lease of the install, which names the leader. With
                              --enable-ha it is stakater-reloader-lock. Accepts
                              a lower-case object name. (default reroll)
  --inspection-port           Port of --inspection-listen in the pod of the
                              leader. Accepts a port. (default 9095)

Each flag may also be set as REROLL_<FLAG> in the environment, such as
REROLL_LOG_LEVEL for --log-level. A flag wins.
`;

/** What it says about exit codes, after the first two. */
export const exitCodesHelp = `  2    wrong flags or arguments
  3    no connection, or no right to read what the answer needs
  130  ended by Ctrl-C
`;

const columns = 80;

/** The help of a command, at 80 columns. @throws if a line of it is longer */
export async function helpOf(name: string, commandIn: (world: ClusterWorld) => LoadedCommand): Promise<string> {
  const out: string[] = [];
  const io = { columns, out: (text: string) => void out.push(text), err: () => undefined };
  const world = {
    ...{ io, clock: new FakeClock(), isTerminal: false, isErrorTerminal: false, onInterrupt: () => undefined },
    connect: () => Promise.reject(new Error('connected')),
  };
  const command = { name, summary: 'Asks.', load: () => Promise.resolve(commandIn(world)) };
  const code = await runCli([name, '--help'], {}, io, [command]);
  if (code !== 0) throw new Error(`--help ended with exit code ${String(code)}`);
  const help = out.join('');
  const long = help.split('\n').filter((line) => line.length > columns);
  if (long.length > 0) throw new Error(`longer than ${columns} columns: ${long.join('; ')}`);
  return help;
}
