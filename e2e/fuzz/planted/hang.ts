import type { Target } from '../target';

/** Loops forever on a backslash at the end. */
function unescaped(text: string): string {
  let result = '';
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\' && at === text.length - 1) at--;
    else if (text[at] !== '\\') result += text[at] ?? '';
  }
  return result;
}

export const target: Target = {
  seeds: ['a\\nb'],
  run: (input) => {
    unescaped(input.toString('latin1'));
  },
};
