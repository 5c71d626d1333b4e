import type { LoadedCommand } from '../../shared/runtime/options/cli';
import {
  clusterCommandIn,
  exitCodes,
  worldOf,
  type ClusterCommand,
  type ClusterWorld,
} from '../cluster/cluster-command';
import { withProgress } from '../cluster/progress';
import { formatted } from '../output/formats';
import { Facts } from '../parts/facts';
import { checkOptionTable } from './check-options';
import type { CheckReport } from './check-report';
import { checkText } from './check-text';
import { runChecks } from './checks';

const command: ClusterCommand<typeof checkOptionTable, undefined> = {
  name: 'check',
  options: checkOptionTable,
  bad: 'answered: something failed, or with --strict is a warning',
  examples: `  reroll check
  reroll check -n shop --strict
  kubectl reroll check -o json`,
  question: () => undefined,
  answer: async ({ world, cluster, options, paint }) => {
    const { output, rerollNamespace, leaseName, timeoutMs, strict } = options;
    const findings = await withProgress(world, 'checking', async () => {
      // Without an API server there is nothing to check. Its answer also tells its time, before anything is judged by it.
      await cluster.client.request({ method: 'GET', path: '/version', timeoutMs });
      return await runChecks(new Facts({ cluster, clock: world.clock, rerollNamespace, leaseName, timeoutMs }));
    });
    const isBad = findings.some(({ state }) => state === 'failed' || (strict && state === 'warning'));
    world.io.out(
      await formatted(output, {
        text: () => checkText(findings, paint),
        report: { v: 1, checks: findings } satisfies CheckReport,
        names: findings.filter(({ state }) => state !== 'ok').map(({ name }) => name),
      }),
    );
    return isBad ? exitCodes.bad : exitCodes.answered;
  },
};

/** `reroll check`: whether the install is well. */
export function checkCommand(process: NodeJS.Process): LoadedCommand {
  return checkCommandIn(worldOf(process));
}

/** The same, with the cluster and the streams passed in. */
export function checkCommandIn(world: ClusterWorld): LoadedCommand {
  return clusterCommandIn(command, world);
}
