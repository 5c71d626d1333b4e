import { describe, expect, it } from '@jest/globals';
import { describeOptions } from '../../shared/runtime/options/option-help';
import { commands } from './flags-page';

describe.each(commands)('%s --help', (_command, table) => {
  it.each([
    [80, 80],
    [200, 100],
    [undefined, 100],
  ])('on a terminal of %p columns has lines of %p at most', (columns, most) => {
    const lines = describeOptions(table, columns).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(most);
  });

  it('puts every flag under a heading', () => {
    const help = describeOptions(table, 100);
    for (const { flag } of Object.values(table)) expect(help).toMatch(new RegExp(`^  (-\\w, )?--${flag}\\b`, 'm'));
    expect(help).not.toContain('Other flags');
  });
});
