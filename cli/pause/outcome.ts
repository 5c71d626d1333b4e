import { printable } from '../../shared/domain/text/printable';
import type { LeaderSilentError } from '../cluster/silence';
import { exitCodes, type Session } from '../cluster/cluster-command';
import type { ClusterOptions } from '../cluster/cluster-options';
import { formatted } from '../output/formats';
import { bold, red } from '../output/text-style';
import { nameOf, type HoldObject } from './hold-target';

/** What a command did, and what follows. */
export interface Outcome {
  /** The first one is what it did. */
  readonly lines: readonly string[];
  /** Nothing was changed, or something still holds. */
  readonly isBad: boolean;
  /** For programs, besides the object and the first line. */
  readonly report: object;
  /** Why the leader did not say what waits; undefined: it did, or was not asked. */
  readonly silence?: LeaderSilentError;
}

/** Nothing was changed. */
export function refused(line: string): Outcome {
  return { lines: [line], isBad: true, report: { changed: false } };
}

/** Prints an outcome. Returns the exit code. */
export async function tell(
  { world: { io }, options, paint }: Session<Pick<ClusterOptions, 'output'>>,
  object: HoldObject,
  { lines: [first = '', ...others], isBad, report, silence }: Outcome,
): Promise<number> {
  if (silence) io.err(`${printable(silence.message)}; what waits for a restart is known to the leader only\n`);
  const { kind, namespace, name } = object;
  io.out(
    await formatted(options.output, {
      text: () =>
        [paint(isBad ? red : bold, printable(first)), ...others.map((line) => printable(line))].join('\n') + '\n',
      report: { v: 1, kind, ...(namespace !== undefined && { namespace }), name, answer: first, ...report },
      names: [nameOf(object)],
    }),
  );
  return isBad ? exitCodes.bad : exitCodes.answered;
}
