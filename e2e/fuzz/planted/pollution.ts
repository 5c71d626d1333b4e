import type { Target } from '../target';

type Tree = Record<string, unknown>;

/** Merges recursively, as it is often written: also into `__proto__`. */
function merged(into: Tree, from: Tree): Tree {
  for (const [key, value] of Object.entries(from)) {
    const known = into[key];
    if (typeof value === 'object' && value !== null && typeof known === 'object' && known !== null) {
      merged(known as Tree, value as Tree);
    } else into[key] = value;
  }
  return into;
}

export const target: Target = {
  seeds: ['{"a":{"b":"c"}}'],
  run: (input) => {
    try {
      merged({}, JSON.parse(input.toString('utf8')) as Tree);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    }
  },
};
