import { describe, expect, it } from '@jest/globals';
import { checks } from '../../cli/check/checks';
import { textOf } from './pages';

const [, section = ''] = /^## reroll check$([^]*?)^## /m.exec(textOf('docs/command-line.md')) ?? [];
const names = checks.map(({ name }) => name);

describe('docs/command-line.md', () => {
  it('says of each check when it is well, and what it reads', () => {
    expect([...section.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name)).toEqual(names);
  });

  it('shows all checks', () => {
    expect([...section.matchAll(/^(?:ok|warning|failed|unknown) +([\w-]+)/gm)].map(([, name]) => name)).toEqual(names);
  });
});
