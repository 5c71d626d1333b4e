import type { WriteRecord } from '../apiserver/store';
import { isEngine } from './engine-user';
import { intruderUser, targetNamespace } from './intruder';
import type { Violation } from './judge';

/** Nothing may be created from a journal entry that an intruder forged, and the entry must be left as it is. */
export class IntruderJudge {
  readonly #forged = new Set<string>();

  wrote({ kind, key, user, revision, object }: WriteRecord): readonly Violation[] {
    if (user === intruderUser) this.#forged.add(`${kind.kind} ${key}`);
    if (!isEngine(user) || kind.kind === 'Event') return [];
    const at = `${kind.kind} ${key} at revision ${revision} by ${user}`;
    if (object.metadata.namespace === targetNamespace) {
      return [{ promise: 'foreign write', sentence: `${at}: only a forged entry of the journal asks for it` }];
    }
    if (!this.#forged.has(`${kind.kind} ${key}`)) return [];
    return [{ promise: 'foreign write', sentence: `${at}: it is an intruder's, and somebody has yet to look at it` }];
  }
}
