import { isObject } from '../../shared/domain/kubernetes/json-value';
import type { LocalSourceRef } from '../../shared/domain/sources/source';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { answeredBy, noticesOf } from '../cluster/ask-leader';
import {
  clusterCommandIn,
  exitCodes,
  worldOf,
  type ClusterCommand,
  type ClusterWorld,
} from '../cluster/cluster-command';
import { clusterOptionTable } from '../cluster/cluster-options';
import { nameOf, sourceNamed } from '../cluster/object-names';
import { withProgress } from '../cluster/progress';
import { formatted } from '../output/formats';
import { readUsers } from './read-users';
import { usersText } from './users-text';

const command: ClusterCommand<typeof clusterOptionTable, LocalSourceRef> = {
  name: 'users',
  takes: 'KIND/NAME',
  names: ['source'],
  options: clusterOptionTable,
  bad: 'answered: there is no such source',
  examples: `  reroll users configmap/app
  reroll users secret/db -n shop -o wide
  kubectl reroll users cm/app -o name`,
  question: (positional) => sourceNamed(positional),
  answer: async ({ world, cluster, options, paint, width }, source) => {
    const { output, rerollNamespace, timeoutMs } = options;
    const { io } = world;
    const asked = { ...source, namespace: cluster.namespace };
    const users = await withProgress(
      world,
      'asking the leader',
      async () => await readUsers(cluster, asked, { rerollNamespace, timeoutMs }),
    );
    const { account, body } = users;
    io.err(noticesOf(users));
    io.out(
      await formatted(output, {
        text: (wide) => usersText(users, { paint, width, wide, nowMs: cluster.clock.nowMs() }),
        report: { ...(isObject(body) ? body : {}), ...answeredBy(users) },
        names: account.users.map((user) => nameOf(user)),
      }),
    );
    return account.presence === 'absent' ? exitCodes.bad : exitCodes.answered;
  },
};

/** `reroll users`: who uses a source, and what a change of it would restart. */
export function usersCommand(process: NodeJS.Process): LoadedCommand {
  return usersCommandIn(worldOf(process));
}

/** The same, with the cluster and the streams passed in. */
export function usersCommandIn(world: ClusterWorld): LoadedCommand {
  return clusterCommandIn(command, world);
}
