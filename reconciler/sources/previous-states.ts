import { budgets } from '../../shared/domain/budgets';
import { knownContent, type PreviousState } from './source-entry';

/** What a state takes besides the digests and names of its keys. */
const stateBytes = 150;
/** A short string in an array, besides its characters. */
const nameBytes = 24;

/** About what is kept of these states. */
export function bytesOfStates(states: readonly PreviousState[]): number {
  return states.reduce((sum, state, index) => sum + bytesOf(state, states[index + 1]), 0);
}

/**
 * The newest of these states, as far as one source has room for them. In the place of the others stands one of which nothing
 * is known: whatever asks for a time before is told so, and restarts once, in doubt.
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

/** Key names that a state has in common with the one after it are kept once. */
function bytesOf({ content }: PreviousState, after: PreviousState | undefined): number {
  const known = knownContent(content);
  if (!known) return stateBytes;
  const bytes = stateBytes + known.retainedBytes;
  if (known.keyNames === knownContent(after?.content)?.keyNames) return bytes;
  return known.keyNames.reduce((sum, name) => sum + nameBytes + name.length, bytes);
}

/** One state in the place of these, of which nothing is known. */
export function unknownOf(states: readonly PreviousState[]): readonly PreviousState[] {
  const [oldest, newest] = [states[0], states.at(-1)];
  if (!oldest || !newest) return [];
  return [{ content: 'unknown', fromMs: oldest.fromMs, observedMs: newest.observedMs }];
}
