import type { Target } from '../target';
import { parseYamlContent } from '../../../shared/domain/content-check/yaml-content';
import { checkContent, contentMaxMs } from '../content';

/** A user's YAML, checked before it is stored. */
export const target: Target = {
  seeds: [
    'a: 1\nb:\n  - hunter2hunter2\n  - {c: d}\n',
    'x: &anchor\n  k: v\ny: *anchor\n<<: *anchor\n',
    '%YAML 1.2\n---\n"a": |\n  text\n...\n---\nb: !!binary AAAA\n',
    '? [a, b]\n: >-\n  folded\n',
    'a: '.repeat(300),
    'a: 2026-01-01\nb: 0x1f\nc: [a: 1, "b" : 2]\n',
  ],
  dictionary: ['&a ', '*a', '<<: ', '!!set', '!!omap', '|+2\n', '>-\n', '- - - ', '? ', '\n---\n', '[[[[', '{{', '# '],
  maxMs: contentMaxMs,
  run: (input) => checkContent('config.yaml', input.toString('utf8'), parseYamlContent),
};
