import type * as z from 'zod';
import { tolerant, type Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { printable } from '../../shared/domain/text/printable';
import type { Cluster } from './cluster';
import type { LeaderAnswer } from './leader';
import { LeaderSilentError } from './silence';

/** An answer of the leader, or why there is none. */
export type Told<T> = (LeaderAnswer & { readonly said: T; readonly silence?: undefined }) | Silent;

/** Why there is no answer. */
export interface Silent {
  readonly silence: LeaderSilentError;
}

/**
 * Asks the leader. An answer of another version is read as far as this version knows it.
 *
 * @throws KubeError if the API server itself does not answer
 */
export async function askLeader<Schema extends z.ZodType>(
  cluster: Pick<Cluster, 'ask'>,
  path: string,
  schema: Schema,
): Promise<Told<Tolerant<z.output<Schema>>>> {
  try {
    const answer = await cluster.ask(path);
    const { pod, body } = answer;
    const parsed = tolerant(schema).safeParse(body);
    if (parsed.success) return { ...answer, said: parsed.data };
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new LeaderSilentError(
      'other-version',
      `the leader ${printable(pod)} answers in a way that this version does not understand (${printable(where)})`,
    );
  } catch (thrown) {
    if (thrown instanceof LeaderSilentError) return { silence: thrown };
    throw thrown;
  }
}

/** What an answer rests on. */
export interface Grounds {
  /** Why the leader did not answer; undefined: it did. */
  readonly silence: LeaderSilentError | undefined;
  readonly isInstallKnown: boolean;
  readonly missingRights?: readonly string[];
  /** What the objects do not tell, with the reason. */
  readonly notKnown?: readonly string[];
}

/** Says on standard error what an answer rests on if the leader is silent, and what is missing from it. */
export function noticesOf({ silence, isInstallKnown, missingRights = [], notKnown = [] }: Grounds): string {
  const missing = missingRights.map((right) => `${printable(right)}: those are missing here\n`).join('');
  if (!silence) return missing;
  const instead = 'the answer is from what you may read yourself: annotations, references, last restart and Events';
  const flags = isInstallKnown ? '' : "the flags of Reroll's Deployment are not known: the defaults are assumed\n";
  const unsure = notKnown.map((line) => `${printable(line)}\n`).join('');
  return `${printable(silence.message)}; ${instead}\n${flags}${missing}${unsure}`;
}

/** Which of both an answer rests on, for programs. */
export function answeredBy({ silence }: Pick<Grounds, 'silence'>): { readonly answeredBy: 'objects' | 'leader' } {
  return { answeredBy: silence ? 'objects' : 'leader' };
}
