import { parseArgs } from 'node:util';
import { errorMessage } from '../../shared/domain/errors';

/** The parsed command line of `npm run bench`. */
export interface Asked {
  /** In the order in which they run. */
  readonly names: readonly string[];
  readonly json: boolean;
  /** Measure on the simulated API server instead of the real control plane. */
  readonly simulated: boolean;
  /** Store the results as the baseline that later runs are compared with. */
  readonly store: boolean;
  /** A shell command that starts another implementation. */
  readonly command: string | undefined;
  /** How long the soak takes. */
  readonly minutes: number;
}

export class UsageError extends Error {}

const defaultMinutes = 20;

/**
 * `args` are the process arguments without interpreter and script. `known` maps each bench name to its summary.
 *
 * @throws UsageError that lists the benches.
 */
export function parseArguments(args: readonly string[], known: ReadonlyMap<string, string>): Asked {
  const usage = usageOf(known);
  const { values, positionals } = parsed(args, usage);
  const unknown = positionals.find((name) => name !== 'all' && !known.has(name));
  if (unknown !== undefined) throw new UsageError(`there is no bench "${unknown}"\n${usage}`);
  if (positionals.length === 0) throw new UsageError(`name the benches, or all\n${usage}`);
  const minutes = Number(values.minutes ?? defaultMinutes);
  if (!(minutes > 0)) throw new UsageError(`--minutes=${values.minutes ?? ''}: give a number above 0\n${usage}`);
  if (values.store === true && values.command !== undefined) {
    throw new UsageError(`--store is for Reroll's own figures, not for those of a --command\n${usage}`);
  }
  return {
    names: positionals.includes('all') ? [...known.keys()] : [...new Set(positionals)],
    json: values.json === true,
    simulated: values.sim === true,
    store: values.store === true,
    command: values.command,
    minutes,
  };
}

function parsed(args: readonly string[], usage: string) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        sim: { type: 'boolean' },
        store: { type: 'boolean' },
        command: { type: 'string' },
        minutes: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(`${errorMessage(error)}\n${usage}`);
  }
}

function usageOf(known: ReadonlyMap<string, string>): string {
  const width = Math.max(...[...known.keys()].map((name) => name.length));
  return [
    "usage: npm run bench -- NAME...|all [--json] [--sim] [--store] [--minutes N] [--command 'PROGRAM FLAGS']",
    ...[...known].map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`),
    '  --json     the result for programs',
    '  --sim      on the simulated API server instead of the real control plane',
    '  --store    keep the figures in e2e/bench/baseline.json: those that later ones are compared with',
    `  --minutes  how long the soak takes; ${defaultMinutes} otherwise`,
    '  --command  measure another implementation: a command for the shell, which finds the cluster by KUBECONFIG',
  ].join('\n');
}
