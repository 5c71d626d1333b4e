import type { Target } from '../target';
import { parseTomlContent } from '../../../shared/domain/content-check/toml-content';
import { checkContent, contentMaxMs } from '../content';

/** A user's TOML, checked before it is stored. */
export const target: Target = {
  seeds: [
    'a = 1\n[b]\nc = "hunter2hunter2"\nd = [1, 2]\n[[e]]\nf = 2026-01-01T00:00:00Z\n',
    'a.b.c = {x = 1, y = """\ntext"""}\n',
    "'quoted key' = 0x1f\n[x]\n[x]\n",
  ],
  dictionary: ['[[', ']]', '"""', "'''", 'inf', 'nan', '1979-05-27', '0b1', '.', '= ', '{a = 1}'],
  maxMs: contentMaxMs,
  run: (input) => checkContent('config.toml', input.toString('utf8'), parseTomlContent),
};
