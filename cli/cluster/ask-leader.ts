import type * as z from 'zod';
import { tolerant, type Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { printable } from '../../shared/domain/text/printable';
import type { Cluster } from './cluster';
import { LeaderSilentError } from './silence';

/** An answer of the leader, or why there is none. */
export type Told<T> =
  | { readonly said: T; readonly body: unknown; readonly pod: string; readonly silence?: undefined }
  | { readonly silence: LeaderSilentError };

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
    const { pod, body } = await cluster.ask(path);
    const parsed = tolerant(schema).safeParse(body);
    if (parsed.success) return { said: parsed.data, body, pod };
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

/** Says on standard error what the answer rests on instead. */
export function fallbackNotice({ message }: LeaderSilentError, areFlagsKnown: boolean): string {
  const instead = 'the answer is from what you may read yourself: annotations, references, last restart and Events';
  const flags = areFlagsKnown ? '' : "the flags of Reroll's Deployment are not known: the defaults are assumed\n";
  return `${printable(message)}; ${instead}\n${flags}`;
}
