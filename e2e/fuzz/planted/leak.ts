import type { Target } from '../target';

const kept = new Map<string, string>();

/** Never frees the text that it makes of a name. */
function upperCased(name: string): string {
  const known = kept.get(name) ?? name.toUpperCase().repeat(1_000);
  // A flat copy: V8 would keep a repeated string as a rope of one part.
  kept.set(name, Buffer.from(known).toString('latin1'));
  return known;
}

export const target: Target = {
  seeds: ['name'],
  run: (input) => {
    upperCased(input.toString('latin1').slice(0, 64));
  },
};
