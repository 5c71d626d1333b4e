import type { Target } from '../target';
import { searchPattern } from '../../../shared/domain/text/pattern';

/** A pattern of a schema and, after the first newline, the text that is searched. */
export const target: Target = {
  seeds: ['^[a-z]+$\nabc', '\\d{2,4}(a|b)*?\n12', '(?<n>a)\\1\naa', '(?=a)\na', '\\u{61}[\\w-]\na'],
  dictionary: ['(?:', '(a+)+', '{1000}', '\\cA', '\\x41', '[^]', '\\k<n>', '$', '\\B', '{,5}'],
  maxBytes: 256 * 1024,
  run: (input) => {
    const [pattern = '', ...lines] = input.toString('utf8').split('\n');
    searchPattern(pattern)?.isIn(lines.join('\n'));
  },
};
