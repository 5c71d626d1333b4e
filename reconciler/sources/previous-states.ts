import { budgets } from '../../shared/domain/budgets';
import { knownContent, type PreviousState } from './source-entry';

/** Estimated size of a state without the digests and names of its keys, but with the digest of the whole content. */
const stateBytes = 200;
/** Estimated size of a short string in an array, without its characters. */
const nameBytes = 24;

/** Estimated size of these states. */
export function bytesOfStates(states: readonly PreviousState[]): number {
  return states.reduce((sum, state, index) => sum + bytesOf(state, states[index + 1]), 0);
}

/**
 * The newest of these states that fit into one source's budget. One state with unknown content replaces the others: a
 * workload that is compared with an earlier time is restarted once, in doubt.
 */
export function newestStates(states: readonly PreviousState[]): readonly PreviousState[] {
  const last = Math.max(0, states.length - budgets.formerStates);
  let first = states.length;
  for (let bytes = 0; first > last; first--) {
    const state = states[first - 1];
    if (state) bytes += bytesOf(state, states[first]);
    if (bytes > budgets.formerStateBytes) break;
  }
  return first === 0 ? states : [...unknownOf(states.slice(0, first)), ...states.slice(first)];
}

/** Estimated size of a state. Key names that it shares with the next one are counted there. */
function bytesOf({ content }: PreviousState, after: PreviousState | undefined): number {
  const known = knownContent(content);
  if (!known) return stateBytes;
  const bytes = stateBytes + known.retainedBytes;
  if (known.keyNames === knownContent(after?.content)?.keyNames) return bytes;
  return known.keyNames.reduce((sum, name) => sum + nameBytes + name.length, bytes);
}

/** One state with unknown content that replaces these. */
export function unknownOf(states: readonly PreviousState[]): readonly PreviousState[] {
  const [oldest, newest] = [states[0], states.at(-1)];
  if (!oldest || !newest) return [];
  return [{ content: 'unknown', fromMs: oldest.fromMs, observedMs: newest.observedMs }];
}
