import { describe, expect, it } from '@jest/globals';
import { describeOptions } from '../../shared/runtime/options/option-help';
import { commands as allCommands } from '../../commands';
import { commands } from './flags-page';

it('docs/reference/flags.md has all commands that take flags', () => {
  const named = allCommands.map(({ name }) => `reroll ${name}`).filter((name) => name !== 'reroll completion');
  expect(commands.map(([name]) => name).toSorted()).toEqual(named.toSorted());
});

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
