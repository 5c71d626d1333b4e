import type { RE2JS } from 're2js';

/** A pattern as a table of states, so that a name takes one step for each of its characters. */
export interface NameAutomaton {
  /** What it took to find all states, in steps of the pattern's instructions: each takes 60 ns. */
  readonly steps: number;
  readonly matches: (name: string) => boolean;
}

/** What is used of the automaton of re2js, which finds a state when a text first leads to it, and keeps megabytes of them. */
interface LazyAutomaton {
  /** It cannot find the states of this pattern. */
  readonly failed: boolean;
  readonly numClasses: number;
  /** Characters of one class lead to the same states. */
  runeClass(rune: number): number;
  start(input: { context(): number }, position: number): LazyState | null;
  step(state: LazyState, runeClass: number, rune: number, anchor: number): LazyState | null;
}

interface LazyState {
  /** The pattern has matched before the last character. */
  readonly isMatch: boolean;
  readonly nfaStates: { readonly length: number };
}

/** Names of objects are DNS subdomains (RFC 1123), so there is no name with another character. */
const characters = Array.from('abcdefghijklmnopqrstuvwxyz0123456789-.', (character) => character.charCodeAt(0));

/** Constants of re2js. */
const beginOfText = 4;
const unanchored = 0;
const endOfText = -1;

/** What a state and character cost beside the state's instructions, which each take one step. */
const stepsOfEach = 8;
/** The table's entry for a pattern that has matched, whatever follows. */
const matched = -1;

/**
 * Finds all states that names lead to. There may be exponentially many: `.*a.{60}` has a new one for nearly each
 * character of a long name, and matching is as costly as the pattern is long. Undefined: it takes more than `maxSteps`.
 */
export function nameAutomaton(compiled: RE2JS, maxSteps: number): NameAutomaton | undefined {
  const lazy: LazyAutomaton = compiled.re2().dfa;
  const start = lazy.failed ? null : lazy.start({ context: () => beginOfText }, 0);
  if (!start) return undefined;
  const runeOfClass = new Map(characters.map((rune) => [lazy.runeClass(rune), rune]));
  const states: LazyState[] = [start];
  const numbers = new Map([[start, 0]]);
  const next: number[] = [];
  const isAccepting: boolean[] = [];
  let steps = 0;
  // Found states are appended meanwhile.
  for (const state of states) {
    for (const [runeClass, rune] of runeOfClass) {
      steps += stepsOfEach + state.nfaStates.length;
      const following = steps > maxSteps ? null : lazy.step(state, runeClass, rune, unanchored);
      if (!following) return undefined;
      const known = following.isMatch ? matched : numbers.get(following);
      if (known === undefined) numbers.set(following, states.push(following) - 1);
      next.push(known ?? states.length - 1);
    }
    isAccepting.push(lazy.step(state, lazy.numClasses, endOfText, unanchored)?.isMatch === true);
  }
  const classes = [...runeOfClass.keys()];
  const columns = new Map(characters.map((rune) => [rune, classes.indexOf(lazy.runeClass(rune))]));
  return { steps, matches: matcher(Int16Array.from(next), isAccepting, columns, classes.length) };
}

function matcher(
  next: Int16Array,
  isAccepting: readonly boolean[],
  columns: ReadonlyMap<number, number>,
  width: number,
): (name: string) => boolean {
  return (name) => {
    let state = 0;
    for (let index = 0; index < name.length; index++) {
      const column = columns.get(name.charCodeAt(index));
      if (column === undefined) return false;
      state = next[state * width + column] ?? matched;
      if (state === matched) return true;
    }
    return isAccepting[state] === true;
  };
}
