import { isObject } from '../../shared/domain/kubernetes/json-value';
import type { WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
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
import { nameOf, sourceNamed, workloadNamed } from '../cluster/object-names';
import { withProgress } from '../cluster/progress';
import { formatted } from '../output/formats';
import { headlineOf, ofOther } from './answer';
import { readCase } from './read-case';
import { whyOptionTable } from './why-options';
import { whyText } from './why-text';

interface Question {
  readonly kind: WorkloadKind;
  readonly name: string;
  readonly about: LocalSourceRef | undefined;
}

const command: ClusterCommand<typeof whyOptionTable, Question> = {
  name: 'why',
  takes: 'KIND/NAME',
  names: ['workload'],
  flagNames: { for: ['source'] },
  options: whyOptionTable,
  bad: 'answered: something is blocked, nothing leads, or there is no such workload',
  examples: `  reroll why deployment/web
  reroll why deployment/web -n shop --for configmap/app
  kubectl reroll why sts/db -o json`,
  question: (positional, { about }) => ({
    ...workloadNamed(positional),
    about: about === undefined ? undefined : sourceNamed([about], '--for'),
  }),
  answer: async ({ world, cluster, options, paint, width }, { kind, name, about }) => {
    const { io } = world;
    const { output, rerollNamespace, timeoutMs } = options;
    const asked = { kind, namespace: cluster.namespace, name };
    const read = await withProgress(
      world,
      'asking the leader',
      async () =>
        await readCase(cluster, asked, about, { rerollNamespace, timeoutMs, nowMs: () => cluster.clock.nowMs() }),
    );
    const { silence, install, place } = read.about;
    io.err(noticesOf({ silence, isInstallKnown: install.isKnown, notKnown: place.notKnown }));
    const headline = read.isInstead ? ofOther(read.about, headlineOf(read.about)) : headlineOf(read.about);
    io.out(
      await formatted(output, {
        text: (wide) => whyText(read.about, headline, { paint, width, wide, leader: read.leader }),
        report: { ...(isObject(read.body) ? read.body : {}), answer: headline.text, ...answeredBy({ silence }) },
        names: [nameOf({ kind: kind.kind, name })],
      }),
    );
    return headline.isBad ? exitCodes.bad : exitCodes.answered;
  },
};

/** `reroll why`: why a workload did or did not restart. */
export function whyCommand(process: NodeJS.Process): LoadedCommand {
  return whyCommandIn(worldOf(process));
}

/** The same, with the cluster and the streams passed in. */
export function whyCommandIn(world: ClusterWorld): LoadedCommand {
  return clusterCommandIn(command, world);
}
