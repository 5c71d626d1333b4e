import type { Target } from '../target';

/** Compares each name with all names before it. */
function distinct(names: readonly string[]): readonly string[] {
  const known: string[] = [];
  for (const name of names) if (known.findIndex((each) => each === name) < 0) known.push(name);
  return known;
}

export const target: Target = {
  seeds: ['a,b,c'],
  run: (input) => {
    distinct(input.toString('latin1').split(','));
  },
};
