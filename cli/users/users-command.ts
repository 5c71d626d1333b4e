import { assertNever } from '../../shared/domain/errors';
import { isObject } from '../../shared/domain/kubernetes/json-value';
import { printable } from '../../shared/domain/text/printable';
import type { LocalSourceRef } from '../../shared/domain/sources/source';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { fallbackNotice } from '../cluster/ask-leader';
import {
  clusterCommandIn,
  exitCodes,
  worldOf,
  type ClusterCommand,
  type ClusterWorld,
} from '../cluster/cluster-command';
import { clusterOptionTable } from '../cluster/cluster-options';
import { sourceNamed } from '../cluster/object-names';
import { withProgress } from '../cluster/progress';
import { jsonOutput, yamlOutput } from '../output/formats';
import { readUsers } from './read-users';
import { titleOf, usersText } from './users-text';

const command: ClusterCommand<typeof clusterOptionTable, LocalSourceRef> = {
  name: 'users',
  takes: 'KIND/NAME',
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
    const { account, body, silence } = users;
    if (silence) io.err(fallbackNotice(silence, users.isInstallKnown));
    for (const right of users.missingRights) io.err(`${printable(right)}: those are missing here\n`);
    const report = { ...(isObject(body) ? body : {}), answeredBy: silence ? 'objects' : 'leader' };
    switch (output) {
      case 'text':
      case 'wide':
        io.out(usersText(account, { paint, width, wide: output === 'wide' }));
        break;
      case 'json':
        io.out(jsonOutput(report));
        break;
      case 'yaml':
        io.out(await yamlOutput(report));
        break;
      case 'name':
        io.out(account.users.map((user) => `${printable(titleOf(user))}\n`).join(''));
        break;
      default:
        return assertNever(output, 'format');
    }
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
