import { errorMessage, RerollError } from '../../shared/domain/errors';
import { printable } from '../../shared/domain/text/printable';
import { CredentialsError } from '../../shared/kube/access/credentials';
import {
  ConnectionError,
  ForbiddenError,
  KubeError,
  ProtocolError,
  TimeoutError,
  UnauthorizedError,
} from '../../shared/kube/errors';
import { systemClock, type Clock } from '../../shared/runtime/clock';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { cliIo, type CliIo } from '../../shared/runtime/options/cli-io';
import type { OptionTable, OptionValues } from '../../shared/runtime/options/option-table';
import { parseArguments, UsageError, type Environment } from '../../shared/runtime/options/options';
import { systemRandom } from '../../shared/runtime/random';
import { paintFor, wantsColour, type Paint } from '../output/text-style';
import { connect, type Cluster } from './cluster';
import type { clusterOptionTable, ConnectOptions } from './cluster-options';
import { completeNames, type Named } from './complete-names';
import { withProgress } from './progress';
import { missingRight, NoAnswerError } from './silence';

/** What a command uses of its process. */
export interface ClusterWorld {
  readonly io: CliIo;
  readonly clock: Clock;
  readonly isTerminal: boolean;
  readonly isErrorTerminal: boolean;
  readonly connect: (options: ConnectOptions, env: Environment, access?: Access) => Promise<Cluster>;
  /** Calls back at Ctrl-C, which then no longer ends the process. */
  readonly onInterrupt: (callback: () => void) => void;
}

/** What a connection is for. */
export interface Access {
  /** The command changes objects. Without it, no request is sent that stores anything. */
  readonly writes: boolean;
}

export function worldOf(process: NodeJS.Process): ClusterWorld {
  const deps = { clock: systemClock, random: systemRandom };
  return {
    ...{ io: cliIo(process), clock: systemClock },
    ...{ isTerminal: process.stdout.isTTY, isErrorTerminal: process.stderr.isTTY },
    connect: async (options, env, { writes } = { writes: false }) => await connect(options, env, { ...deps, writes }),
    onInterrupt: (callback) => void process.once('SIGINT', callback),
  };
}

/** What an answer needs. */
export interface Session<Options> {
  readonly world: ClusterWorld;
  readonly cluster: Cluster;
  readonly options: Options;
  readonly paint: Paint;
  /** The width at which lines are cut. */
  readonly width: number | undefined;
}

type Table = OptionTable & Omit<typeof clusterOptionTable, 'output'>;

/** A command that asks a cluster. */
export interface ClusterCommand<Options extends Table, Question> {
  readonly name: string;
  readonly options: Options;
  /** Arguments besides its flags; without, it takes none. */
  readonly takes?: string;
  /** Of what its argument names one, for the completion of shells. */
  readonly names?: readonly Named[];
  /** Flags whose values are such names. */
  readonly flagNames?: Readonly<Record<string, readonly Named[]>>;
  /** It changes objects. */
  readonly writes?: true;
  /** Only Ctrl-C ends it once it has begun, and who may not read something is told so by what it shows. */
  readonly isEndless?: true;
  /** Text for the end of the help. */
  readonly examples: string;
  /** The meaning of exit code 1. */
  readonly bad: string;
  /** Reads the arguments that are no flags. @throws UsageError */
  question(positional: readonly string[], options: OptionValues<Options>): Question;
  answer(session: Session<OptionValues<Options>>, question: Question): Promise<number>;
}

export const exitCodes = { answered: 0, bad: 1, noConnection: 3, interrupted: 130 } as const;

/** Somebody pressed Ctrl-C instead of answering a question. */
export class InterruptedError extends RerollError {
  constructor() {
    super('interrupted', { code: 'INTERRUPTED' });
  }
}

/** Runs a command in a world. */
export function clusterCommandIn<Options extends Table, Question>(
  command: ClusterCommand<Options, Question>,
  world: ClusterWorld,
): LoadedCommand {
  return {
    options: command.options,
    ...(command.takes !== undefined && { takes: command.takes }),
    notes: `Exit codes:
${command.isEndless ? '' : `  0    ${command.writes ? 'done' : 'answered'}\n`}  1    ${command.bad}
  2    wrong flags or arguments
  3    no connection${command.isEndless ? '' : `, or no right to ${command.writes ? 'change the object' : 'read what the answer needs'}`}
  130  ended by Ctrl-C

Examples:
${command.examples}`,
    complete: async (request) => await completeNames(command, world, request),
    run: async (args, env) => {
      const { options, positional } = parseArguments(command.options, args, env);
      if (command.takes === undefined && positional.length > 0)
        throw new UsageError([`unexpected argument ${JSON.stringify(positional[0])}: only flags are accepted`]);
      const question = command.question(positional, options);
      try {
        return await answered(command, world, { options, question, env });
      } catch (thrown) {
        if (thrown instanceof UsageError) throw thrown;
        if (thrown instanceof InterruptedError) return exitCodes.interrupted;
        world.io.err(`${describeFailure(command.name, thrown)}${whatToTry(thrown)}\n`);
        return exitCodes.noConnection;
      }
    },
  };
}

async function answered<Options extends Table, Question>(
  command: ClusterCommand<Options, Question>,
  world: ClusterWorld,
  asked: { readonly options: OptionValues<Options>; readonly question: Question; readonly env: Environment },
): Promise<number> {
  const { options, question, env } = asked;
  const { io, isTerminal } = world;
  // All tables have the rows of `clusterOptionTable` that a connection needs.
  const cluster = await withProgress(
    world,
    'logging in',
    async () => await world.connect(options as ConnectOptions, env, { writes: command.writes === true }),
  );
  try {
    const paint = paintFor(isTerminal && wantsColour(env));
    const width = isTerminal ? io.columns : undefined;
    return await command.answer({ world, cluster, options, paint, width }, question);
  } finally {
    await cluster.close();
  }
}

function whatToTry(thrown: unknown): string {
  const isSilent = thrown instanceof ConnectionError || thrown instanceof TimeoutError;
  return isSilent ? ". Is it the right --context? 'kubectl cluster-info' asks the same one" : '';
}

/** Why there is no answer, for people; `name` is that of the command. */
export function describeFailure(name: string, thrown: unknown): string {
  if (thrown instanceof ForbiddenError) return `${printable(missingRight(thrown))}, and the answer needs it`;
  if (thrown instanceof CredentialsError || thrown instanceof NoAnswerError) return printable(thrown.message);
  if (thrown instanceof UnauthorizedError) {
    return 'the API server refuses your credentials (401): they may have expired, so log in again, or choose others with --context or --kubeconfig';
  }
  if (thrown instanceof ConnectionError || thrown instanceof TimeoutError)
    return `the API server does not answer: ${printable(thrown.message)}`;
  if (thrown instanceof ProtocolError) {
    return `what answers is no API server, but perhaps a proxy or a login page: ${printable(thrown.message)}`;
  }
  if (thrown instanceof KubeError) return `the API server answers with an error: ${printable(thrown.message)}`;
  return `reroll ${name} failed: ${printable(errorMessage(thrown))}`;
}
