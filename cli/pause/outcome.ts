import { printable } from '../../shared/domain/text/printable';
import { LeaderSilentError } from '../cluster/silence';
import { exitCodes, type Session } from '../cluster/cluster-command';
import { nameOf } from '../cluster/object-names';
import { formatted, type NarrowFormat } from '../output/formats';
import { bold, red } from '../output/text-style';
import { titlesOf, type HeldRestarts } from './held-restarts';
import type { HoldObject } from './hold-target';

/** What a command did, and what follows. */
export interface Outcome<Told extends { readonly changed: boolean }> {
  /** The first one is what it did. */
  readonly lines: readonly string[];
  /** Nothing was changed, or something still holds. */
  readonly isBad: boolean;
  /** For programs, besides the object and the first line. */
  readonly report: Told;
  /** What the leader says of the restarts, or why it does not; undefined: it was not asked. */
  readonly restarts?: HeldRestarts | LeaderSilentError;
}

/** Nothing was changed. */
export function refused(line: string): Outcome<{ readonly changed: false }> {
  return { lines: [line], isBad: true, report: { changed: false } };
}

/** Prints an outcome. Returns the exit code. */
export async function reportOutcome(
  { world: { io }, options, paint }: Session<{ readonly output: NarrowFormat }>,
  object: HoldObject,
  { lines: [first = '', ...others], isBad, report, restarts }: Outcome<{ readonly changed: boolean }>,
): Promise<number> {
  const isSilent = restarts instanceof LeaderSilentError;
  if (isSilent) io.err(`${printable(restarts.message)}; what waits for a restart is known to the leader only\n`);
  const { kind, namespace, name } = object;
  io.out(
    await formatted(options.output, {
      text: () =>
        [paint(isBad ? red : bold, printable(first)), ...others.map((line) => printable(line))].join('\n') + '\n',
      report: {
        v: 1,
        kind,
        ...(namespace !== undefined && { namespace }),
        name,
        answer: first,
        ...report,
        ...(restarts && !isSilent && { waiting: titlesOf(restarts) }),
      },
      names: [nameOf(object)],
    }),
  );
  return isBad ? exitCodes.bad : exitCodes.answered;
}
