import { describe, expect, it } from '@jest/globals';
import { parseArguments } from './arguments';

describe('arguments of the demo', () => {
  it('without flags, the demo is played and ends', () => {
    expect(parseArguments([])).toEqual({ kind: 'play', keep: false, picture: undefined });
  });

  it('--keep leaves it up', () => {
    expect(parseArguments(['--keep'])).toEqual({ kind: 'play', keep: true, picture: undefined });
  });

  it.each(['--help', '-h'])('%s prints every flag', (flag) => {
    const request = parseArguments([flag]);
    expect(request).toMatchObject({ kind: 'help', text: expect.stringContaining('--keep') });
  });

  it.each([
    ['an unknown flag', '--kepp', "unknown option '--kepp'"],
    ['an argument that is no flag', 'fast', 'too many arguments'],
    ['a value for a switch', '--keep=yes', '--keep'],
  ])('%s is an error that says so and where the help is', (_what, argument, words) => {
    const request = parseArguments([argument]);
    expect(request).toMatchObject({ kind: 'usage-error', text: expect.stringContaining(words) });
    expect(request).toMatchObject({ text: expect.stringContaining('npm run demo -- --help') });
  });
});
