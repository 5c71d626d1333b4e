import { printable } from '../../shared/domain/text/printable';
import { systemRandom, type Random } from '../../shared/runtime/random';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { noticesOf } from '../cluster/ask-leader';
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
import { machineFiles, type Files } from '../manifests/files';
import { formatted } from '../output/formats';
import type { Preview } from './preview';
import { headlineOf, sourceTitle } from './preview-headline';
import { previewOptionTable, type PreviewOptions } from './preview-options';
import { previewQuestion, type PreviewQuestion } from './preview-question';
import { previewReport } from './preview-report';
import { previewText } from './preview-text';
import { readProposal } from './read-proposal';
import { readPreview } from './read-preview';

/** What the command uses besides the cluster. */
export interface PreviewWorld extends ClusterWorld {
  readonly files: Files;
  readonly random: Random;
}

function command({ files, random }: PreviewWorld): ClusterCommand<typeof previewOptionTable, PreviewQuestion> {
  return {
    name: 'preview',
    takes: '[KIND/NAME]',
    names: ['source'],
    options: previewOptionTable,
    bad: 'answered: there is no such source, or the API server would refuse the change',
    examples: `  reroll preview -f deploy/
  helm template . | reroll preview -f - -n shop
  reroll preview configmap/app --set color=blue --unset size
  reroll preview secret/db --set-file ca.crt=new-ca.crt`,
    question: previewQuestion,
    answer: async (session, question) => {
      const { options, paint, width, world } = session;
      const preview = await withProgress(world, 'asking the leader', async () => await read(session, question));
      world.io.err(noticesOf(preview) + ownNotices(preview));
      const headline = headlineOf(preview);
      world.io.out(
        await formatted(options.output, {
          text: (wide) => previewText(preview, headline, { paint, width, wide, nowMs: session.cluster.clock.nowMs() }),
          report: previewReport(preview, headline),
          names: preview.workloads.filter(({ outcome }) => outcome === 'restarts').map((workload) => nameOf(workload)),
        }),
      );
      return headline.isBad ? exitCodes.bad : exitCodes.answered;
    },
  };

  async function read({ cluster, options }: Session<PreviewOptions>, question: PreviewQuestion): Promise<Preview> {
    const { rerollNamespace, timeoutMs } = options;
    const { proposal, install } = await readProposal(cluster, question, {
      ...{ files, random, rerollNamespace, timeoutMs },
    });
    return await readPreview(cluster, proposal, install, { rerollNamespace, timeoutMs });
  }
}

/** What is not known of the change itself. */
function ownNotices({ sources, unresolved, install, silence }: Preview): string {
  const hidden = sources.flatMap((each) => {
    const { missingRight } = each.change;
    return missingRight === undefined
      ? []
      : [`${missingRight}: what is touched of ${sourceTitle(each)} counts as changed`];
  });
  const others = unresolved.map(({ kind, namespace, name, why }) => `${kind} ${namespace}/${name} ${why}`);
  const isDeletion = sources.some(({ change }) => change.before && !change.after);
  // Without the leader, this is said already.
  const flags =
    isDeletion && !install.isKnown && !silence
      ? ["the flags of Reroll's Deployment are not known: --reload-on-delete is assumed to be off"]
      : [];
  return [...hidden, ...others, ...flags].map((line) => `${printable(line)}\n`).join('');
}

/** `reroll preview`: what a change that is not made would restart. */
export function previewCommand(process: NodeJS.Process): LoadedCommand {
  return previewCommandIn({ ...worldOf(process), files: machineFiles(process.stdin), random: systemRandom });
}

/** The same, with the cluster, the files and the streams passed in. */
export function previewCommandIn(world: PreviewWorld): LoadedCommand {
  return clusterCommandIn(command(world), world);
}
