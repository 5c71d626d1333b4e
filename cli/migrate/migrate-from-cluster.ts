import { printable } from '../../shared/domain/text/printable';
import { UsageError, type Environment } from '../../shared/runtime/options/options';
import { withProgress } from '../cluster/progress';
import { migrateCluster } from './migrate-cluster';
import { parseMigrateOptions, type ClusterPart, type MigrateOptions } from './migrate-options';
import type { MigrateReport } from './migrate-report';
import type { MigrateWorld } from './migrate-world';
import { readReloader, type SeenReloader } from './reloader-flags';

interface Given {
  readonly args: readonly string[];
  readonly env: Environment;
}

/** A report about a cluster, with the flags of the Reloader there; flags on the command line count after them. */
export async function migrateFrom(
  world: MigrateWorld,
  part: ClusterPart,
  given: Given,
): Promise<{ readonly report: MigrateReport; readonly options: MigrateOptions }> {
  const { io, connect } = world;
  const cluster = await withProgress(world, 'logging in', async () => await connect(part, given.env));
  try {
    const { client } = cluster;
    const seen = await withProgress(
      world,
      'reading the flags of Reloader',
      async () => await readReloader(client, part),
    );
    const { options, notice } = withFlags(seen, given);
    io.err(notice + noticeOf(seen.others));
    const report = await withProgress(
      world,
      'reading the cluster',
      async () => await migrateCluster(client, options.settings, part),
    );
    io.err(report.errors.map(({ message }) => `${message}\n`).join(''));
    return { report, options };
  } finally {
    await cluster.close();
  }
}

function noticeOf(others: readonly string[]): string {
  return others
    .map(
      (deployment) =>
        `Deployment ${printable(deployment)} runs Reloader too, and its flags do not count: name a namespace that it watches, with -n\n`,
    )
    .join('');
}

function withFlags(
  { flags, missingRight }: SeenReloader,
  { args, env }: Given,
): { readonly options: MigrateOptions; readonly notice: string } {
  const asGiven = (notice: string) => ({ options: parseMigrateOptions(args, env), notice });
  if (!flags) {
    return asGiven(
      missingRight === undefined
        ? ''
        : `${printable(missingRight)}: the flags of Reloader are not known, and only those given here count\n`,
    );
  }
  const deployment = `Deployment ${printable(flags.deployment)}`;
  // The elements of a list would add up.
  const given = new Set(args.map(flagIn));
  const counted = flags.args.filter((arg) => !given.has(flagIn(arg)));
  if (counted.length === 0) return asGiven('');
  try {
    const options = parseMigrateOptions([...counted, ...args], env);
    return { options, notice: `the flags of ${deployment} count: ${printable(counted.join(' '))}\n` };
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return asGiven(`the flags of ${deployment} are not understood, and only those given here count\n`);
  }
}

function flagIn(arg: string): string | undefined {
  return /^--?([^=]+)/.exec(arg)?.[1];
}
