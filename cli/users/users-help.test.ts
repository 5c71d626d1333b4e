import { expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { runCli } from '../../shared/runtime/options/cli';
import { usersCommandIn } from './users-command';

const help = `Usage: reroll users KIND/NAME [flags]

Asks.

Options:
  -h, --help  print this help

What is asked:
  -n, --namespace             Namespace that is asked about; otherwise the
                              context's. Accepts a namespace.

Output:
  -o, --output                Format of the answer. Accepts text, wide, json,
                              yaml, name. (default text)

Cluster:
  --kubeconfig                Reach the cluster with this kubeconfig; otherwise
                              KUBECONFIG, the pod, or ~/.kube/config. Accepts a
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

Exit codes:
  0    answered
  1    answered: there is no such source
  2    wrong flags or arguments
  3    no connection, or no right to read what the answer needs
  130  ended by Ctrl-C

Examples:
  reroll users configmap/app
  reroll users secret/db -n shop -o wide
  kubectl reroll users cm/app -o name
`;

it('reroll users --help', async () => {
  const out: string[] = [];
  const io = { columns: 80, out: (text: string) => void out.push(text), err: () => undefined };
  const world = {
    ...{ io, clock: new FakeClock(), isTerminal: false, isErrorTerminal: false, onInterrupt: () => undefined },
    connect: () => Promise.reject(new Error('connected')),
  };
  const command = { name: 'users', summary: 'Asks.', load: () => Promise.resolve(usersCommandIn(world)) };
  expect(await runCli(['users', '--help'], {}, io, [command])).toBe(0);
  expect(out.join('')).toBe(help);
});
