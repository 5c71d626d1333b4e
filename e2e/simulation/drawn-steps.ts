import type { ActionKind } from './actions';
import type { Draw } from './draw';
import type { Step, World } from './world';

export interface StepKinds {
  readonly kinds: readonly ActionKind[];
  /** A world has one of these shares of the kinds. */
  readonly shares: readonly [number, number];
  /** If it has none. */
  readonly otherwise: ActionKind;
  /** How many steps, from the first to the second number. */
  readonly count: readonly [number, number];
}

/** The steps of a world, with others of these kinds among them. */
export function withDrawnSteps(
  steps: World['steps'],
  draw: Draw,
  stormMs: number,
  { kinds, shares, otherwise, count }: StepKinds,
): readonly Step[] {
  const chosen = draw.some(kinds, draw.pick(shares));
  const drawn: Step[] = [];
  for (let left = draw.int(...count); left > 0; left--) {
    const kind = draw.pickAny(chosen) ?? otherwise;
    drawn.push({ kind, atMs: draw.int(1_000, stormMs - 1), uponWrite: draw.chance(0.1), seed: draw.seed() });
  }
  return [...steps, ...drawn].sort((left, right) => left.atMs - right.atMs);
}
